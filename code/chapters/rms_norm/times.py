"""How long RMSNorm and LayerNorm take, as formulas and as PyTorch's own.

The chapter reads the ratios from a file that `python -m chapters.rms_norm.times`
writes.
"""

from collections.abc import Callable, Mapping
from itertools import product

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from chapters.laboratory.fit import same_numbers
from chapters.laboratory.measurements import Measurements, seconds_in_turn
from transformer.layers import layer_norm, rms_norm

MEASUREMENTS = Measurements("rms_norm", "times")
EPS = 1e-5
SHAPES = ((4, 64, 512), (32, 128, 512), (8, 128, 2048))
ROUNDS = 101


def norm_calls(
    x: Float[Tensor, "*batch d_model"],
) -> Mapping[str, Callable[[], Tensor]]:
    """Return four ways to normalize x on the CPU, the formulas and PyTorch's own."""
    gain = torch.ones(x.shape[-1:], dtype=x.dtype, device="cpu").requires_grad_()
    bias = torch.zeros(x.shape[-1:], dtype=x.dtype, device="cpu").requires_grad_()
    return {
        "LayerNorm, formula": lambda: layer_norm(x, gain, bias, eps=EPS),
        "RMSNorm, formula": lambda: rms_norm(x, gain, eps=EPS),
        "F.layer_norm": lambda: F.layer_norm(x, x.shape[-1:], gain, bias, EPS),
        "F.rms_norm": lambda: F.rms_norm(x, x.shape[-1:], gain, EPS),
    }


def time_norms(
    shape: tuple[int, ...], *, backward: bool, rounds: int
) -> dict[str, float]:
    """Return the times of four norms in float32 on the CPU, in seconds.

    Args:
        shape: Of the input.
        backward: Whether the gradients of input and parameters are computed too.
        rounds: How often each norm is called.
    """
    with same_numbers(0):
        x = torch.randn(shape, device="cpu").float().requires_grad_(backward)
        direction = torch.randn(shape, device="cpu").float()
    calls = norm_calls(x)
    if backward:
        calls = {
            name: lambda call=call: call().backward(direction)
            for name, call in calls.items()
        }
    with torch.set_grad_enabled(backward):
        return seconds_in_turn(calls, rounds=rounds)


def measure_times() -> list[dict]:
    """Return the times of all norms, each divided by that of `F.layer_norm`."""
    rows = []
    for shape, backward in product(SHAPES, (False, True)):
        times = time_norms(shape, backward=backward, rounds=ROUNDS)
        setting = {"shape": list(shape), "backward": backward}
        rows += [
            setting | {"norm": name, "ratio": seconds / times["F.layer_norm"]}
            for name, seconds in times.items()
        ]
    return rows


if __name__ == "__main__":
    torch.set_num_threads(1)
    MEASUREMENTS.write(measure_times(), eps=EPS)
