"""What the hidden units of a language model's feed-forward networks do.

What a unit reads is told by the contexts that excite it most, and what it writes by
the letters whose scores its value vector raises. `python -m
chapters.feed_forward.hidden_units` trains the model with networks of the usual width
once more, at the rate that the study of widths has chosen, and writes what its units
do.
"""

import torch
from jaxtyping import Float, Integer
from torch import Tensor

from chapters.feed_forward import widths
from chapters.laboratory.language import ALPHABET, VOCAB_SIZE, held_out_windows, spelled
from chapters.laboratory.language_model import (
    LENGTH,
    language_model,
    nats,
    train_for_study,
)
from chapters.laboratory.measurements import Measurements, measure_all
from transformer.models import DecoderOnlyTransformer

MEASUREMENTS = Measurements("feed_forward", "hidden_units")
USUAL = "4x"  # the variant whose units are looked at
STEPS = widths.STUDY.budgets[-1]
START = LENGTH // 4  # a context is longer than this
TOP = 50  # contexts that excite a unit most
SHOWN = 12  # letters of a context that are kept


@torch.no_grad()
def hidden_units(
    model: DecoderOnlyTransformer, tokens: Integer[Tensor, "batch time"]
) -> list[Float[Tensor, "batch time d_ff"]]:
    """Return the activated hidden features of each layer while a model reads."""
    kept: list[Tensor] = []
    hooks = [
        layer.feed_forward.down_projection.register_forward_pre_hook(
            lambda module, inputs: kept.append(inputs[0].double().cpu())
        )
        for layer in model.decoder.layers
    ]
    model(tokens.to(torch.get_default_device()))
    for hook in hooks:
        hook.remove()
    return kept


@torch.no_grad()
def promoted(model: DecoderOnlyTransformer, layer: int) -> Float[Tensor, "d_ff vocab"]:
    """Return the scores that each value vector of a layer alone adds to the letters.

    Up to a positive factor, when it goes straight to the final norm and the output.
    """
    feed_forward = model.decoder.layers[layer].feed_forward
    values = feed_forward.down_projection.weight.T.double()  # (d_ff, d_model)
    centered = values - values.mean(dim=-1, keepdim=True)
    gained = centered * model.decoder.norm.weight.double()
    return (gained @ model.head.projection.weight.T.double()).cpu()


def readings() -> Integer[Tensor, "batch letters"]:
    """Return held-out windows, each with the letter that follows."""
    return held_out_windows(256, LENGTH + 1)


def describe_layer(
    hidden: Float[Tensor, "batch time d_ff"],
    scores: Float[Tensor, "d_ff vocab"],
    drawn: Integer[Tensor, "batch letters"],
) -> dict:
    """Describe for each unit of a layer what excites it and what it then promotes.

    Args:
        hidden: What `hidden_units` returned of the layer.
        scores: What `promoted` returned.
        drawn: What the model read, and the letter after that.

    Returns:
        active: Share of units above zero at a position.
        dead: Share of units that never are.
        letter, two letters: Of the `TOP` contexts of a unit, the share of the most
            common ending; the mean over the units that are not dead.
        promoted: Of these contexts, the share that goes on with the letter that the
            unit's value raises most.
        by_chance: That share for contexts drawn at random.
    """
    units = hidden[:, START:].flatten(end_dim=1)  # (positions, d_ff)
    alive = units.amax(dim=0) > 0
    top = units[:, alive].topk(TOP, dim=0).indices  # (TOP, alive)
    last = drawn[:, START:-1].flatten()
    two = VOCAB_SIZE * drawn[:, START - 1 : -2].flatten() + last
    following = drawn[:, START + 1 :].flatten()
    raised = scores[alive].argmax(dim=-1)
    by_chance = (following[:, None] == raised).double().mean()
    return {
        "active": (units > 0).double().mean().item(),
        "dead": 1 - alive.double().mean().item(),
        "letter": common_share(last[top]),
        "two letters": common_share(two[top]),
        "promoted": (following[top] == raised).double().mean().item(),
        "by_chance": by_chance.item(),
    }


def common_share(endings: Integer[Tensor, "top units"]) -> float:
    """Return the share of each unit's most common ending, in the mean of all units."""
    common = endings.mode(dim=0).values
    return (endings == common).double().mean().item()


def endings_by_chance(units: int = 2048) -> tuple[float, float]:
    """Return how far contexts drawn at random end alike: in a letter, in two letters.

    Args:
        units: For how many units `TOP` contexts are drawn.
    """
    drawn = readings()
    last = drawn[:, START:-1].flatten()
    two = VOCAB_SIZE * drawn[:, START - 1 : -2].flatten() + last
    generator = torch.Generator().manual_seed(0)
    shape = TOP, units
    chosen = torch.randint(len(last), shape, generator=generator, device=last.device)
    return common_share(last[chosen]), common_share(two[chosen])


def portraits(
    hidden: Float[Tensor, "batch time d_ff"],
    scores: Float[Tensor, "d_ff vocab"],
    drawn: Integer[Tensor, "batch letters"],
) -> list[dict]:
    """Return, for each letter that some unit promotes, the unit that does it best."""
    units = hidden[:, START:].flatten(end_dim=1)
    top = units.topk(TOP, dim=0).indices
    following, raised = drawn[:, START + 1 :].flatten(), scores.argmax(dim=-1)
    hits = (following[top] == raised).double().mean(dim=0)
    best: dict[int, int] = {}
    for unit in hits.argsort(descending=True, stable=True).tolist():
        if raised[unit] > 0:  # padding is no letter
            best.setdefault(raised[unit].item(), unit)
    found = []
    for letter, unit in best.items():
        places = [divmod(i, LENGTH - START) for i in top[:6, unit].tolist()]
        ends = [(row, START + column + 1) for row, column in places]
        found.append(
            {
                "unit": unit,
                "promotes": ALPHABET[letter - 1],
                "hits": hits[unit].item(),
                "contexts": [spelled(drawn[r, e - SHOWN : e]) for r, e in ends],
                "next": [spelled(drawn[r, e : e + 1]) for r, e in ends],
            }
        )
    return found


def described(model: DecoderOnlyTransformer) -> list[dict]:
    """Return what `describe_layer` says of each layer."""
    drawn = readings()
    hidden = hidden_units(model, drawn[:, :-1])
    return [
        describe_layer(units, promoted(model, layer), drawn)
        for layer, units in enumerate(hidden)
    ]


def depict_units(model: DecoderOnlyTransformer) -> dict:
    """Return portraits of the units that do best what they promise, by layer."""
    drawn = readings()
    hidden = hidden_units(model, drawn[:, :-1])
    return {
        "portraits": [
            portraits(units, promoted(model, layer), drawn)
            for layer, units in enumerate(hidden)
        ],
    }


def measured(seed: int, steps: int = STEPS) -> dict:
    """Train the model with networks of the usual width, and look into its units.

    Args:
        seed: Of the parameters and of the windows; units are depicted for the first.
        steps: Training steps, the first eighth of them warm-up.

    Returns:
        "nats"; what `described` says of the trained model, "layers", and of a fresh
        one, "fresh_layers"; what `depict_units` returns.
    """
    model = train_for_study(
        seed=seed,
        steps=steps,
        learning_rate=widths.STUDY.best_rate(USUAL, STEPS),
        **widths.VARIANTS[USUAL],
    ).model
    row = {
        "nats": nats(model),
        "layers": described(model),
        "fresh_layers": described(
            language_model(seed=seed, **widths.VARIANTS[USUAL]).eval()
        ),
    }
    return row | (depict_units(model) if seed == widths.STUDY.seeds[0] else {})


if __name__ == "__main__":
    settings = [{"seed": seed} for seed in widths.STUDY.seeds]
    MEASUREMENTS.write(measure_all(measured, settings), steps=STEPS)
