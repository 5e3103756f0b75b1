"""A chapter on a GPU: it draws the numbers of the CPU, and its figures get arrays."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.nn import init
from torch.overrides import TorchFunctionMode

# What makes a tensor of random numbers, and says on which device it shall be.
_MAKERS = {torch.rand, torch.randn, torch.randint, torch.randperm}
# What draws for a tensor that is there, which says the device.
_DRAWERS = {
    torch.rand_like,
    torch.randn_like,
    torch.randint_like,
    torch.normal,
    torch.bernoulli,
    torch.multinomial,
}
# What fills a tensor that is there with random numbers.
_FILLERS = {
    Tensor.bernoulli_,
    Tensor.exponential_,
    Tensor.normal_,
    Tensor.random_,
    Tensor.uniform_,
    init.kaiming_uniform_,
    init.normal_,
    init.uniform_,
}
_DROPOUTS = {F.dropout, torch.dropout}
# Where drawing is left as it is: on the CPU, and where tensors have no numbers.
HERE = {"cpu", "meta"}


class AsOnCPU(TorchFunctionMode):
    """Compute on the GPU what the CPU computes, from the same random numbers.

    A CPU and a GPU answer the same seed with different numbers, so that a chapter would
    train another model on a GPU. Inside this mode all are drawn on the CPU and moved
    then: tensors of random numbers, parameters at their start, and what dropout keeps.
    And where NumPy asks for a tensor, as Matplotlib does, it gets a copy on the CPU.
    """

    def __torch_function__(
        self,
        func: Callable,
        types: object,
        args: tuple = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Call a function of torch; if it draws, or NumPy asks, then on the CPU."""
        given = dict(kwargs or {})
        if func in _MAKERS:
            return _made(func, args, given)
        if func in _DRAWERS:
            return _drawn(func, args, given)
        if func in _FILLERS:
            return _filled(func, args, given)
        if func in _DROPOUTS:
            return _dropped(*args, **given)
        if func is Tensor.__array__:
            return func(*map(_on_cpu, args), **given)
        return func(*args, **given)


def _made(func: Callable, args: tuple, given: dict[str, Any]) -> Tensor:
    """Make a tensor of random numbers on the CPU, and move it where it belongs."""
    where = given.pop("device", None) or torch.get_default_device()
    learned = given.pop("requires_grad", False)
    if torch.device(where).type in HERE:
        return func(*args, **given, device=where, requires_grad=learned)
    return func(*args, **given, device="cpu").to(where).requires_grad_(learned)


def _drawn(func: Callable, args: tuple, given: dict[str, Any]) -> Tensor:
    """Draw on the CPU for a tensor that is there, and move what came to its place."""
    where = [x.device for x in (*args, *given.values()) if isinstance(x, Tensor)]
    if not where or where[0].type in HERE:
        return func(*args, **given)
    return func(*map(_on_cpu, args), **_all_on_cpu(given)).to(where[0])


def _filled(func: Callable, args: tuple, given: dict[str, Any]) -> Tensor:
    """Fill a tensor with random numbers that were drawn on the CPU."""
    tensor, *others = args if args else [given.pop("tensor")]
    if tensor.device.type in HERE:
        return func(tensor, *others, **given)
    drawn = torch.empty_like(tensor, device="cpu", requires_grad=False)
    func(drawn, *map(_on_cpu, others), **_all_on_cpu(given))
    with torch.no_grad():
        return tensor.copy_(drawn)


def _dropped(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Drop numbers out of a tensor, which of them the CPU says."""
    if input.device.type in HERE or inplace or not training:
        return F.dropout(input, p, training, inplace)
    ones = torch.ones_like(input, device="cpu", requires_grad=False)
    return input * F.dropout(ones, p).to(input.device)


def _on_cpu(given: Any) -> Any:
    return given.cpu() if isinstance(given, Tensor) else given


def _all_on_cpu(given: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _on_cpu(value) for name, value in given.items()}


@cache
def compute_as_on_cpu() -> None:
    """Compute so from here on, to the end of the process."""
    AsOnCPU().__enter__()
