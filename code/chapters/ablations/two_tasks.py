"""The changes of the chapter on ablations, where other chapters measured them too."""

from chapters.ablations.changes import CHANGES, STUDY
from chapters.laboratory.study import Gain, Results

STEPS = STUDY.budgets[0]
# Where other chapters made the same change in the language model: the study, its
# baseline, and the changes by their names there.
STUDIES: tuple[tuple[Results, str, dict[str, str]], ...] = (
    (
        Results("laboratory", "positions"),
        "sinusoidal",
        {
            "none": "no positions",
            "learned": "learned",
            "rotary": "rotary",
            "alibi": "ALiBi",
            "relative": "T5 buckets",
            "relative_keys": "relative keys",
        },
    ),
    (
        Results("activations", "language"),
        "relu",
        {"gelu": "GELU", "identity": "identity"},
    ),
    (
        Results("variants", "language"),
        "ReLU",
        {"ReLU squared": "squared ReLU", **{name: name for name in CHANGES["gating"]}},
    ),
    (
        Results("rms_norm"),
        "LayerNorm",
        # The baseline starts from small embeddings, and "none" there from large ones.
        {"RMSNorm": "RMSNorm", "none, embeddings small": "no norm"},
    ),
    (
        Results("feed_forward", "widths"),
        "4x",
        {"none": "none", "2x": "2 d", "8x": "8 d"},
    ),
    (
        Results("multi_head_attention", "number_of_heads"),
        "4 heads",
        {"1 head": "1 heads", "8 heads": "8 heads"},
    ),
    (
        Results("self_attention", "scale_factor"),
        "16, factor",
        {"16, no factor": "no scale"},
    ),
)


def in_the_language_model() -> dict[str, Gain]:
    """Return how many nats per letter each change gains after the short training."""
    gains = {}
    for study, baseline, changes in STUDIES:
        for name, change in changes.items():
            gains[change] = study.compare(name, baseline, "nats").gains[STEPS]
    return gains
