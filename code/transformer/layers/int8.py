"""A linear map whose matrix is stored as whole numbers of eight bits."""

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int8
from torch import Tensor, nn

from transformer.checks.doors import doors

LARGEST = 127  # the same on both sides of zero
FEW = 8  # vectors; for more, a product with a matrix of floats is faster
# PyTorch's kernel reads so many numbers at once, and beyond the end of other rows.
BLOCK_IN, BLOCK_OUT = 16, 4


@doors(init=lambda: check_linear)
class Int8Linear(nn.Module):
    r"""Map vectors by a matrix that is stored in a quarter of the bytes of float32.

    $$\mathbf{y} = \mathbf{s} \odot (\mathbf{x}\, Q^\top) + \mathbf{b}, \qquad
    Q_{ij} = \mathrm{round}\Big(\frac{W_{ij}}{s_i}\Big), \qquad
    s_i = \frac{\max_j \lvert W_{ij} \rvert}{127}$$

    No weight is moved by more than half of $s_i$, the step of its row, which is rounded
    up where the matrix is in half precision.

    Source: Dettmers et al. (2022), sections 2.1 and 3.1, for scaling by the largest
    absolute value, and for a scale for each row; there the inputs are quantized too,
    here they stay floats. On a CPU a few vectors of float32 are mapped by PyTorch's own
    kernel, which reads bytes and rounds inputs, scales and results to bfloat16.
    Otherwise, and where a gradient is wanted, the matrix is made of the bytes anew at
    each call.

    Args:
        linear: The map to store; it is left as it is, and its bias is shared.

    Raises:
        ValueError: If a weight is not finite, or `x` has another number of features.
    """

    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        self.in_features, self.out_features = linear.in_features, linear.out_features
        values, scale = quantize_rows(linear.weight.detach())
        self.register_buffer("values", values)
        self.register_buffer("row_scale", scale)  # (out_features, 1)
        # No buffer: .to(dtype) would change what the kernel reads.
        self.kernel_scale = scale.flatten().bfloat16().cpu()
        self.bias = linear.bias

    @property
    def weight(self) -> Float[Tensor, "out_features in_features"]:
        """The matrix that is applied, made of the bytes and their scales."""
        return self.values.to(self.row_scale.dtype) * self.row_scale

    def forward(
        self, x: Float[Tensor, "*batch in_features"]
    ) -> Float[Tensor, "*batch out_features"]:
        """Apply the map to each vector."""
        if not self._suits_kernel(x):
            return F.linear(x, self.weight, self.bias)
        rows = x.reshape(-1, self.in_features).contiguous().bfloat16()
        y = torch._weight_int8pack_mm(rows, self.values, self.kernel_scale).to(x.dtype)
        y = y.view(*x.shape[:-1], self.out_features)
        return y if self.bias is None else y + self.bias

    def extra_repr(self) -> str:
        """Return the sizes, as those of `nn.Linear` are shown."""
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, "
            f"bias={self.bias is not None}"
        )

    def _suits_kernel(self, x: Tensor) -> bool:
        """Return whether the kernel takes `x` and is the faster way."""
        few = 0 < x.numel() <= FEW * self.in_features
        whole = self.in_features % BLOCK_IN == 0 and self.out_features % BLOCK_OUT == 0
        known = x.device.type == "cpu" and x.dtype == torch.float32
        return few and whole and known and not x.requires_grad


def quantize_rows(
    weight: Float[Tensor, "rows columns"],
) -> tuple[Int8[Tensor, "rows columns"], Float[Tensor, "rows 1"]]:
    """Return a finite matrix as whole numbers, and the scale of each of its rows.

    The equation and its source are those of `Int8Linear`.

    Raises:
        ValueError: If a number is not finite.
    """
    check_finite(weight)
    wide = weight.to(torch.promote_types(weight.dtype, torch.float32))
    step = wide.abs().amax(dim=1, keepdim=True) / LARGEST
    scale = rounded_up(torch.where(step > 0, step, 1.0), weight.dtype)
    return (wide / scale).round().to(torch.int8), scale


def rounded_up(
    numbers: Float[Tensor, "*shape"], dtype: torch.dtype
) -> Float[Tensor, "*shape"]:
    """Return numbers above zero in another dtype, none of them smaller than it was.

    A smaller scale would leave no byte for the largest weight of a row.
    """
    if dtype == numbers.dtype:
        return numbers
    near = numbers.to(dtype)
    above = (near.view(torch.int16) + 1).view(dtype)  # the next number of 16 bits
    return torch.where(near < numbers, above, near)


# Checks


def check_linear(linear: object) -> None:
    """Check that the matrix of a linear map can be quantized."""
    check_finite(linear.weight)


def check_finite(weight: Tensor) -> None:
    """Check that a matrix can be quantized."""
    if not torch.isfinite(weight).all():
        raise ValueError(
            "the weights of a map must be finite to be quantized, got "
            f"{int((~torch.isfinite(weight)).sum())} that are not; look for "
            "the step of the training at which they became so."
        )
