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

    A layer number is written `{}`. A key of `names` and `readings` is one of our
    parameters, and in `names` it may also be a module, for all its parameters.

    Args:
        source: The classes whose tensors these are, for error messages.
        names: From our names to the stored ones.
        readings: How to read each parameter that is not stored as we hold it.
        spellings: Regular expressions of older spellings, and what to write instead.
        tied: From a stored duplicate to the stored tensor that it must equal.
        tables: Stored constants, which must equal ours.
        ignored: Regular expressions of stored tensors that the model has no use for.
    """

    source: str
    names: Mapping[str, str]
    readings: Mapping[str, Reading] = field(default_factory=dict)
    spellings: Mapping[str, str] = field(default_factory=dict)
    tied: Mapping[str, str] = field(default_factory=dict)
    tables: Mapping[str, Tensor] = field(default_factory=dict)
    ignored: tuple[str, ...] = ()

    def stored_name(self, name: str) -> str | None:
        """Return under which name a parameter is stored; None if it is not."""
        number = re.search(r"\d+", name)
        template = _template(name)
        module, _, leaf = template.rpartition(".")
        stored = self.names.get(template)
        if stored is None and module in self.names:
            stored = f"{self.names[module]}.{leaf}"
        return None if stored is None else stored.format(number and number[0])

    def reading(self, name: str) -> Reading:
        """Return how to read a parameter."""
        return self.readings.get(_template(name), AS_STORED)

    def spell(self, name: str) -> str:
        """Return the present spelling of a stored name."""
        for old, new in self.spellings.items():
            name = re.sub(old, new, name)
        return name

    def ignores(self, name: str) -> bool:
        """Return whether the model has no use for a stored tensor."""
        return any(re.fullmatch(pattern, name) for pattern in self.ignored)


def _template(name: str) -> str:
    """Return a name with `{}` for its layer number."""
    return re.sub(r"\d+", "{}", name)


def layer_names(ours: str, theirs: str, modules: Mapping[str, str]) -> dict[str, str]:
    """Return the names of the modules of one kind of layer.

    Args:
        ours: What our names of these modules start with, such as "decoder.layers.{}".
        theirs: What the stored names start with.
        modules: From our names inside a layer to the stored ones.
    """
    return {f"{ours}.{key}": f"{theirs}.{value}" for key, value in modules.items()}
