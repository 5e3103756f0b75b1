"""What SmolLM2 takes in fewer bits: bytes, the time of a token, and the loss.

The chapter reads the times from a file that `python -m
chapters.cost_and_scale.fewer_bits` writes; bytes and losses it measures itself.
"""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy
from torch.nn.utils.rnn import pad_sequence

from chapters.laboratory.measurements import Measurements, seconds_in_turn

MEASUREMENTS = Measurements("cost_and_scale", "fewer_bits")


def bytes_of(model: nn.Module) -> int:
    """Return the bytes of all parameters and buffers; what is shared counts once."""
    tensors = [*model.parameters(), *model.buffers()]
    return sum({t.data_ptr(): t.nbytes for t in tensors}.values())


@torch.no_grad()
def mean_loss(model: nn.Module, texts: Sequence[Sequence[int]]) -> float:
    """Return the mean cross-entropy of the tokens of all texts, in nats.

    They are read together, padded behind, where no token sees what was added.

    Args:
        model: A decoder-only language model with weights of any type.
        texts: Ids; the first of each is only read.
    """
    ids = [torch.tensor(text) for text in texts]
    read, labels = (
        pad_sequence(ids, batch_first=True, padding_value=fill) for fill in (0, -100)
    )
    logits = model(read)[:, :-1].float()
    return cross_entropy(logits.flatten(0, 1), labels[:, 1:].flatten()).item()


def writes(model: nn.Module, ids: Tensor) -> Callable[[], None]:
    """Return a call that lets a model read tokens one by one, with a cache."""

    @torch.inference_mode()
    def call() -> None:
        cache = model.new_cache(1, max_len=len(ids))
        for one in ids:
            model(one.reshape(1, 1), cache=cache)

    return call


if __name__ == "__main__":
    from transformer.models import quantize_weights
    from transformer.zoo import load

    torch.set_num_threads(1)
    name, ids = "smollm2-135m", torch.arange(100, 116)
    models = {
        "float32": load(name).model.float(),
        "bfloat16": load(name).model.bfloat16(),
        "int8": quantize_weights(load(name).model.float()),
    }
    calls = {kind: writes(model, ids) for kind, model in models.items()}
    seconds = seconds_in_turn(calls, rounds=12)
    MEASUREMENTS.write(
        [{"kind": kind, "ms": 1000 * s / len(ids)} for kind, s in seconds.items()]
    )
