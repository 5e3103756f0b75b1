"""The bytes that PyTorch holds: for a backward pass, and in a training step."""

from collections.abc import Callable
from contextlib import nullcontext

import torch
import torch.nn.functional as F
from torch import nn
from torch.distributed._tools.mem_tracker import MemTracker
from torch.nn.attention import SDPBackend, sdpa_kernel

from chapters.laboratory.fit import same_numbers
from transformer.config import TransformerConfig
from transformer.models import (
    DecoderOnlyTransformer,
    EncoderOnlyTransformer,
    Transformer,
)
from transformer.training import adam


def saved_bytes(call: Callable[[], object]) -> int:
    """Return the bytes that the backward pass of a call needs, parameters excepted.

    Every tensor that is kept counts once, with the numbers that it holds.
    """
    kept: dict[int, torch.UntypedStorage] = {}

    def keep(tensor: torch.Tensor) -> torch.Tensor:
        if not isinstance(tensor, nn.Parameter) and not isinstance(
            tensor._base, nn.Parameter
        ):
            storage = tensor.untyped_storage()
            kept[storage.data_ptr()] = storage
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        result = call()
    del result
    return sum(storage.nbytes() for storage in kept.values())


def peak_bytes(
    config: TransformerConfig,
    *,
    batch: int = 1,
    source: int | None = None,
    target: int | None = None,
    fused: bool = True,
    held: bool = True,
) -> int:
    """Return the most bytes that tensors hold in a training step, as PyTorch tells.

    Forth and back on the CPU in float32, with cross-entropy and the moments of Adam.

    Args:
        config: Sizes and choices.
        batch: Number of sequences.
        source: Length of the encoder's input, if there is one.
        target: Length of the decoder's input, if there is one.
        fused: Whether attention is computed by the fused kernel or by the formula.
        held: Whether there are gradients of a batch before, to which these are added.
    """
    kinds = {
        (True, True): Transformer,
        (True, False): EncoderOnlyTransformer,
        (False, True): DecoderOnlyTransformer,
    }
    lengths = [length for length in (source, target) if length]
    with same_numbers(0):
        model = kinds[bool(source), bool(target)](config).float()
        tokens = [torch.zeros(batch, n, dtype=torch.long) for n in lengths]
    optimizer = adam(model, learning_rate=1e-3)

    def learn() -> None:
        labels = tokens[-1].flatten()
        F.cross_entropy(model(*tokens).flatten(0, 1), labels).backward()

    with nullcontext() if fused else sdpa_kernel(SDPBackend.MATH):
        learn()
        optimizer.step()  # makes the moments
        if not held:
            optimizer.zero_grad()
        tracker = MemTracker()
        tracker.track_external(model, optimizer)
        with tracker:
            learn()
    return tracker.get_tracker_snapshot("peak")[torch.device("cpu")]["Total"]
