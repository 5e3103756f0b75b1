"""A second device without a GPU: tensors that say they live there, and refuse to mix.

A tensor of this device has its numbers on the CPU, so that what is computed there has
the digits of the CPU. But like one on a GPU it cannot be added to a tensor on the CPU,
nor become an array of NumPy: a tensor that was made on the wrong device is found.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from itertools import chain
from typing import Any
from unittest.mock import patch

import torch
from torch import Tensor, nn
from torch.backends import cudnn
from torch.overrides import TorchFunctionMode
from torch.utils import _device
from torch.utils._python_dispatch import return_and_correct_aliasing
from torch.utils._pytree import tree_leaves, tree_map

SECOND = torch.device("cuda", 0)
_MODULE_TO = nn.Module.to
_KEPT = ExitStack()  # until the process ends
# What reads one tensor at places that another one names, or copies what it holds.
_MIXES = {
    Tensor.__getitem__,
    Tensor.__setitem__,
    Tensor.__deepcopy__,
    Tensor.copy_,
}
# What makes a tensor on the device of the one that it is given.
_LIKE = {
    Tensor.new_empty,
    Tensor.new_full,
    Tensor.new_ones,
    Tensor.new_tensor,
    Tensor.new_zeros,
    torch.empty_like,
    torch.full_like,
    torch.ones_like,
    torch.rand_like,
    torch.randint_like,
    torch.randn_like,
    torch.zeros_like,
}
# Conjugates and negatives, which torch puts off until it is too late here.
_AT_ONCE = {
    torch.ops.aten._conj.default: torch.ops.aten.conj_physical.default,
    torch.ops.aten._neg_view.default: torch.ops.aten.neg.default,
}


class Remote(Tensor):
    """A tensor on the second device."""

    local: Tensor
    device = property(lambda self: SECOND)
    is_cuda = property(lambda self: True)
    is_cpu = property(lambda self: False)

    __torch_function__ = torch._C._disabled_torch_function_impl

    @staticmethod
    def __new__(cls, local: Tensor) -> "Remote":
        """Put a tensor of the CPU on the second device."""
        made = Tensor._make_wrapper_subclass(
            cls,
            local.size(),
            strides=local.stride(),
            storage_offset=local.storage_offset(),
            dtype=local.dtype,
            device=local.device,
        )
        made.local = local
        return made

    @property
    def data(self) -> Tensor:
        """The same numbers, of which no gradient is kept."""
        return self.detach()

    @data.setter
    def data(self, value: Tensor) -> None:
        self.local = _local(value)

    def __repr__(self, **_: Any) -> str:
        """Return what torch shows of a tensor on the default device."""
        return repr(self.detach().local.requires_grad_(self.requires_grad))

    def __format__(self, spec: str) -> str:
        """Format a number as a number."""
        return format(self.item() if self.dim() == 0 else self.local, spec)

    def __deepcopy__(self, memo: dict[int, Any]) -> Tensor:
        """Return a copy on the second device: a parameter of a parameter."""
        if id(self) not in memo:
            made = Remote(self.local.clone())
            if isinstance(self, nn.Parameter):
                made = nn.Parameter(made)
            memo[id(self)] = made.requires_grad_(self.requires_grad)
        return memo[id(self)]

    def __reduce_ex__(self, protocol: object) -> tuple:
        """Be stored as the numbers, and be on the second device again."""
        return Remote, (self.detach().local,)

    @classmethod
    def __torch_dispatch__(
        cls,
        func: Callable,
        types: object,
        args: tuple = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Compute on the CPU; the result is on the second device."""
        func, given = _AT_ONCE.get(func, func), dict(kwargs or {})
        found = func(*tree_map(_local, args), **tree_map(_local, given))
        if func is torch.ops.aten.copy_.default and not isinstance(args[0], cls):
            return args[0]
        found = tree_map(_remote, found)
        return return_and_correct_aliasing(func, args, given, found)


def _local(given: Any) -> Any:
    return given.local if isinstance(given, Remote) else given


def _remote(found: Any) -> Any:
    plain = isinstance(found, Tensor) and not isinstance(found, Remote)
    return Remote(found) if plain else found


class _Send(torch.autograd.Function):
    """Move a tensor to the second device, and its gradient back."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return Remote(x.detach())

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        return _local(gradient).clone()


class _Fetch(torch.autograd.Function):
    """Move a tensor to the CPU, and its gradient back."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x.local.clone()

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        return Remote(gradient)


def _is_second(where: Any) -> bool:
    return where is not None and torch.device(where).type == SECOND.type


def _moved(x: Tensor, where: Any) -> Tensor:
    """Return a tensor on a device; itself where it is there, or where none is named."""
    remote = isinstance(x, Remote)
    if where is None or (remote and _is_second(where)):
        return x
    if not remote and not _is_second(where):
        return x.to(where)
    learned = x.requires_grad and torch.is_grad_enabled()
    if _is_second(where):
        return _Send.apply(x) if learned else Remote(x.detach())
    return _Fetch.apply(x) if learned else x.local.clone().to(where)


class SecondDevice(TorchFunctionMode):
    """Let ``"cuda"`` be the second device."""

    def __torch_function__(
        self,
        func: Callable,
        types: object,
        args: tuple = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Call a function of torch, or say that its tensors are on two devices.

        Raises:
            RuntimeError: The tensors are on two devices.
            TypeError: NumPy asks for a tensor on the second device.
        """
        given = dict(kwargs or {})
        if func in _device._device_constructors() or func in _LIKE:
            return _made(func, args, given)
        if func is Tensor.to:
            return _sent(*args, **given)
        if func in (Tensor.cpu, Tensor.cuda):
            return _moved(args[0], "cpu" if func is Tensor.cpu else SECOND)
        if args and isinstance(args[0], Remote):
            if func is Tensor.tolist:
                return args[0].local.tolist()
            if func in (Tensor.numpy, Tensor.__array__):
                raise TypeError(
                    f"can't convert {SECOND} device type tensor to numpy; call .cpu()"
                )
        if func not in _MIXES:
            _refuse_two_devices(func, args, given)
        return func(*args, **given)


def _made(func: Callable, args: tuple, given: dict[str, Any]) -> Tensor:
    """Make a tensor on the device that is asked for, or on the default one."""
    where, learned = given.pop("device", None), given.pop("requires_grad", False)
    if where is None:
        where = args[0].device if func in _LIKE else _device.CURRENT_DEVICE
    if func not in _LIKE:
        given["device"] = "cpu" if where is None or _is_second(where) else where
        args = tree_map(_local, args)
    found = _moved(func(*args, **given), where)
    return found.requires_grad_() if learned else found


def _sent(x: Tensor, *how: Any, **given: Any) -> Tensor:
    """Return what ``x.to`` returns."""
    where, kept = given.pop("device", None), []
    for value in how:
        if isinstance(value, Tensor):
            where, value = value.device, value.dtype
        if isinstance(value, torch.dtype):
            kept.append(value)
        elif isinstance(value, str | torch.device):
            where = value
    x = _moved(x, where)
    given = {name: value for name, value in given.items() if value is not None}
    return x.to(*kept, **given) if kept or given else x


def _refuse_two_devices(func: Callable, args: tuple, given: Mapping[str, Any]) -> None:
    """Refuse tensors on two devices, but for single numbers.

    Raises:
        RuntimeError: The tensors are on two devices.
    """
    leaves = tree_leaves((args, given))
    if any(isinstance(x, Remote) for x in leaves):
        for x in leaves:
            if isinstance(x, Tensor) and x.dim() and not isinstance(x, Remote):
                raise RuntimeError(
                    "Expected all tensors to be on the same device, and "
                    f"{getattr(func, '__name__', func)} got one of shape "
                    f"{tuple(x.shape)} on {x.device}, and others on {SECOND}."
                )


def _apply(
    self: nn.Module,
    fn: Callable[[Tensor], Tensor],
    recurse: bool = True,
    memo: dict[int, tuple[Tensor, Tensor]] | None = None,
) -> nn.Module:
    """Replace what a module holds, as ``nn.Module._apply``; what is tied stays tied.

    torch lets a parameter that moves keep its identity, and then calls the numbers of a
    `Remote` its own, which it cannot.
    """
    memo = {} if memo is None else memo
    for child in self.children() if recurse else ():
        _apply(child, fn, memo=memo)
    for held in (self._parameters, self._buffers):
        for name, old in held.items():
            if old is not None and id(old) not in memo:
                memo[id(old)] = (_applied(old, fn), old)
            if old is not None:
                held[name] = memo[id(old)][0]
    return self


def _to(self: nn.Module, *how: Any, **given: Any) -> nn.Module:
    """Move a module, as ``nn.Module.to``, which asks a tensor where its numbers are."""
    parts = ([x.device, x.dtype] if isinstance(x, Tensor) else [x] for x in how)
    return _MODULE_TO(self, *chain.from_iterable(parts), **given)


def _applied(old: Tensor, fn: Callable[[Tensor], Tensor]) -> Tensor:
    """Return what a parameter or a buffer becomes."""
    with torch.no_grad():
        new = fn(old)
        if new is old or not isinstance(old, nn.Parameter):
            return new
        new = nn.Parameter(new.detach(), old.requires_grad)
        if old.grad is not None:
            new.grad = fn(old.grad)
        return new


@contextmanager
def installed() -> Iterator[None]:
    """Let modules and tensors be moved to the second device."""
    moves = patch.multiple(nn.Module, _apply=_apply, to=_to)
    with SecondDevice(), moves, cudnn.flags(enabled=False):  # there is none to ask for
        yield


def install() -> None:
    """Let this process see a second device from here on, as if it were a GPU."""
    torch.cuda.is_available = lambda: True
    _KEPT.enter_context(installed())
