"""Letters written backward by models that lack a mask."""

import torch
import torch.nn.functional as F

from chapters.laboratory.reversal import EXTRA, Reverser, exact_match, shifted, train
from chapters.laboratory.study import Study
from transformer.data import IGNORED, Batch

# By name what the model lacks.
VARIANTS = {
    "both masks": "none",
    "no causal mask": "causal",
    "no padding mask": "padding",
}


def halves(rows: Batch) -> tuple[Batch, Batch]:
    """Return every other row, to choose the rate by, and those between, to test."""
    return tuple(Batch(rows.source[i::2], rows.target[i::2]) for i in (0, 1))


@torch.no_grad()
def held_out_loss(model: Reverser, rows: Batch) -> float:
    """Return the loss on held-out rows, fed as in training, in nats per token."""
    inputs, labels = shifted(rows)
    logits = model(*inputs).double().flatten(end_dim=-2)
    return F.cross_entropy(logits, labels.flatten(), ignore_index=IGNORED).item()


def measured(variant: str, learning_rate: float, steps: int, seed: int) -> dict:
    """Train a model as `reversal.train` does, and let it write.

    Returns:
        "validation", the loss that chooses the rate; on other rows "loss", and for
        each number of `EXTRA` columns of padding the share that is written right,
        "0", "2" and so on. The losses are in nats per token.
    """
    options = {"learning_rate": learning_rate, "steps": steps, "seed": seed}
    model, _, held_out = train(missing=VARIANTS[variant], **options)
    chooses, tests = halves(held_out)
    return {
        "validation": held_out_loss(model, chooses),
        "loss": held_out_loss(model, tests),
        **{str(extra): exact_match(model, tests, extra) for extra in EXTRA},
    }


STUDY = Study(
    "multi_head_attention",
    "missing_masks",
    train=measured,
    variants=tuple(VARIANTS),
    budgets=(250, 1000),
)


if __name__ == "__main__":
    STUDY.run()
