"""Preferences: two answers, one of them better, and what a model learns from that."""

from typing import NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Float, Integer
from torch import Tensor

from transformer.checks.doors import door
from transformer.checks.tensors import can_read, check_float_tensor
from transformer.checks.values import check_positive
from transformer.data.batches import IGNORED


class Preference(NamedTuple):
    """A number for the better answer of each pair, and one for the other."""

    chosen: Float[Tensor, " batch"]
    rejected: Float[Tensor, " batch"]


class DPO(NamedTuple):
    """The loss, and the rewards of which it is made."""

    loss: Float[Tensor, ""]
    rewards: Preference

    @property
    def margin(self) -> Float[Tensor, " batch"]:
        """How much more the better answer of each pair is rewarded."""
        return self.rewards.chosen - self.rewards.rejected


def token_log_probabilities(
    logits: Float[Tensor, "batch time vocab"], labels: Integer[Tensor, "batch time"]
) -> Float[Tensor, "batch time"]:
    r"""Return $\log \pi(y_t \mid x, y_{<t})$ of each label, and 0 where none counts.

    Source: Rafailov et al. (2023), section 3, for a model as a policy of answers.

    Args:
        logits: The scores of the next token; half precision becomes float32.
        labels: The tokens that came; `IGNORED` for a prompt and for padding, as
            `Batch.labels` has it.
    """
    logits = logits.to(torch.promote_types(logits.dtype, torch.float32))
    labels = labels.long()
    losses = F.cross_entropy(
        logits.flatten(0, 1), labels.flatten(), ignore_index=IGNORED, reduction="none"
    )
    return -losses.view(labels.shape)


@door(lambda: check_answers)
def sequence_log_probabilities(
    logits: Float[Tensor, "batch time vocab"], labels: Integer[Tensor, "batch time"]
) -> Float[Tensor, " batch"]:
    r"""Return the log-probability of each answer: a sum over its tokens, not a mean.

    $$\log \pi(y \mid x) = \sum_t \log \pi(y_t \mid x, y_{<t})$$

    Source and arguments: those of `token_log_probabilities`.

    Raises:
        ValueError: If a row has no label that counts.
    """
    return token_log_probabilities(logits, labels).sum(dim=-1)


@door(lambda: check_rewards)
def bradley_terry(
    chosen: Float[Tensor, " batch"], rejected: Float[Tensor, " batch"]
) -> Float[Tensor, " batch"]:
    r"""Return the log-likelihood of a preference, from the rewards of both answers.

    $$\log p(y_w \succ y_l) = \log \frac{e^{r_w}}{e^{r_w} + e^{r_l}}
    = \log \sigma(r_w - r_l)$$

    Source: Bradley and Terry (1952), as written in Rafailov et al. (2023), section 3,
    equations (1) and (2).
    """
    return F.logsigmoid(chosen - rejected)


@door(lambda: check_policies)
def implicit_reward(
    policy: Float[Tensor, " batch"],
    reference: Float[Tensor, " batch"],
    *,
    beta: float = 0.1,
) -> Float[Tensor, " batch"]:
    r"""Return the reward for which a policy is the best one under a price of KL.

    $$\hat r(x, y) = \beta \log \frac{\pi(y \mid x)}{\pi_{\mathrm{ref}}(y \mid x)}$$

    up to a term of the prompt alone, which no comparison of its answers sees.

    Source: Rafailov et al. (2023), section 4, equation (5) and below equation (7).

    Args:
        policy: The log-probability of each answer.
        reference: The same by the reference, which does not learn.
        beta: The price $\beta$.

    Raises:
        ValueError: If shapes differ, `beta` is not above 0, or the reference learns.
    """
    return beta * (policy - reference)


@door(lambda: check_dpo)
def dpo_loss(policy: Preference, reference: Preference, *, beta: float = 0.1) -> DPO:
    r"""Return the loss by which a policy learns preferences without a model of rewards.

    $$\mathcal{L} = -\,\mathbb{E}\, \log \sigma\left(
    \beta \log \frac{\pi(y_w \mid x)}{\pi_{\mathrm{ref}}(y_w \mid x)} -
    \beta \log \frac{\pi(y_l \mid x)}{\pi_{\mathrm{ref}}(y_l \mid x)}\right)$$

    It is $\log 2$ where the policy is the reference.

    Source: Rafailov et al. (2023), section 4, equation (7); $\beta = 0.1$: appendix B.

    Args:
        policy: The log-probabilities of the answers, as `sequence_log_probabilities`
            returns them.
        reference: The same by the reference, which does not learn.
        beta: The price $\beta$ of leaving the reference.

    Raises:
        ValueError: If shapes differ, `beta` is not above 0, or the reference learns.
    """
    rewards = Preference(
        implicit_reward(policy.chosen, reference.chosen, beta=beta),
        implicit_reward(policy.rejected, reference.rejected, beta=beta),
    )
    return DPO(-bradley_terry(*rewards).mean(), rewards)


@door(lambda: check_price)
def best_policy(
    reference: Float[Tensor, "... answers"],
    rewards: Float[Tensor, "... answers"],
    *,
    beta: float,
) -> Float[Tensor, "... answers"]:
    r"""Return the log-probabilities of the best policy, where answers can be listed.

    $$\pi^*(y) = \frac{1}{Z}\, \pi_{\mathrm{ref}}(y)\, e^{r(y) / \beta} =
    \operatorname*{arg\,max}_\pi\; \mathbb{E}_\pi[r] -
    \beta\, D_{\mathrm{KL}}(\pi \,\Vert\, \pi_{\mathrm{ref}})$$

    Source: Rafailov et al. (2023), section 4, equations (3) and (4).

    Args:
        reference: The log-probabilities of all answers; they sum to 1 on the last axis.
        rewards: The reward $r$ of each.
        beta: The price $\beta$ of KL.

    Raises:
        ValueError: If shapes differ, or `beta` is not above 0.
    """
    return (reference + rewards / beta).log_softmax(dim=-1)


# Checks


def check_answers(logits: object, labels: object) -> None:
    """Check that each row holds an answer: its log-probability would be 0 without."""
    check_float_tensor("logits", logits)
    if can_read(labels) and not bool((labels != IGNORED).any(dim=-1).all()):
        row = int((labels == IGNORED).all(dim=-1).nonzero()[0])
        raise ValueError(
            f"labels must hold a token that counts in each row, got none in row {row};"
            " leave such examples out."
        )


def check_alike(**numbers: object) -> None:
    """Check that tensors of floats have one shape: none is repeated to another's."""
    for name, x in numbers.items():
        check_float_tensor(name, x)
    came = {name: tuple(x.shape) for name, x in numbers.items()}
    if len(set(came.values())) > 1:
        raise ValueError(
            f"{' and '.join(numbers)} must have one shape, got "
            f"{' and '.join(map(str, came.values()))}; pass a number of each for each."
        )


def check_settled(**numbers: Tensor) -> None:
    """Check that no gradient flows to what does not learn."""
    for name, x in numbers.items():
        if x.requires_grad:
            raise ValueError(
                f"{name} must not learn, got one with a gradient; compute it under "
                "torch.no_grad(), or call detach()."
            )


def check_rewards(chosen: object, rejected: object) -> None:
    """Check that there are two rewards for each pair."""
    check_alike(chosen=chosen, rejected=rejected)


def check_policies(policy: object, reference: object, beta: object) -> None:
    """Check that a policy and its reference have judged the same answers."""
    check_positive("beta", beta)
    check_alike(policy=policy, reference=reference)
    check_settled(reference=reference)


def check_dpo(policy: object, reference: object, beta: object) -> None:
    """Check the log-probabilities of pairs by a policy and its reference."""
    check_positive("beta", beta)
    names = {"policy": policy, "reference": reference}
    every = {f"{n}.{x}": getattr(p, x) for n, p in names.items() for x in p._fields}
    check_alike(**every)
    check_settled(**{n: x for n, x in every.items() if n.startswith("reference")})


def check_price(reference: object, rewards: object, beta: object) -> None:
    """Check that each answer has a reward, and leaving the reference a price."""
    check_positive("beta", beta)
    check_alike(reference=reference, rewards=rewards)
