"""Packages that only a part of this one needs, and the extras that install them."""

import importlib
from types import ModuleType

DISTRIBUTION = "tested-transformer"


def need(module: str, *, what: str, extra: str) -> ModuleType:
    """Return a module, imported now.

    Args:
        module: Its name.
        what: What cannot do without it, with the verb, for the message.
        extra: The extra of this distribution that installs it.

    Raises:
        ImportError: If it is missing; the message says what to install.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(
            f"{what} {module.partition('.')[0]}, which is not installed; run: "
            f"{installing(extra)}"
        ) from error


def installing(extra: str) -> str:
    """Return the command that installs an extra of this distribution."""
    return f'pip install "{DISTRIBUTION}[{extra}]"'
