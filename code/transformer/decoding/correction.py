"""The arithmetic of speculative decoding: wrong guesses leave no trace."""

import torch
from jaxtyping import Float
from torch import Tensor

from transformer.checks.tensors import check_float_tensor


def acceptance(
    target: Float[Tensor, "*batch vocab"], draft: Float[Tensor, "*batch vocab"]
) -> Float[Tensor, "*batch vocab"]:
    r"""Return the probability with which each guess is accepted.

    $$a_v = \min\Big(1, \frac{p_v}{q_v}\Big)$$

    A token with $q_v = 0$ is never guessed; for it we return 1.

    Source: Leviathan et al. (2023), section 2.3; Chen et al. (2023), algorithm 2.

    Args:
        target: The distribution $p$ of the model.
        draft: The distribution $q$ of the draft.
    """
    check_distributions(target, draft)
    ratio = (target / draft).clamp(max=1.0)
    return torch.where(draft > 0, ratio, torch.ones_like(ratio))


def residual(
    target: Float[Tensor, "*batch vocab"], draft: Float[Tensor, "*batch vocab"]
) -> Float[Tensor, "*batch vocab"]:
    r"""Return the distribution to draw from when a guess is not accepted.

    $$p'_v = \frac{\max(0, p_v - q_v)}{\sum_u \max(0, p_u - q_u)}$$

    Then each token comes with its probability in the model: $q_v a_v + (1 - \sum_u
    q_u a_u)\, p'_v = p_v$. Where $p = q$ every guess is accepted, and we return $p$.

    Source: Leviathan et al. (2023), section 2.3, proof in appendix A.1; Chen et al.
    (2023), theorem 1.

    Args:
        target: The distribution $p$ of the model.
        draft: The distribution $q$ of the draft; zeros if nothing was guessed.
    """
    check_distributions(target, draft)
    surplus = (target - draft).clamp(min=0.0)
    total = surplus.sum(dim=-1, keepdim=True)
    return torch.where(total > 0, surplus / total, target)


def check_distributions(target: object, draft: object) -> None:
    """Check that two distributions are over the same tokens."""
    check_float_tensor("target", target)
    check_float_tensor("draft", draft)
    if target.shape != draft.shape or target.dim() == 0:
        raise ValueError(
            "target and draft must be distributions over the same tokens, got shapes "
            f"{tuple(target.shape)} and {tuple(draft.shape)}; keep the vocabulary on "
            "the last axis of both."
        )
