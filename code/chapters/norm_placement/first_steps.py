"""How alike the tokens become in the first steps of a training.

`python -m chapters.norm_placement.first_steps` takes some five minutes and writes the
file beside this module.
"""

from collections.abc import Sequence
from functools import partial
from itertools import product

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor
from torch.nn.utils import parameters_to_vector, vector_to_parameters

from chapters.laboratory.measurements import Measurements, measure_all
from chapters.norm_placement.fresh_models import first_batch
from chapters.norm_placement.orders import SMALL_START, name_of, trainer_of
from transformer.data import PAD_ID, Batch
from transformer.models import Transformer
from transformer.training import run

MEASUREMENTS = Measurements("norm_placement", "first_steps")
STEPS = (0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 75)  # after which we look
DEEP = {place: name_of(place, 12, warm_up=False) for place in ("pre", "post")}
SEEDS = (0, 1, 2)
# Deep models from three seeds, and all depths of post-norm at every rate from one.
WATCHED = (
    (DEEP["pre"], 3e-3),
    (DEEP["post"], 3e-3),
    (DEEP["post"], 1e-4),
    (SMALL_START, 3e-3),
    (SMALL_START, 1e-3),
)
RATES = (3e-4, 1e-3, 3e-3, 1e-2)


def likeness(
    x: Float[Tensor, "batch time d_model"], real: Bool[Tensor, "batch time"]
) -> float:
    """Return the mean cosine between two of all real tokens of a batch."""
    unit = F.normalize(x[real].double(), dim=-1)
    count = len(unit)
    return ((unit.sum(dim=0).square().sum() - count) / (count * (count - 1))).item()


@torch.no_grad()
def likeness_in(model: Transformer, batch: Batch) -> dict[str, float]:
    """Return how alike the tokens are behind the "encoder" and the "decoder"."""
    found, hooks = {}, []
    for name, real in (("encoder", batch.source), ("decoder", batch.labels)):

        def look(part, inputs, x, name=name, real=real != PAD_ID):
            found[name] = likeness(x, real)

        hooks.append(getattr(model, name).register_forward_hook(look))
    was_training = model.training
    model.eval()(*batch.inputs)
    model.train(was_training)
    for hook in hooks:
        hook.remove()
    return found


def measured(
    *, variant: str, learning_rate: float, seed: int, steps: int = STEPS[-1]
) -> dict:
    """Train a model for some steps, and say how alike its tokens are on the way.

    Args:
        variant: As in the study of the orders.
        learning_rate: As there.
        seed: As there.
        steps: Number of training steps; a quarter of them is warm-up, if any.

    Returns:
        For each of `STEPS` how alike the tokens are behind the "encoder" and the
        "decoder", and the "losses" of all steps.
    """
    trainer, batches = trainer_of(
        variant, learning_rate=learning_rate, steps=steps, seed=seed
    )
    look = partial(likeness_in, trainer.model, first_batch())
    found = []
    for step in (step for step in STEPS if step <= steps):
        if step:
            run(trainer, batches, steps=step)
        found.append(look())
    return {
        "encoder": [one["encoder"] for one in found],
        "decoder": [one["decoder"] for one in found],
        "losses": trainer.log.losses,
    }


@torch.no_grad()
def moved_by_a_step(
    variant: str, learning_rates: Sequence[float], seed: int
) -> Float[Tensor, " rates"]:
    """Return how far the first step of Adam moves the scores, next to their size.

    It has the same direction at every rate, so it is computed at the largest one.

    Args:
        variant: As in `measured`.
        learning_rates: As there, without a warm-up.
        seed: As there.
    """
    largest = max(learning_rates)
    trainer, batches = trainer_of(variant, learning_rate=largest, steps=1, seed=seed)
    batch, model = first_batch(), trainer.model
    real = batch.labels != PAD_ID
    before = model.eval()(*batch.inputs)[real]
    start = parameters_to_vector(model.parameters())
    with torch.enable_grad():
        run(trainer, batches, steps=1)
    step = parameters_to_vector(model.parameters()) - start
    found = []
    for rate in learning_rates:
        vector_to_parameters(start + rate / largest * step, model.parameters())
        after = model.eval()(*batch.inputs)[real]
        found.append((after - before).norm() / before.norm())
    return torch.stack(found)


def settings() -> list[dict]:
    """Return the settings of every training that the file holds."""
    wanted = [(*watched, seed) for watched, seed in product(WATCHED, SEEDS)]
    every = product((2, 6, 12), (False, True), RATES)
    wanted += [
        (name_of("post", layers, warm_up=warm_up), rate, SEEDS[0])
        for layers, warm_up, rate in every
    ]
    keys = ("variant", "learning_rate", "seed")
    return [dict(zip(keys, one, strict=True)) for one in dict.fromkeys(wanted)]


if __name__ == "__main__":
    MEASUREMENTS.write(measure_all(measured, settings()), steps=STEPS)
