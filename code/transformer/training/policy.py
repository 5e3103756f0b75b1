"""Policy gradient: learn from rewards for what was written, with nothing to imitate."""

from math import comb

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from transformer.checks.doors import door
from transformer.checks.tensors import check_boolean, check_float_tensor
from transformer.checks.values import check_positive, check_size
from transformer.training.preferences import check_alike, check_settled


@door(lambda: check_rewarded)
def policy_gradient_loss(
    log_probabilities: Float[Tensor, " batch"],
    rewards: Float[Tensor, " batch"],
    *,
    baseline: float | Float[Tensor, " batch"] = 0.0,
) -> Float[Tensor, ""]:
    r"""Return what has the gradient of the expected reward, turned round.

    $$\nabla\, \mathbb{E}[R] = \mathbb{E}\big[(R - b)\, \nabla \log \pi(y)\big]$$

    for answers $y$ that the policy itself has drawn. The baseline $b$ changes how much
    this varies and not what it is on average, as long as it does not look at $y$.

    Source: Williams (1992), section 4.

    Args:
        log_probabilities: $\log \pi(y)$ of each answer that was drawn.
        rewards: What each has earned.
        baseline: One number, or one for each answer, such as the mean reward of the
            others to its prompt.

    Raises:
        ValueError: If shapes differ, or a reward or a baseline learns.
    """
    return -((rewards - baseline) * log_probabilities).mean()


@door(lambda: check_groups)
def group_advantages(
    rewards: Float[Tensor, "prompts group"], *, divide: bool = True
) -> Float[Tensor, "prompts group"]:
    r"""Return by how much each answer is better than those to the same prompt.

    $$\hat A_i = \frac{r_i - \mathrm{mean}(r)}{\mathrm{std}(r)}$$

    and zeros where all rewards of a group are equal. The deviation is that of the
    group itself, so that the mean square is 1. The mean counts the answer too: without
    the division, a gradient is on average $(G - 1) / G$ of the true one, in a group of
    $G$.

    Source: Shao et al. (2024), section 4.1.2; without the division: Liu et al. (2025),
    section 3, who show that it favors prompts that are nearly always or nearly never
    answered well.

    Args:
        rewards: Those of some answers to each prompt.
        divide: Whether to divide by the deviation.

    Raises:
        ValueError: If they are not in groups of two at least, or not finite.
    """
    centered = rewards - rewards.mean(dim=1, keepdim=True)
    # Rounding leaves a deviation where all are equal, and dividing by it makes it one.
    equal = (rewards == rewards[:, :1]).all(dim=1, keepdim=True)
    if divide:
        centered = centered / centered.square().mean(dim=1, keepdim=True).sqrt()
    return centered.masked_fill(equal, 0.0)


@door(lambda: check_ratio)
def clipped_gain(
    log_probabilities: Float[Tensor, "..."],
    old: Float[Tensor, "..."],
    advantages: Float[Tensor, "..."],
    *,
    clip: float = 0.2,
) -> Float[Tensor, "..."]:
    r"""Return what is gained with each token, and no more for going far.

    $$\min\big(\rho \hat A,\; \mathrm{clip}(\rho, 1 - \epsilon, 1 + \epsilon)\,
    \hat A\big), \qquad \rho = \frac{\pi(y)}{\pi_{\mathrm{old}}(y)}$$

    Source: Schulman et al. (2017), section 3, equation (7); $\epsilon = 0.2$: Table 1.

    Args:
        log_probabilities: $\log \pi$ of each token.
        old: The same by the policy that has drawn it, which does not learn.
        advantages: By how much its answer was better than expected.
        clip: The distance $\epsilon$.

    Raises:
        ValueError: If shapes differ, `clip` is not above 0, or what is past learns.
    """
    ratio = (log_probabilities - old).exp()
    near = ratio.clamp(1 - clip, 1 + clip)
    return torch.minimum(ratio * advantages, near * advantages)


@door(lambda: check_drift)
def kl_estimate(
    log_probabilities: Float[Tensor, "..."], reference: Float[Tensor, "..."]
) -> Float[Tensor, "..."]:
    r"""Return an estimate of the divergence from a reference, of each token drawn.

    $$k_3 = \rho - 1 - \log \rho \ge 0, \qquad
    \rho = \frac{\pi_{\mathrm{ref}}(y)}{\pi(y)}, \qquad
    \mathbb{E}_\pi[k_3] = D_{\mathrm{KL}}(\pi \,\Vert\, \pi_{\mathrm{ref}})$$

    The number is unbiased. Its gradient, with the tokens as they were drawn, is on
    average that of the divergence the other way round,
    $D_{\mathrm{KL}}(\pi_{\mathrm{ref}} \,\Vert\, \pi)$; a test shows both.

    Source: Schulman (2020); Shao et al. (2024), section 4.1.1, equation (4).

    Args:
        log_probabilities: $\log \pi$ of each token, drawn from $\pi$.
        reference: The same by the reference, which does not learn.

    Raises:
        ValueError: If shapes differ, or the reference learns.
    """
    log_ratio = reference - log_probabilities
    return log_ratio.expm1() - log_ratio


@door(lambda: check_grpo)
def grpo_loss(
    log_probabilities: Float[Tensor, "batch time"],
    *,
    old: Float[Tensor, "batch time"],
    reference: Float[Tensor, "batch time"],
    advantages: Float[Tensor, " batch"],
    counted: Bool[Tensor, "batch time"],
    clip: float = 0.2,
    beta: float = 0.04,
) -> Float[Tensor, ""]:
    r"""Return the loss of groups of answers: a mean over the tokens of each, then all.

    $$\mathcal{L} = -\frac{1}{G} \sum_{i=1}^{G} \frac{1}{|y_i|} \sum_{t=1}^{|y_i|}
    \Big(\min\big(\rho \hat A_i,\; \mathrm{clip}(\rho, 1 - \epsilon, 1 + \epsilon)\,
    \hat A_i\big) - \beta\, k_3\Big)$$

    Source: Shao et al. (2024), section 4.1.1, equation (3); $\beta = 0.04$: section
    4.2. Liu et al. (2025), section 3, show that $1 / |y_i|$ lets long wrong answers
    off lightly.

    Args:
        log_probabilities: As `token_log_probabilities` returns them.
        old: The same by the policy that has drawn the answers.
        reference: The same by the reference.
        advantages: One for each answer, as `group_advantages(...).flatten()`.
        counted: True for the tokens of the answers.
        clip: The distance $\epsilon$ of `clipped_gain`.
        beta: The price $\beta$ of `kl_estimate`.

    Raises:
        ValueError: If shapes differ, a number is not above 0, a row has no token that
            counts, or what is past learns.
    """
    spread = advantages[:, None].expand_as(log_probabilities)
    gains = clipped_gain(log_probabilities, old, spread, clip=clip)
    gains = gains - beta * kl_estimate(log_probabilities, reference)
    of_answers = gains.masked_fill(~counted, 0.0).sum(dim=1) / counted.sum(dim=1)
    return -of_answers.mean()


def pass_at_k(samples: int, right: int, k: int) -> float:
    r"""Return the chance that one of $k$ answers is right, from $n$ that were drawn.

    $$1 - \binom{n - c}{k} \Big/ \binom{n}{k}$$

    for $c$ right ones: without bias, which $1 - (1 - c/n)^k$ is not.

    Source: Chen et al. (2021), section 2.1, equation (1).

    Args:
        samples: The number $n$ of answers to one prompt.
        right: How many of them are right, $c$.
        k: How many one may give, at most $n$.
    """
    check_size("samples", samples)
    check_size("right", right, minimum=0, maximum=samples)
    check_size("k", k, maximum=samples)
    return 1 - comb(samples - right, k) / comb(samples, k)


# Checks


def check_rewarded(
    log_probabilities: object, rewards: object, baseline: object
) -> None:
    """Check that each answer has one reward, and one baseline at most."""
    several = {"baseline": baseline} if isinstance(baseline, Tensor) else {}
    check_alike(log_probabilities=log_probabilities, rewards=rewards, **several)
    check_settled(rewards=rewards, **several)


def check_groups(rewards: object) -> None:
    """Check that there are several finite rewards for each prompt."""
    check_float_tensor("rewards", rewards)
    if rewards.dim() != 2 or rewards.size(1) < 2:
        raise ValueError(
            "rewards must have shape (prompts, group) with two answers or more in a "
            f"group, got {tuple(rewards.shape)}; one alone is never better than others."
        )
    if not bool(rewards.isfinite().all()):
        raise ValueError(
            "rewards must be finite, got some that are not; leave such answers out."
        )


def check_ratio(
    log_probabilities: object, old: object, advantages: object, clip: object
) -> None:
    """Check that each token has an old probability and an advantage."""
    check_positive("clip", clip)
    check_alike(log_probabilities=log_probabilities, old=old, advantages=advantages)
    check_settled(old=old, advantages=advantages)


def check_drift(log_probabilities: object, reference: object) -> None:
    """Check that each token has a probability by the reference."""
    check_alike(log_probabilities=log_probabilities, reference=reference)
    check_settled(reference=reference)


def check_grpo(
    log_probabilities: object,
    old: object,
    reference: object,
    advantages: object,
    counted: object,
    clip: object,
    beta: object,
) -> None:
    """Check that tokens, answers and their groups fit together."""
    check_positive("clip", clip)
    check_positive("beta", beta)
    check_alike(log_probabilities=log_probabilities, old=old, reference=reference)
    check_float_tensor("advantages", advantages)
    check_boolean("counted", counted, means="a token of an answer")
    check_settled(old=old, reference=reference, advantages=advantages)
    shape = tuple(log_probabilities.shape)
    if (counted.shape, advantages.shape) != (shape, shape[:1]):
        raise ValueError(
            f"counted must have the shape {shape} of the tokens, and advantages one "
            f"number for each answer, got {tuple(counted.shape)} and "
            f"{tuple(advantages.shape)}; flatten the groups."
        )
    if not bool(counted.any(dim=1).all()):
        raise ValueError(
            "counted must be True for a token of each answer, got a row without one; "
            "leave such answers out."
        )
