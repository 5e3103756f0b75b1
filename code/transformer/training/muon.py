"""Muon: a step of the same length in every direction of a matrix."""

from collections.abc import Iterator
from math import sqrt

import torch
from jaxtyping import Float
from torch import Tensor, nn, optim

from transformer.checks.doors import door
from transformer.checks.tensors import check_float_tensor
from transformer.checks.values import check_size

# The quintic of the source: steep at zero, and no longer quite 1 at 1.
COEFFICIENTS = (3.4445, -4.7750, 2.0315)
ROUNDS = 5
LIKE_ADAM = 0.2  # about the root mean square of an entry of what Adam adds


@door(lambda: check_matrix)
def newton_schulz(
    matrix: Float[Tensor, "*batch rows columns"], *, rounds: int = ROUNDS
) -> Float[Tensor, "*batch rows columns"]:
    r"""Bring all singular values of a matrix near to 1, and leave their vectors.

    $$X_0 = \frac{G}{\lVert G \rVert_F}, \qquad
    X_{k+1} = a X_k + b\, (X_k X_k^\top) X_k + c\, (X_k X_k^\top)^2 X_k$$

    With $X = U \Sigma V^\top$ each round maps every singular value by
    $a\sigma + b\sigma^3 + c\sigma^5$, so five rounds need matrix products only. Values
    that were not tiny end between 0.68 and 1.14.

    Source: Jordan et al. (2024), with $a, b, c = 3.4445, -4.7750, 2.0315$.

    Args:
        matrix: The matrix $G$, or several of one shape; zeros stay zeros.
        rounds: How often the polynomial is applied.
    """
    tall = matrix.size(-2) > matrix.size(-1)
    x = matrix.mT if tall else matrix  # the smaller product of both
    x = x / x.norm(dim=(-2, -1), keepdim=True).clamp(min=1e-7)
    a, b, c = COEFFICIENTS
    for _ in range(rounds):
        gram = x @ x.mT
        x = a * x + (b * gram + c * gram @ gram) @ x
    return x.mT if tall else x


class Muon(optim.Optimizer):
    r"""Update hidden matrices by Muon, and all other parameters by AdamW.

    $$M_n = \mu M_{n-1} + (1 - \mu)\, G_n, \qquad
    W_n = (1 - \eta\lambda)\, W_{n-1} - 0.2\, \eta \sqrt{\max(r, s)}\;
    \mathrm{NewtonSchulz}\bigl((1 - \mu)\, G_n + \mu M_n\bigr)$$

    for a matrix of $r$ rows and $s$ columns. Adam divides each entry by its own size;
    Muon treats each direction of the matrix alike. The factor gives its step the size
    that Adam's has, so that both share one learning rate.

    Source: Jordan et al. (2024); the factor and the weight decay: Liu et al. (2025),
    section 2.2. Embeddings, the head and vectors are left to AdamW, as both say.

    Args:
        groups: Parameters, each group with `hidden`: whether it is of matrices that
            Muon updates.
        lr: The rate $\eta$; a schedule sets it again at each step.
        momentum: The share $\mu$.
        betas: Of AdamW.
        eps: Of AdamW.
        weight_decay: The share $\lambda$.
    """

    def __init__(
        self,
        groups: list[dict[str, object]],
        *,
        lr: float,
        momentum: float = 0.95,
        betas: tuple[float, float] = (0.9, 0.98),
        eps: float = 1e-9,
        weight_decay: float = 0.0,
    ) -> None:
        usual = {"lr": lr, "momentum": momentum, "betas": betas, "eps": eps}
        super().__init__(groups, {**usual, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure: None = None) -> None:
        """Change each parameter that has a gradient."""
        for group in self.param_groups:
            update = self._hidden if group["hidden"] else self._other
            for parameter in group["params"]:
                if parameter.grad is None:
                    continue
                parameter.mul_(1 - group["lr"] * group["weight_decay"])
                change = update(group, self.state[parameter], parameter.grad)
                parameter.sub_(change, alpha=group["lr"])

    def _hidden(self, group: dict, state: dict, gradient: Tensor) -> Tensor:
        """Return the direction of Muon."""
        if not state:
            state["momentum"] = torch.zeros_like(gradient)
        share = 1 - group["momentum"]
        state["momentum"].lerp_(gradient, share)
        ahead = state["momentum"].lerp(gradient, share)
        # Half precision will do: what is left of a singular value is rough anyway.
        even = newton_schulz(ahead.bfloat16()).to(gradient.dtype)
        return even * (LIKE_ADAM * sqrt(max(gradient.shape)))

    def _other(self, group: dict, state: dict, gradient: Tensor) -> Tensor:
        """Return the direction of Adam."""
        if not state:
            state["step"] = torch.zeros(())
            state["mean"] = torch.zeros_like(gradient)
            state["square"] = torch.zeros_like(gradient)
        state["step"] += 1
        first, second = group["betas"]
        state["mean"].lerp_(gradient, 1 - first)
        state["square"].lerp_(gradient.square(), 1 - second)
        n = float(state["step"])
        scale = (state["square"] / (1 - second**n)).sqrt_().add_(group["eps"])
        return state["mean"] / (1 - first**n) / scale


def muon(
    model: nn.Module,
    *,
    learning_rate: float = 1e-3,
    momentum: float = 0.95,
    weight_decay: float = 0.0,
) -> Muon:
    """Return Muon for the parameters of a model that learn.

    Args:
        model: What learns.
        learning_rate: The rate; a schedule sets it again at each step.
        momentum: Share of the past in the momentum.
        weight_decay: As in `adam`: of matrices and embeddings, not of vectors.
    """
    others = {id(p) for part in not_hidden(model) for p in part.parameters()}
    learning = [p for p in model.parameters() if p.requires_grad]
    hidden = [p for p in learning if p.dim() == 2 and id(p) not in others]
    tables = [p for p in learning if p.dim() > 2 or (p.dim() == 2 and id(p) in others)]
    vectors = [p for p in learning if p.dim() <= 1]
    groups = [
        {"params": hidden, "hidden": True, "weight_decay": weight_decay},
        {"params": tables, "hidden": False, "weight_decay": weight_decay},
        {"params": vectors, "hidden": False, "weight_decay": 0.0},
    ]
    kept = [group for group in groups if group["params"]]
    return Muon(kept, lr=learning_rate, momentum=momentum)


def not_hidden(model: nn.Module) -> Iterator[nn.Module]:
    """Yield the parts whose matrices meet tokens: embeddings, and a head."""
    yield from (part for part in model.modules() if isinstance(part, nn.Embedding))
    if isinstance(head := getattr(model, "head", None), nn.Module):
        yield head


# Checks


def check_matrix(matrix: object, rounds: object) -> None:
    """Check what is made orthogonal."""
    check_float_tensor("matrix", matrix)
    check_size("rounds", rounds)
    if matrix.dim() < 2:
        raise ValueError(
            f"matrix must have rows and columns, got shape {tuple(matrix.shape)}; "
            "leave vectors to Adam."
        )
