"""The changes of the chapter on ablations, where other chapters measured them too."""

from collections.abc import Sequence

from chapters.ablations.experiments import CHANGES, STEPS
from chapters.laboratory.measurements import Measurements, by_value
from chapters.laboratory.study import Results

# Where other chapters made the same change in the language model: chapter, what tells
# the rows apart, what must hold of them, the baseline, and the changes.
ELSEWHERE: tuple[tuple[str, str, dict, object, dict], ...] = (
    (
        "variants",
        "name",
        {},
        "ReLU",
        {name: name for name in CHANGES["gating"]},
    ),
    (
        "feed_forward",
        "variant",
        {},
        "4x",
        {"none": "none", "1x": "1 d", "2x": "2 d", "8x": "8 d"},
    ),
    (
        "multi_head_attention",
        "num_heads",
        {"kind": "language"},
        4,
        {heads: f"{heads} heads" for heads in (1, 2, 8, 16)},
    ),
    (
        "self_attention",
        "scaled",
        {"num_heads": 4},
        True,
        {False: "no scale"},
    ),
)
# The same of studies: each, the baseline, and the changes.
STUDIES: tuple[tuple[Results, str, dict], ...] = (
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
        {
            "gelu": "GELU",
            "silu": "SiLU",
            "squared_relu": "squared ReLU",
            "identity": "identity",
        },
    ),
    (
        Results("rms_norm"),
        "LayerNorm",
        {"RMSNorm": "RMSNorm", "none": "no norm"},
    ),
)


def in_the_language_model() -> dict[str, tuple[float, float, float]]:
    """Return how many nats per letter each change gains.

    Returns:
        For each change the gain of the mean, the smallest gain between any two of the
        results, and the largest; ranges that do not touch have both of one sign.
    """
    gains = {}
    for chapter, key, wanted, baseline, changes in ELSEWHERE:
        found = by_value(Measurements(chapter).read(), key, "nats", **wanted)
        gains |= {changes[name]: gain(found[baseline], found[name]) for name in changes}
    for study, baseline, changes in STUDIES:
        before = study.results(baseline, STEPS, "nats")
        for name, change in changes.items():
            gains[change] = gain(before, study.results(name, STEPS, "nats"))
    return gains


def gain(before: Sequence[float], after: Sequence[float]) -> tuple[float, float, float]:
    """Return the gain of the mean, the smallest and the largest gain of any two."""
    mean = sum(before) / len(before) - sum(after) / len(after)
    return mean, min(before) - max(after), max(before) - min(after)
