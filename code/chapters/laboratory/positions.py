"""Ways to tell a model where a token stands, compared in one language model.

Tokens start with vectors of size 1, a root mean square; what is added to them starts
at the size of the sinusoids, 0.7. What is learned and added to scores bears a factor,
as by Adam a number moves no further than the sum of the learning rates.
"""

from collections.abc import Mapping
from functools import partial
from math import isfinite

import torch
from jaxtyping import Bool, Float, Integer
from torch import Tensor, nn
from torch.nn.utils.parametrize import register_parametrization

from chapters.laboratory.language import held_out_windows
from chapters.laboratory.language_model import (
    LENGTH,
    language_model,
    nats,
    nats_by_position,
    train_for_study,
    validation_nats,
)
from chapters.laboratory.study import Study
from transformer.layers import (
    LearnedPositionalEmbedding,
    RelativeKeys,
    RelativePositionBias,
    RotaryEmbedding,
    alibi_bias,
)
from transformer.models import DecoderOnlyTransformer, count_parameters

LENGTHS = (64, 128, 256, 512)  # letters that are read; the first is the trained one
BLOCK = 16  # positions whose loss is averaged for a curve
SCALINGS = ("linear", "ntk", "yarn")
BIAS_FACTOR, KEY_FACTOR = 20.0, 10.0
TABLE_STD = 0.5**0.5  # the root mean square of sines and cosines


class Times(nn.Module):
    """A parameter times a number: it starts as it would, and moves so much faster."""

    def __init__(self, factor: float) -> None:
        super().__init__()
        self.factor = factor

    def forward(self, x: Tensor) -> Tensor:
        """Return what the model reads."""
        return self.factor * x

    def right_inverse(self, x: Tensor) -> Tensor:
        """Return what is learned."""
        return x / self.factor


def speed_up(model: nn.Module, kind: type[nn.Module], factor: float) -> None:
    """Give the embeddings in modules of a kind a factor, in place."""
    for module in model.modules():
        if isinstance(module, kind):
            register_parametrization(module.embedding, "weight", Times(factor))


free_biases = partial(speed_up, kind=RelativePositionBias, factor=BIAS_FACTOR)
free_keys = partial(speed_up, kind=RelativeKeys, factor=KEY_FACTOR)


def widen_table(model: nn.Module) -> None:
    """Let a learned table of positions start at the size of the sinusoids."""
    for module in model.modules():
        if isinstance(module, LearnedPositionalEmbedding):
            nn.init.normal_(module.embedding.weight, std=TABLE_STD)


def add_alibi(model: nn.Module) -> None:
    """Let the scores of a decoder fall with the distance, whatever else it uses."""
    decoder = model.decoder
    decoder.position_bias = partial(alibi_bias, decoder.config.num_heads)


def stop_slow_planes(model: nn.Module) -> None:
    """Keep the planes that turn once within `LENGTH`, and let the others stand."""
    for module in model.modules():
        if isinstance(module, RotaryEmbedding):
            slow = module.frequencies.abs() * LENGTH < 2 * torch.pi
            module.frequencies = module.frequencies.masked_fill(slow, 0.0)


T5 = {"position": "relative", "relative_buckets": 16, "relative_max_distance": 64}
SHAW = {"position": "relative_keys", "relative_max_distance": 16}
TABLE = {"position": "learned", "max_len": LENGTH}
# What each scheme asks of the model, by name.
SCHEMES: Mapping[str, Mapping] = {
    "none": {"position": "none"},
    "sinusoidal": {"position": "sinusoidal"},
    "learned": TABLE | {"change": widen_table},
    "rotary": {"position": "rotary"},
    "slow planes still": {"position": "rotary", "change": stop_slow_planes},
    "alibi": {"position": "alibi"},
    "relative": T5 | {"change": free_biases},
    "relative_keys": SHAW | {"change": free_keys},
    "rotary + alibi": {"position": "rotary", "change": add_alibi},
    # How three of them fare when their sizes or their speed do not match.
    "sinusoidal, embeddings small": {
        "position": "sinusoidal",
        "scale_embeddings": False,
    },
    "learned, table small": TABLE,
    "relative, no factor": T5,
}


class LastRowReused(nn.Module):
    """Add the rows of a learned table, the last one to all positions beyond it.

    Args:
        table: One row for each position that was trained.
    """

    def __init__(self, table: Float[Tensor, "length d_model"]) -> None:
        super().__init__()
        self.register_buffer("table", table.detach().clone())

    def forward(
        self, x: Float[Tensor, "*batch time d_model"], *, start: int = 0
    ) -> Float[Tensor, "*batch time d_model"]:
        """Add to each vector the row of its position, or the last."""
        rows = torch.arange(start, start + x.size(-2), device=x.device)
        return x + self.table[rows.clamp(max=len(self.table) - 1)]


class ChosenDistances(nn.Module):
    """A language model of which each query sees the keys at some distances alone.

    Args:
        model: What was trained.
        seen: Whether a key is seen, by how many positions back it stands; the last
            entry says it of all that stand farther.
    """

    def __init__(self, model: nn.Module, seen: Bool[Tensor, " distances"]) -> None:
        super().__init__()
        self.model, self.seen = model, seen

    def forward(
        self, tokens: Integer[Tensor, "batch time"]
    ) -> Float[Tensor, "batch time vocab"]:
        """Return logits as the model does, but for the keys that are hidden."""
        places = torch.arange(tokens.size(1), device=tokens.device)
        back = places[:, None] - places  # (time, time)
        known = back.clamp(0, len(self.seen) - 1)
        mask = self.seen.to(tokens.device)[known] & (back >= 0)
        x = self.model.embedding(tokens)
        return self.model.head(self.model.decoder(x, mask=mask))


class Windowed(ChosenDistances):
    """A language model of which each query sees the nearest keys alone.

    Args:
        model: What was trained.
        window: How many keys a query sees, itself included.
    """

    def __init__(self, model: nn.Module, *, window: int = LENGTH) -> None:
        super().__init__(model, torch.arange(window + 1, device="cpu") < window)


def scaled(
    model: DecoderOnlyTransformer, scaling: str, factor: float
) -> DecoderOnlyTransformer:
    """Return a model of the same weights whose rotations are slowed down.

    Args:
        model: A trained model with rotary embeddings.
        scaling: One of `transformer.layers.SCALINGS`, except "none".
        factor: How many times longer the texts get.
    """
    other = language_model(
        seed=0,
        position="rotary",
        scale_embeddings=True,
        rotary_scaling=scaling,
        rotary_factor=factor,
        rotary_original_len=LENGTH if scaling in ("yarn", "llama3") else None,
    )
    other.load_state_dict(model.state_dict())
    return other.eval()


@torch.no_grad()
def probe_errors(model: nn.Module) -> list[float]:
    """Return how far off a linear reading of the position is, layer by layer.

    A linear map is fitted by least squares from the vectors of 64 windows to their
    positions 0 to 63, and tried on 64 others. One who always says 31.5 is off by 16.

    Args:
        model: The trained language model.

    Returns:
        Mean absolute errors in positions: of the input of the stack, then of each
        layer's output.
    """
    tokens = held_out_windows(128, LENGTH, seed=11)
    states = layer_outputs(model, tokens.to(torch.get_default_device()))
    target = torch.arange(LENGTH, device="cpu").double().repeat(64)[:, None]
    errors = []
    for x in states:
        x = x.double().cpu()
        x = torch.cat((x, torch.ones_like(x[..., :1])), dim=-1)
        fit, test = x[:64].flatten(0, 1), x[64:].flatten(0, 1)
        gram = fit.T @ fit
        ridge = 1e-6 * gram.diagonal().mean() * torch.eye(len(gram), device="cpu")
        found = test @ torch.linalg.solve(gram + ridge, fit.T @ target)
        errors.append((found - target).abs().mean().item())
    return errors


def layer_outputs(
    model: nn.Module, tokens: Integer[Tensor, "batch time"]
) -> list[Tensor]:
    """Return the vectors that enter the stack, and those that leave each layer."""
    states = [model.embedding(tokens)]
    hooks = [
        layer.register_forward_hook(lambda _, inputs, output: states.append(output))
        for layer in model.decoder.layers
    ]
    model(tokens)
    for hook in hooks:
        hook.remove()
    return states


def slowed_nats(model: DecoderOnlyTransformer, scaling: str) -> list[float]:
    """Return the loss on the last 64 letters of each longer text of `LENGTHS`.

    The rotations are slowed down by how much longer the text is.
    """
    return [
        nats(scaled(model, scaling, length / LENGTH), length=length, last=LENGTH)
        for length in LENGTHS[1:]
    ]


def train(
    scheme: str, *, seed: int, steps: int = 400, learning_rate: float = 3e-3
) -> tuple[nn.Module, float]:
    """Train the language model on 64 letters, to be read at any length.

    Args:
        scheme: A name of `SCHEMES`.
        seed: Seed of the parameters and of the windows.
        steps: Number of training steps, the first eighth of them warm-up.
        learning_rate: The highest learning rate.

    Returns:
        The model and its loss on the validation text.
    """
    done = train_for_study(
        seed=seed,
        steps=steps,
        learning_rate=learning_rate,
        **({"scale_embeddings": True} | SCHEMES[scheme]),
    )
    model, validation = done.model, validation_nats(done)
    if SCHEMES[scheme]["position"] == "learned":
        table = model.embedding.positions.embedding.weight
        model.embedding.positions = LastRowReused(table)
    return model, validation


def parameters(model: nn.Module) -> int:
    """Return how many numbers were learned, a table that is kept as it is included."""
    positions = model.embedding.positions
    kept = positions.table.numel() if isinstance(positions, LastRowReused) else 0
    return count_parameters(model) + kept


def measured(variant: str, learning_rate: float, steps: int, seed: int) -> dict:
    """Train one model, and read text of several lengths with it.

    Returns:
        "validation"; "parameters"; "nats" on texts of 64 letters; "128", "256" and
        "512", those on the last 64 letters of longer texts; "windowed", the same of
        the longest where a query sees 64 keys; "curve", the nats of blocks of its
        positions; "probe", what `probe_errors` returns; with plain rotary embeddings
        what `slowed_nats` returns for each of `SCALINGS`.
    """
    model, validation = train(
        variant, seed=seed, steps=steps, learning_rate=learning_rate
    )
    row = {"validation": validation, "parameters": parameters(model)}
    if not isfinite(validation):
        return row
    by_position = nats_by_position(model, length=LENGTHS[-1])
    row |= {
        "nats": nats(model),
        **{str(n): nats(model, length=n, last=LENGTH) for n in LENGTHS[1:-1]},
        str(LENGTHS[-1]): by_position[-LENGTH:].mean().item(),
        "windowed": nats(Windowed(model), length=LENGTHS[-1], last=LENGTH),
        "curve": by_position.view(-1, BLOCK).mean(dim=1).tolist(),
        "probe": probe_errors(model),
    }
    if variant == "rotary":
        row |= {name: slowed_nats(model, name) for name in SCALINGS}
    return row


STUDY = Study(
    "laboratory",
    "positions",
    train=measured,
    variants=tuple(SCHEMES),
)


if __name__ == "__main__":
    STUDY.run()
