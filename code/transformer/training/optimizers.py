"""The optimizer: Adam, with the constants of 2017."""

from math import inf

from torch import nn, optim

from transformer.checks.values import check_positive


def adam(
    model: nn.Module,
    *,
    learning_rate: float = 1e-3,
    betas: tuple[float, float] = (0.9, 0.98),
    eps: float = 1e-9,
    weight_decay: float = 0.0,
) -> optim.AdamW:
    r"""Return Adam for the parameters of a model that learn.

    $$\theta_n = \theta_{n-1} - \eta\, \left(
    \frac{\hat m_n}{\sqrt{\hat v_n} + \epsilon} + \lambda\,\theta_{n-1}\right)$$

    at step $n$, with the moving averages $\hat m$ of the gradient and $\hat v$ of its
    square, both corrected for their start at zero. Weight decay $\lambda$ is separate
    from the gradient and, as in PyTorch, in proportion to the learning rate; it shrinks
    matrices and embeddings only, not biases and gains. At $\lambda = 0$ it is the Adam
    of the paper.

    Source: Kingma and Ba (2015), Algorithm 1; Vaswani et al. (2017), section 5.3, for
    $\beta_1 = 0.9$, $\beta_2 = 0.98$, $\epsilon = 10^{-9}$; Loshchilov and Hutter
    (2019), Algorithm 2, for the separate decay.

    Args:
        model: What learns.
        learning_rate: The rate $\eta$; a schedule sets it again at each step.
        betas: Decay of the two moving averages, each at least 0 and below 1.
        eps: The constant $\epsilon$.
        weight_decay: The share $\lambda$, 0 for none.

    Raises:
        ValueError: If an argument is out of range, or nothing in the model learns.
    """
    check_positive("learning_rate", learning_rate)
    if len(betas) != 2 or not all(0 <= beta < 1 for beta in betas):
        raise ValueError(
            f"betas must be two numbers from 0 to below 1, got {betas}; the paper has "
            "(0.9, 0.98)."
        )
    if not 0 <= weight_decay < inf:
        raise ValueError(
            f"weight_decay must be finite and not negative, got {weight_decay}; 0 "
            "means none."
        )
    learning = [p for p in model.parameters() if p.requires_grad]
    if not learning:
        raise ValueError(
            "the model must have parameters that learn, got none; set requires_grad."
        )
    groups = [
        {"params": [p for p in learning if p.dim() > 1], "weight_decay": weight_decay},
        {"params": [p for p in learning if p.dim() <= 1], "weight_decay": 0.0},
    ]
    # The fused kernel takes one pass over the numbers instead of ten.
    return optim.AdamW(
        [group for group in groups if group["params"]],
        lr=learning_rate,
        betas=betas,
        eps=eps,
        fused=True,
    )
