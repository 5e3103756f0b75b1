"""Schedules: the learning rate of each step. Steps are counted from 1."""

from functools import partial
from math import cos, pi

from transformer.checks.doors import door, each
from transformer.checks.values import check_positive, check_size


@door(each(step=check_size, d_model=check_size, warmup=check_size))
def noam_schedule(step: int, *, d_model: int, warmup: int) -> float:
    r"""Return the learning rate of 2017: up in a line, down with the inverse root.

    $$\mathrm{lrate} = d_{\mathrm{model}}^{-0.5} \cdot
    \min(s^{-0.5},\ s \cdot w^{-1.5})$$

    at step $s$, with $w$ steps of warm-up. The peak is at $s = w$. Its common name is
    that of Noam Shazeer, one of the authors.

    Source: Vaswani et al. (2017), section 5.3, equation (3), with $w = 4000$.

    Args:
        step: Number of the step, 1 for the first.
        d_model: Number of features of the model.
        warmup: Number of steps on the way up, at least 1.
    """
    return d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)


@door(lambda: check_cosine)
def cosine_schedule(
    step: int, *, peak: float, steps: int, warmup: int = 0, floor: float = 0.0
) -> float:
    r"""Return a learning rate that rises in a line and falls along half a cosine.

    $$\mathrm{lrate} = \begin{cases} \dfrac{s}{w}\,\eta_{\max} & s \le w \\
    \eta_{\min} + (\eta_{\max} - \eta_{\min})\,c & s > w \end{cases} \qquad
    c = \frac{1}{2} \left(1 + \cos \frac{s - w}{S - w}\pi\right)$$

    for step $s$ of $S$, with $w$ steps of warm-up. Later steps stay at the floor.

    Source: Loshchilov and Hutter (2017), equation (5), for the fall; the warm-up
    before it is that of Goyal et al. (2017), section 2.2.

    Args:
        step: Number of the step, 1 for the first.
        peak: The highest learning rate $\eta_{\max}$.
        steps: Number of all steps $S$.
        warmup: Number of steps on the way up, below `steps`.
        floor: The learning rate $\eta_{\min}$ of the last step.
    """
    if step <= warmup:
        return peak * step / warmup
    progress = min(1.0, (step - warmup) / (steps - warmup))
    return floor + (peak - floor) * (1 + cos(pi * progress)) / 2


@door(each(step=check_size, warmup=partial(check_size, minimum=0), peak=check_positive))
def constant_schedule(step: int, *, peak: float, warmup: int = 0) -> float:
    r"""Return a learning rate that rises in a line and then stays.

    $$\mathrm{lrate} = \eta_{\max} \cdot \min(1,\ s / w)$$

    Source: Goyal et al. (2017), section 2.2, for the warm-up.

    Args:
        step: Number of the step, 1 for the first.
        peak: The learning rate $\eta_{\max}$ after the warm-up.
        warmup: Number of steps on the way up, $w$.
    """
    return peak if step >= warmup else peak * step / warmup


# Checks


def check_cosine(
    step: object, peak: object, steps: object, warmup: object, floor: object
) -> None:
    """Check the arguments of `cosine_schedule`."""
    check_size("step", step)
    check_size("steps", steps)
    check_size("warmup", warmup, minimum=0)
    check_positive("peak", peak)
    if not 0 <= floor <= peak:
        raise ValueError(
            f"floor must lie from 0 to peak={peak:g}, got {floor:g}; lower it."
        )
    if warmup >= steps:
        raise ValueError(
            f"warmup must be below steps={steps}, got {warmup}; shorten the warm-up "
            "or train longer."
        )
