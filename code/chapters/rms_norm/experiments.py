"""RMSNorm beside LayerNorm: language models trained with each, and times.

The trainings take minutes, so the chapter reads their results from a file that
`python -m chapters.rms_norm.experiments FILE` writes, and repeats two of them.
"""

from collections.abc import Callable, Mapping
from itertools import product

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from chapters.laboratory.fit import same_numbers
from chapters.laboratory.language import held_out_windows
from chapters.laboratory.language_model import (
    LENGTH,
    exchange,
    nats,
    train_language_model,
)
from chapters.laboratory.measurements import Measurements, measure_all, seconds_in_turn
from chapters.laboratory.recipe import Trained
from transformer.layers import LayerNorm, layer_norm, rms_norm
from transformer.models import DecoderOnlyTransformer

MEASUREMENTS = Measurements("rms_norm")
EPS = 1e-5  # of both norms: with other numbers they could not be compared
TRAININGS = [
    {"part": "training", "norm": norm, "layers": layers, "steps": steps, "seed": seed}
    for layers, steps in ((2, 400), (6, 150))
    for norm, seed in product(("layer", "rms", "none"), (0, 1, 2))
]
SHAPES = ((4, 64, 512), (32, 128, 512), (8, 128, 2048))
ROUNDS = 101


def train_with(norm: str, *, layers: int = 2, steps: int, seed: int) -> Trained:
    """Train the small language model with one kind of norm at every place.

    Args:
        norm: "layer", "rms" or "none".
        layers: How many layers the model has.
        steps: Number of training steps, the first eighth of them warm-up.
        seed: Seed of the parameters and of the text.
    """

    def change(model: nn.Module) -> None:
        if norm == "none":
            exchange(model, LayerNorm, lambda child: nn.Identity())

    return train_language_model(
        seed=seed,
        steps=steps,
        warm_up=steps // 8,
        change=change,
        num_decoder_layers=layers,
        norm="layer" if norm == "none" else norm,
        norm_eps=EPS,
    )


@torch.no_grad()
def mean_shares(model: DecoderOnlyTransformer) -> Float[Tensor, " norms"]:
    """Return the squared mean by the mean square of what each norm reads.

    It is the mean over tokens of text that was held out, on the CPU.
    """
    shares = []

    def note(module: nn.Module, inputs: tuple[Tensor]) -> None:
        x = inputs[0].double()
        ratio = x.mean(dim=-1).square() / x.square().mean(dim=-1)
        shares.append(ratio.mean().cpu())

    hooks = [norm.register_forward_pre_hook(note) for norm in norms_of(model)]
    text = held_out_windows(32, LENGTH)
    model(text.to(torch.get_default_device()))
    for hook in hooks:
        hook.remove()
    return torch.stack(shares)


def norms_of(model: DecoderOnlyTransformer) -> list[nn.Module]:
    """Return the norms of a pre-norm model in the order in which they act."""
    norms = []
    for layer in model.decoder.layers:
        norms += [layer.self_attention_residual.norm, layer.feed_forward_residual.norm]
    return [*norms, model.decoder.norm]


def measured(*, part: str, norm: str, layers: int, steps: int, seed: int) -> dict:
    """Train one model and return what came out."""
    trained = train_with(norm, layers=layers, steps=steps, seed=seed)
    return {
        "parameters": sum(p.numel() for p in trained.model.parameters()),
        "diverged": trained.diverged,
        "nats": nats(trained.model),
        "mean_shares": mean_shares(trained.model).tolist(),
    }


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
        setting = {"part": "time", "shape": list(shape), "backward": backward}
        rows += [
            setting | {"norm": name, "ratio": seconds / times["F.layer_norm"]}
            for name, seconds in times.items()
        ]
    return rows


if __name__ == "__main__":
    torch.set_num_threads(1)
    rows = measure_all(measured, TRAININGS) + measure_times()
    MEASUREMENTS.write(rows, eps=EPS)
