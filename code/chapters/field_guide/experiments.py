"""The field guide to position encodings: one model, eight schemes, four lengths.

All trainings take minutes, so the chapter reads their results from a file that
`python -m chapters.field_guide.experiments FILE` writes, and repeats two of them.
"""

from functools import partial
from itertools import product

import torch
from jaxtyping import Float, Integer
from torch import Tensor, nn

from chapters.laboratory.language import held_out_windows
from chapters.laboratory.language_model import (
    LENGTH,
    nats,
    nats_by_position,
    train_language_model,
)
from chapters.laboratory.measurements import Measurements, measure_all
from transformer.layers import alibi_bias, causal_mask

MEASUREMENTS = Measurements("field_guide")
LENGTHS = (128, 256, 512)  # beyond the training length
BLOCK = 16  # positions whose loss is averaged for a curve
STEPS = 400
SEEDS = (0, 1, 2)


def add_alibi(model: nn.Module) -> None:
    """Let the scores of a decoder fall with the distance, whatever else it uses."""
    decoder = model.decoder
    decoder.position_bias = partial(alibi_bias, decoder.config.num_heads)


# What each scheme asks of the model, by name.
SCHEMES = {
    "none": {"position": "none"},
    "sinusoidal": {"position": "sinusoidal"},
    "learned": {"position": "learned", "max_len": LENGTH},
    "rotary": {"position": "rotary"},
    "alibi": {"position": "alibi"},
    "relative": {
        "position": "relative",
        "relative_buckets": 16,
        "relative_max_distance": 64,
    },
    "relative_keys": {"position": "relative_keys", "relative_max_distance": 16},
    "rotary + alibi": {"position": "rotary", "change": add_alibi},
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


def trained(scheme: str, *, seed: int, steps: int = STEPS) -> nn.Module:
    """Train the language model on 64 letters, to be read at any length.

    Args:
        scheme: A name of `SCHEMES`.
        seed: Seed of the parameters and of the windows.
        steps: Number of training steps.
    """
    choices = SCHEMES[scheme] | {"steps": steps, "warm_up": steps // 8}
    model = train_language_model(seed=seed, **choices).model
    if scheme == "learned":
        table = model.embedding.positions.embedding.weight
        model.embedding.positions = LastRowReused(table)
    return model


class Windowed(nn.Module):
    """A language model of which each query sees the nearest keys alone.

    Args:
        model: What was trained.
        window: How many keys a query sees, itself included.
    """

    def __init__(self, model: nn.Module, *, window: int = LENGTH) -> None:
        super().__init__()
        self.model, self.window = model, window

    def forward(
        self, tokens: Integer[Tensor, "batch time"]
    ) -> Float[Tensor, "batch time vocab"]:
        """Return logits as the model does, but for the keys that are too far."""
        every = torch.ones(tokens.size(1), tokens.size(1), dtype=torch.bool)
        near = every.triu(1 - self.window).to(tokens.device)
        near = near & causal_mask(tokens.size(1)).to(tokens.device)
        x = self.model.embedding(tokens)
        return self.model.head(self.model.decoder(x, mask=near))


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


def measured(scheme: str, seed: int) -> dict:
    """Train one model, and read text of several lengths with it."""
    model = trained(scheme, seed=seed)
    longest = max(LENGTHS)
    by_position = nats_by_position(model, length=longest)
    between = {str(n): nats(model, length=n, last=LENGTH) for n in LENGTHS[:-1]}
    return {
        "parameters": parameters(model),
        str(LENGTH): nats(model),
        **between,
        str(longest): by_position[-LENGTH:].mean().item(),
        "windowed": nats(Windowed(model), length=longest, last=LENGTH),
        "curve": by_position.view(-1, BLOCK).mean(dim=1).tolist(),
        "probe": probe_errors(model),
    }


def parameters(model: nn.Module) -> int:
    """Return how many numbers were learned, a table that is kept as it is included."""
    learned = [*model.parameters()]
    if isinstance(model.embedding.positions, LastRowReused):
        learned.append(model.embedding.positions.table)
    return sum(numbers.numel() for numbers in learned)


def settings() -> list[dict]:
    """Return the settings of every training that the file holds."""
    return [{"scheme": name, "seed": seed} for name, seed in product(SCHEMES, SEEDS)]


def read_results() -> list[dict]:
    """Return the trainings that were measured."""
    return MEASUREMENTS.read()


if __name__ == "__main__":
    MEASUREMENTS.write(measure_all(measured, settings()), steps=STEPS)
