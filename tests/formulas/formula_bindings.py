"""What binds formulas to code: a function for each label, and random numbers."""

from collections.abc import Callable, Iterable
from zlib import crc32

import torch
from torch import Tensor, nn

from bookkit.checking.formulas import Binding

BINDINGS: dict[str, Callable[["Draw"], Binding | Iterable[Binding]]] = {}


class Draw:
    """Random numbers in float64, the same for a label at each run."""

    def __init__(self, label: str) -> None:
        self.generator = torch.Generator().manual_seed(crc32(label.encode()))

    def __call__(self, *shape: int) -> Tensor:
        """Return normal numbers."""
        return torch.randn(*shape, generator=self.generator, dtype=torch.float64)

    def positive(self, *shape: int) -> Tensor:
        """Return numbers between a half and two."""
        drawn = torch.rand(*shape, generator=self.generator, dtype=torch.float64)
        return 0.5 + 1.5 * drawn

    def module(self, module: nn.Module) -> nn.Module:
        """Give all parameters of a module random values."""
        module = module.double()
        for parameter in module.parameters():
            parameter.data = self(*parameter.shape)
        return module.requires_grad_(requires_grad=False)


def binds(label: str) -> Callable:
    """Register what binds the formula of a label."""

    def register(binding: Callable) -> Callable:
        assert label not in BINDINGS
        BINDINGS[label] = binding
        return binding

    return register


def bindings(label: str) -> list[Binding]:
    """Return the bindings of a label: one, or several cases."""
    found = BINDINGS[label](Draw(label))
    return [found] if isinstance(found, Binding) else list(found)


def on_arrays(function: Callable[..., Tensor]) -> Callable:
    """Let a function of tensors take and return arrays or numbers."""

    def computed(*of: object) -> object:
        of = [torch.as_tensor(one, dtype=torch.float64) for one in of]
        with torch.no_grad():
            return function(*of).numpy()

    return computed


def slope(function: Callable[[Tensor], Tensor]) -> Callable:
    """Return the derivative of a function of one number, as autograd finds it."""

    def derivative(x: object) -> object:
        at = torch.as_tensor(x, dtype=torch.float64).requires_grad_()
        return torch.autograd.grad(function(at), at)[0].numpy()

    return derivative
