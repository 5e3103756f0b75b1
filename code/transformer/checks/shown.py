"""What a module shows of itself when it is printed: what its constructor was given."""

import inspect

from torch import nn

PLACE = "_given"  # in the dictionary of the module, where no parameter is looked for


def keep_given(signature: inspect.Signature, args: tuple, kwargs: dict) -> None:
    """Keep the plain values that differ from the defaults of a constructor."""
    (_, module), *given = signature.bind(*args, **kwargs).arguments.items()
    if isinstance(module, nn.Module):
        vars(module)[PLACE] = {
            name: value
            for name, value in given
            if isinstance(value, int | float | str)
            and value != signature.parameters[name].default
        }


def show_given(module: nn.Module) -> str:
    """Return sizes and choices for the line of a module, as `extra_repr` does."""
    given = vars(module).get(PLACE, {})
    return ", ".join(f"{name}={value!r}" for name, value in given.items())
