"""Normalization: bring the features of each vector to one scale."""

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from transformer.checks.doors import door, doors, each
from transformer.checks.tensors import check_float_tensor
from transformer.checks.values import check_positive


@door(lambda x, weight, bias, eps: check_formula(x, eps, weight=weight, bias=bias))
def layer_norm(
    x: Float[Tensor, "*batch d_model"],
    weight: Float[Tensor, " d_model"],
    bias: Float[Tensor, " d_model"],
    *,
    eps: float,
) -> Float[Tensor, "*batch d_model"]:
    r"""Give each vector's features mean zero and variance one, then rescale them.

    $$\mathrm{LayerNorm}(\mathbf{x}) =
    \frac{\mathbf{x} - \mu}{\sqrt{\sigma^2 + \epsilon}} \odot \mathbf{g} + \mathbf{b},
    \qquad \mu = \frac{1}{d} \sum_{i=1}^{d} x_i, \qquad
    \sigma^2 = \frac{1}{d} \sum_{i=1}^{d} (x_i - \mu)^2$$

    The variance is the biased one: the divisor is $d = d_{\mathrm{model}}$.

    Source: Ba et al. (2016), section 3, equation (3), with their gain and bias;
    there is no $\epsilon$ in the paper, and `torch.nn.LayerNorm` has it inside the
    root. This is the readable path, in the dtype of `x`; `LayerNorm` is the fast one.

    Args:
        x: Vectors of features, with any leading axes.
        weight: The gain $\mathbf{g}$, one number for each feature.
        bias: The bias $\mathbf{b}$, one number for each feature.
        eps: The number $\epsilon$ that keeps the root away from zero, above 0.
    """
    centered = x - x.mean(dim=-1, keepdim=True)
    variance = centered.square().mean(dim=-1, keepdim=True)
    return centered / torch.sqrt(variance + eps) * weight + bias


@door(lambda x, weight, eps: check_formula(x, eps, weight=weight))
def rms_norm(
    x: Float[Tensor, "*batch d_model"],
    weight: Float[Tensor, " d_model"],
    *,
    eps: float,
) -> Float[Tensor, "*batch d_model"]:
    r"""Give the features of each vector a mean square of one, then rescale them.

    $$\mathrm{RMSNorm}(\mathbf{x}) =
    \frac{\mathbf{x}}{\sqrt{\frac{1}{d} \sum_{i=1}^{d} x_i^2 + \epsilon}}
    \odot \mathbf{g}$$

    Source: Zhang and Sennrich (2019), section 4, equation (4), where there is no
    $\epsilon$; their released code adds it outside the root. Inside, as here, it
    stands in the released code of T5 (Raffel et al., 2020) and Llama (Touvron et al.,
    2023). This is the readable path, in the dtype of `x`; `RMSNorm` is the fast one.

    Args:
        x: Vectors of features, with any leading axes.
        weight: The gain $\mathbf{g}$, one number for each feature.
        eps: The number $\epsilon$ that keeps the root away from zero, above 0.
    """
    mean_square = x.square().mean(dim=-1, keepdim=True)
    return x / torch.sqrt(mean_square + eps) * weight


@doors(init=each(eps=check_positive))
class LayerNorm(nn.Module):
    r"""Give each vector's features mean zero and variance one, then rescale them.

    The equation and its source are those of `layer_norm`; PyTorch's fused kernel
    computes it. The gain $\mathbf{g}$ starts at one and the bias $\mathbf{b}$ at zero:
    at first the layer does nothing but normalize.

    Half precisions are accumulated in float32. The dtype of `x` comes out, except
    under autocast on a GPU, where PyTorch returns float32.

    Args:
        d_model: Number of features, at least 1.
        eps: The number $\epsilon$ inside the root, above 0.
    """

    def __init__(self, d_model: int, *, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(
        self, x: Float[Tensor, "*batch d_model"]
    ) -> Float[Tensor, "*batch d_model"]:
        """Normalize each vector by its own mean and variance."""
        return F.layer_norm(x, x.shape[-1:], self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """Name the settings when the module is printed."""
        return f"d_model={self.weight.numel()}, eps={self.eps}"


@doors(init=each(eps=check_positive), forward=lambda: check_vectors)
class RMSNorm(nn.Module):
    r"""Give the features of each vector a mean square of one, then rescale them.

    The equation and its source are those of `rms_norm`. The gain $\mathbf{g}$ starts
    at one.

    Half precisions are computed in float32 and rounded once, at the end; the dtype of
    `x` comes out, under autocast too.

    Args:
        d_model: Number of features, at least 1.
        eps: The number $\epsilon$ inside the root, above 0.
    """

    def __init__(self, d_model: int, *, eps: float = 1e-6) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(
        self, x: Float[Tensor, "*batch d_model"]
    ) -> Float[Tensor, "*batch d_model"]:
        """Divide each vector by its own root mean square."""
        if x.dtype == self.weight.dtype:
            return F.rms_norm(x, x.shape[-1:], self.weight, self.eps)
        # F.rms_norm warns of types that differ, and has no fused kernel for them.
        wide = torch.promote_types(x.dtype, torch.float32)
        norm = torch.linalg.vector_norm(x, dim=-1, keepdim=True, dtype=wide)
        scale = torch.rsqrt(norm.square() / x.size(-1) + self.eps)  # (*batch, 1)
        return (x * (scale * self.weight)).to(x.dtype)

    def extra_repr(self) -> str:
        """Name the settings when the module is printed."""
        return f"d_model={self.weight.numel()}, eps={self.eps}"


@doors(forward=lambda: check_vectors)
class OnePlusRMSNorm(RMSNorm):
    r"""Give the features a mean square of one, then rescale them by one plus a number.

    $$\mathrm{OnePlusRMSNorm}(\mathbf{x}) =
    \frac{\mathbf{x}}{\sqrt{\frac{1}{d} \sum_{i=1}^{d} x_i^2 + \epsilon}}
    \odot (1 + \mathbf{w})$$

    What is learned, w, starts at zero, so that weight decay pulls the gain towards one.

    Source: Gemma Team (2024), released code; the sum and the product are computed in
    float32 at least, and rounded once.

    Args:
        d_model: As for `RMSNorm`.
        eps: As for `RMSNorm`.
    """

    def __init__(self, d_model: int, *, eps: float = 1e-6) -> None:
        super().__init__(d_model, eps=eps)
        nn.init.zeros_(self.weight)

    def forward(
        self, x: Float[Tensor, "*batch d_model"]
    ) -> Float[Tensor, "*batch d_model"]:
        """Divide each vector by its root mean square, multiply by one plus the gain."""
        wide = torch.promote_types(x.dtype, torch.float32)
        gain = 1 + self.weight.to(wide)
        return F.rms_norm(x.to(wide), x.shape[-1:], gain, self.eps).to(x.dtype)


NORMS: dict[str, type[nn.Module]] = {"layer": LayerNorm, "rms": RMSNorm}


# Checks


def check_vectors(norm: nn.Module, x: object) -> None:
    """Check that vectors have the features of the gain, which would broadcast."""
    check_float_tensor("x", x)
    d_model = norm.weight.size(0)
    if x.dim() < 1 or x.size(-1) != d_model:
        raise ValueError(
            f"x must have shape (..., d_model={d_model}), got {tuple(x.shape)}; put "
            "the features on the last axis."
        )


def check_formula(x: object, eps: object, **parameters: object) -> None:
    """Check that vectors, parameters and eps fit together."""
    check_positive("eps", eps)
    check_float_tensor("x", x)
    for name, parameter in parameters.items():
        check_float_tensor(name, parameter)
        if x.dim() < 1 or parameter.shape != x.shape[-1:]:
            raise ValueError(
                f"{name} must hold one number for each feature of x, got shapes "
                f"{tuple(parameter.shape)} and {tuple(x.shape)}; change one of them."
            )
