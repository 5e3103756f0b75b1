"""Layouts: where another implementation stores each of our parameters."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from torch import Tensor

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Reading:
    """Describe how one of our parameters lies inside a stored tensor.

    Args:
        shape: From the shape of our parameter to the shape that is stored.
        take: From the stored tensor to our parameter; it only moves numbers, so it
            serves for gradients as well.
    """

    shape: Callable[[Shape], Shape]
    take: Callable[[Tensor], Tensor]


AS_STORED = Reading(lambda shape: shape, lambda stored: stored)


@dataclass(frozen=True, kw_only=True)
class Layout:
    """Describe how another implementation stores one model.

    The number of a layer is written `{}`, and so is that of an expert. A key of `names`
    and `readings` is one of our parameters, and in `names` it may also be a module, for
    all its parameters.

    Args:
        source: The classes whose tensors these are, for error messages.
        names: From our names to the stored ones.
        readings: How to read each parameter that is not stored as we hold it; from
            the number of an expert, where several lie in one stored tensor.
        spellings: Regular expressions of older spellings, and what to write instead.
        tied: From a stored duplicate to the stored tensor that it must equal, unless
            the model has a parameter of its own for it.
        tables: Stored constants, which must equal ours.
        ignored: Regular expressions of stored tensors that the model has no use for.
    """

    source: str
    names: Mapping[str, str]
    readings: Mapping[str, Reading | Callable[[int], Reading]] = field(
        default_factory=dict
    )
    spellings: Mapping[str, str] = field(default_factory=dict)
    tied: Mapping[str, str] = field(default_factory=dict)
    tables: Mapping[str, Tensor] = field(default_factory=dict)
    ignored: tuple[str, ...] = ()

    def stored_name(self, name: str) -> str | None:
        """Return under which name a parameter is stored; None if it is not."""
        template = _template(name)
        module, _, leaf = template.rpartition(".")
        stored = self.names.get(template)
        if stored is None and module in self.names:
            stored = f"{self.names[module]}.{leaf}"
        return None if stored is None else stored.format(*_numbers(name))

    def reading(self, name: str) -> Reading:
        """Return how to read a parameter."""
        found = self.readings.get(_template(name), AS_STORED)
        return found if isinstance(found, Reading) else found(int(_numbers(name)[1]))

    def spell(self, name: str) -> str:
        """Return the present spelling of a stored name."""
        for old, new in self.spellings.items():
            name = re.sub(old, new, name)
        return name

    def ignores(self, name: str) -> bool:
        """Return whether the model has no use for a stored tensor."""
        return any(re.fullmatch(pattern, name) for pattern in self.ignored)


def _numbers(name: str) -> list[str]:
    """Return the numbers of a name: of its layer, and within the layer."""
    return re.findall(r"\d+", name)


def _template(name: str) -> str:
    """Return a name with `{}` for each of its numbers."""
    return re.sub(r"\d+", "{}", name)


def layer_names(ours: str, theirs: str, modules: Mapping[str, str]) -> dict[str, str]:
    """Return the names of the modules of one kind of layer.

    Args:
        ours: What our names of these modules start with, such as "decoder.layers.{}".
        theirs: What the stored names start with.
        modules: From our names inside a layer to the stored ones.
    """
    return {f"{ours}.{key}": f"{theirs}.{value}" for key, value in modules.items()}
