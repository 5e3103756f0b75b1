"""What other norms are worth in the language model, and what a batch norm leaks.

The trainings take minutes, so the chapter reads their results from a file that
`python -m chapters.layer_norm.experiments` writes.
"""

from collections.abc import Iterator, Mapping

import torch
import torch.nn.functional as F
from jaxtyping import Integer
from torch import Tensor, nn

from chapters.laboratory.changed_models import CHANGES
from chapters.laboratory.language import held_out_windows
from chapters.laboratory.language_model import (
    BATCH,
    LENGTH,
    TEST_WINDOWS,
    train_and_measure,
)
from chapters.laboratory.study import Study

CUTS = range(8, LENGTH, 8)  # where the future begins
# What each variant puts in the place of the layer norms, and its windows in a batch.
VARIANTS: Mapping[str, tuple[str, int]] = {
    "layer norms": ("all", BATCH),
    "batch norms": ("batch norms", BATCH),
    "annotated norms": ("annotated norms", BATCH),
    "layer norms, small batches": ("all", 2),
    "batch norms, small batches": ("batch norms", 2),
}


@torch.no_grad()
def leak(model: nn.Module, *, batch: int) -> dict[str, float]:
    """Return what a model with batch norms takes from the future, in nats per letter.

    It predicts the letter at each of `CUTS`, in batches as large as in training. In
    training mode the statistics are those of the batch: once of the true texts, once
    with other texts from the cut on. Only the former hold the letter to predict.

    Args:
        model: The trained model, in evaluation mode; it is left so.
        batch: Windows in a batch.

    Returns:
        "evaluated", the loss with the remembered statistics; "strange_future", that
        in training mode with other texts from the cut on; "leak", how much lower it
        is with the true ones.
    """
    evaluated = loss_at_cuts(model, batch=batch)
    remembered = {name: x.clone() for name, x in model.state_dict().items()}
    model.train()
    strange = loss_at_cuts(model, batch=batch, strange=True)
    true = loss_at_cuts(model, batch=batch)
    model.load_state_dict(remembered)
    model.eval()
    return {
        "evaluated": evaluated,
        "strange_future": strange,
        "leak": strange - true,
    }


def loss_at_cuts(model: nn.Module, *, batch: int, strange: bool = False) -> float:
    """Return the mean loss on the first letter of the future, over all `CUTS`.

    Args:
        model: The language model, in either mode.
        batch: Windows in a batch.
        strange: Whether other texts stand in the place of the future.
    """
    losses = []
    for tokens, labels, cut in cut_windows(batch, strange=strange):
        device = torch.get_default_device()
        logits = model(tokens.to(device))[:, cut - 1].double()
        losses.append(F.cross_entropy(logits, labels.to(device)).item())
    return sum(losses) / len(losses)


def cut_windows(
    batch: int, *, strange: bool
) -> Iterator[tuple[Integer[Tensor, "batch time"], Integer[Tensor, " batch"], int]]:
    """Yield windows of the test text, the letter at a cut in each, and the cut.

    Args:
        batch: Windows at a time.
        strange: Whether the windows go on from the cut as those of another batch do.
    """
    every = held_out_windows(TEST_WINDOWS, LENGTH)
    others = every.roll(batch, dims=0)
    for cut in CUTS:
        after = (others if strange else every)[:, cut:]
        joined = torch.cat((every[:, :cut], after), dim=1)
        for tokens, own in zip(joined.split(batch), every.split(batch), strict=True):
            yield tokens, own[:, cut], cut


def measured(variant: str, **setting: float) -> dict:
    """Train one model with one kind of norm.

    Args:
        variant: A name of `VARIANTS`.
        **setting: The learning rate, the steps and the seed.

    Returns:
        What `train_and_measure` returns, and with batch norms what `leak` does.
    """
    change, batch = VARIANTS[variant]

    def look(model: nn.Module) -> dict:
        return leak(model, batch=batch) if change == "batch norms" else {}

    return train_and_measure(look, change=CHANGES[change], batch=batch, **setting)


STUDY = Study(
    "layer_norm",
    train=measured,
    variants=tuple(VARIANTS),
    rates=(3e-3, 1e-2, 3e-2),
)


if __name__ == "__main__":
    STUDY.run()
