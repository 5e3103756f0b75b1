"""Activations: functions that bend each number by itself.

Each takes a tensor `x` of floating-point numbers of any shape, refuses anything else
with a `TypeError`, and returns a tensor of the same shape and dtype.
"""

import sys
from collections.abc import Callable

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from transformer.checks.doors import door, each
from transformer.checks.tensors import check_float_tensor
from transformer.checks.values import check_choice


@door(each(x=check_float_tensor))
def relu(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    r"""Keep what is positive and set the rest to zero.

    $$\mathrm{ReLU}(x) = \max(0, x)$$

    Source: Nair and Hinton (2010); in the feed-forward layer: Vaswani et al. (2017),
    section 3.3, equation (2).

    Args:
        x: Numbers, any shape.
    """
    return F.relu(x)


@door(each(x=check_float_tensor))
def gelu(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    r"""Weight each number by the probability that a standard normal lies below it.

    $$\mathrm{GELU}(x) = x\,\Phi(x) =
    \frac{x}{2} \left(1 + \mathrm{erf}\frac{x}{\sqrt{2}}\right)$$

    with the distribution function $\Phi$ of the standard normal distribution.

    Source: Hendrycks and Gimpel (2016), section 2.

    Args:
        x: Numbers, any shape.
    """
    return F.gelu(x)


@door(each(x=check_float_tensor))
def gelu_tanh(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    r"""Approximate `gelu` with a hyperbolic tangent.

    $$\frac{x}{2} \left(1 + \tanh\!\left[\sqrt{\frac{2}{\pi}}
    \left(x + 0.044715\,x^3\right)\right]\right)$$

    It differs from `gelu` by less than 0.0005, and GPT-2 was trained with it.

    Source: Hendrycks and Gimpel (2016), section 2.

    Args:
        x: Numbers, any shape.
    """
    return F.gelu(x, approximate="tanh")


@door(each(x=check_float_tensor))
def gelu_sigmoid(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    r"""Approximate `gelu` with a sigmoid.

    $$x\,\sigma(1.702\,x)$$

    It differs from `gelu` by less than 0.0204, and gpt-oss gates its experts with it.

    Source: Hendrycks and Gimpel (2016), section 2.

    Args:
        x: Numbers, any shape.
    """
    return x * torch.sigmoid(1.702 * x)


@door(each(x=check_float_tensor))
def silu(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    r"""Weight each number by its own sigmoid.

    $$\mathrm{SiLU}(x) = x\,\sigma(x)$$

    It is `swish` with $\beta = 1$.

    Source: Elfwing et al. (2018); Hendrycks and Gimpel (2016) gave it the name.

    Args:
        x: Numbers, any shape.
    """
    return F.silu(x)


@door(lambda: check_swish)
def swish(
    x: Float[Tensor, "..."], *, beta: float | Float[Tensor, "..."] = 1.0
) -> Float[Tensor, "..."]:
    r"""Weight each number by the sigmoid of a multiple of it.

    $$\mathrm{Swish}_\beta(x) = x\,\sigma(\beta x)$$

    With $\beta = 0$ it is $x/2$; as $\beta$ grows it approaches the ReLU.

    Source: Ramachandran et al. (2017).

    Args:
        x: Numbers, any shape.
        beta: How sharply the sigmoid switches: a finite number, or a tensor with one
            value or one for each feature, such as a learned parameter.
    """
    return x * torch.sigmoid(beta * x)


@door(each(x=check_float_tensor))
def sigmoid(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    r"""Squeeze each number into the range from 0 to 1.

    $$\sigma(x) = \frac{1}{1 + e^{-x}}$$

    Source: the logistic function; as the gate of a linear unit: Dauphin et al. (2017).

    Args:
        x: Numbers, any shape.
    """
    return torch.sigmoid(x)


@door(each(x=check_float_tensor))
def squared_relu(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    r"""Square what is positive and set the rest to zero.

    $$\mathrm{ReLU}^2(x) = \max(0, x)^2$$

    Source: So et al. (2021), where a search over programs finds it.

    Args:
        x: Numbers, any shape.
    """
    return F.relu(x).square()


@door(each(x=check_float_tensor))
def identity(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    """Return each number as it is: the gate of the bilinear layer.

    $$f(x) = x$$

    Source: Dauphin et al. (2017), who leave the sigmoid of their gate out.

    Args:
        x: Numbers, any shape.
    """
    return x


@door(each(x=check_float_tensor))
def tanh(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    r"""Squeeze each number into the range from -1 to 1.

    $$\tanh(x) = \frac{e^x - e^{-x}}{e^x + e^{-x}} = 2\,\sigma(2x) - 1$$

    Source: the hyperbolic tangent; the pooler of BERT (Devlin et al., 2019, released
    code) ends with it.

    Args:
        x: Numbers, any shape.
    """
    return torch.tanh(x)


ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": relu,
    "gelu": gelu,
    "gelu_tanh": gelu_tanh,
    "gelu_sigmoid": gelu_sigmoid,
    "silu": silu,
    "sigmoid": sigmoid,
    "squared_relu": squared_relu,
    "identity": identity,
    "tanh": tanh,
}


@door(lambda name: check_choice("activation", name, ACTIVATIONS))
def get_activation(name: str) -> Callable[[Tensor], Tensor]:
    """Return the activation of a name.

    Source: ours; the names are those of `ACTIVATIONS`.

    Args:
        name: A key of `ACTIVATIONS`.
    """
    return ACTIVATIONS[name]


# Checks


def check_swish(x: object, beta: object) -> None:
    """Check that beta is a finite number or a tensor that fits `x`."""
    check_float_tensor("x", x)
    if isinstance(beta, Tensor):
        check_float_tensor("beta", beta)
        if beta.shape not in ((), (1,), x.shape[-1:]):
            raise ValueError(
                f"beta must hold one value, or one for each feature of x of shape "
                f"{tuple(x.shape)}, got shape {tuple(beta.shape)}; reshape it."
            )
    elif not abs(beta) <= sys.float_info.max:
        raise ValueError(f"beta must be finite, got {beta}; pass such a number.")
