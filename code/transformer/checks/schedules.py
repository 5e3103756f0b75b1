"""Checks at the doors of learning-rate schedules."""

from transformer.checks.values import check_positive, check_size


def check_cosine(
    step: object, peak: object, steps: object, warmup: object, floor: object
) -> None:
    """Check the arguments of `cosine_schedule`."""
    check_size("step", step)
    check_size("steps", steps)
    check_size("warmup", warmup, minimum=0)
    check_positive("peak", peak)
    if isinstance(floor, bool) or not isinstance(floor, int | float):
        raise TypeError(f"floor must be a number, got {floor!r}; pass a float.")
    if not 0 <= floor <= peak:
        raise ValueError(
            f"floor must lie from 0 to peak={peak:g}, got {floor:g}; lower it."
        )
    if warmup >= steps:
        raise ValueError(
            f"warmup must be below steps={steps}, got {warmup}; shorten the warm-up "
            "or train longer."
        )
