"""The largest tensor that a computation makes on its way."""

from collections.abc import Callable

from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves


class Largest(TorchDispatchMode):
    """Note how many numbers the largest tensor has that is made inside the block."""

    def __init__(self) -> None:
        super().__init__()
        self.numbers = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        made = func(*args, **(kwargs or {}))
        sizes = [leaf.numel() for leaf in tree_leaves(made) if isinstance(leaf, Tensor)]
        self.numbers = max(self.numbers, *sizes, 0)
        return made


def largest_made(call: Callable[[], object]) -> int:
    """Return how many numbers the largest tensor has that a call makes."""
    with Largest() as mode:
        call()
    return mode.numbers
