"""What is asked of values and weights together that a tensor has."""

from torch import Tensor


def missing_in_pair(pair: tuple, name: str) -> object:
    """Say that a pair is no tensor, and which part of it is.

    This is the `__getattr__` of what attention returns.

    Raises:
        AttributeError: Always: only what is not found otherwise comes here.
    """
    said = f"{type(pair).__name__!r} object has no attribute {name!r}"
    if name.startswith("_") or not hasattr(Tensor, name):
        raise AttributeError(said)
    raise AttributeError(
        f"{said}, because attention returns values and weights; write .values.{name}."
    )
