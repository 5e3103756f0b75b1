"""What PyTorch does and holds: products, what waits for a backward pass, a peak."""

import weakref
from collections.abc import Callable, Iterator
from contextlib import nullcontext

import torch
import torch.nn.functional as F
from torch import nn
from torch.distributed._tools.mem_tracker import MemTracker
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from chapters.laboratory.fit import same_numbers
from transformer.config import TransformerConfig
from transformer.models import (
    DecoderOnlyTransformer,
    EncoderOnlyTransformer,
    Transformer,
)
from transformer.training import adam

SMALL = TransformerConfig(
    vocab_size=512,
    num_encoder_layers=0,
    num_decoder_layers=4,
    d_model=128,
    d_ff=512,
    num_heads=4,
    max_len=256,
)


def counted(call: Callable[[], object]) -> int:
    """Return the FLOPs of all matrix products of a call, as PyTorch counts them."""
    with FlopCounterMode(display=False) as counter:
        call()
    return counter.get_total_flops()


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


class Waiting:
    """A tensor that waits for the way back, without the graph that it came from."""

    def __init__(self, tensor: torch.Tensor) -> None:
        owner = tensor if tensor._base is None else tensor._base
        self.is_parameter = isinstance(owner, nn.Parameter)
        self.tensor = tensor.detach()


def still_held(
    config: TransformerConfig,
    loop: Callable[..., Iterator[None]],
    *,
    batches: int = 4,
    **options: object,
) -> list[int]:
    """Return what is still held for backward passes, each time a loop pauses.

    Args:
        config: Of a decoder-only model.
        loop: Called with a function that returns the loss of a batch and with batches;
            it yields after each.
        batches: How many, each of two texts as long as the model can read.
        **options: Go to the loop.
    """
    waiting: list[weakref.ref] = []

    def keep(tensor: torch.Tensor) -> Waiting:
        kept = Waiting(tensor)
        waiting.append(weakref.ref(kept))
        return kept

    with same_numbers(0), torch.device("cpu"):
        model = DecoderOnlyTransformer(config).float()
        shape = (batches, 2, config.max_len)
        given = list(torch.randint(config.vocab_size, shape))

    def loss_of(batch: torch.Tensor) -> torch.Tensor:
        return F.cross_entropy(model(batch).flatten(0, 1), batch.flatten())

    def bytes_alive() -> int:
        alive = [kept for ref in waiting if (kept := ref()) is not None]
        tensors = [kept.tensor for kept in alive if not kept.is_parameter]
        storages = [tensor.untyped_storage() for tensor in tensors]
        return sum({s.data_ptr(): s.nbytes() for s in storages}.values())

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda kept: kept.tensor):
        return [bytes_alive() for _ in loop(loss_of, given, **options)]
