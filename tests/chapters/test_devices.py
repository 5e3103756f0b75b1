"""A chapter computes on the device of its reader, not on that of its import."""

from collections.abc import Mapping, Set
from importlib import import_module
from pkgutil import walk_packages

from torch import Tensor, nn

import chapters
import transformer
from bookkit.checking.facts import facts

NAMES = [
    module.name
    for package in (chapters, transformer)
    for module in walk_packages(package.__path__, f"{package.__name__}.")
    if not module.name.endswith("__main__")
]


def tensors_in(value):
    """Whether a value is a tensor, or holds one."""
    if isinstance(value, nn.Module):
        return any(True for _ in value.parameters())
    if isinstance(value, Mapping):
        return any(map(tensors_in, value.values()))
    if isinstance(value, list | tuple | Set):
        return any(map(tensors_in, value))
    return isinstance(value, Tensor)


@facts("name", NAMES)
def test_no_tensor_is_made_at_import(name):
    assert [k for k, v in vars(import_module(name)).items() if tensors_in(v)] == []


def test_a_tensor_is_found_wherever_it_is_held():
    x = nn.Linear(2, 3)
    for value in (x, x.weight, {"a": [x.bias]}, (1, ("b", x.bias))):
        assert tensors_in(value)
    assert not tensors_in({"a": [nn.ReLU(), "b", {3}, Tensor]})
