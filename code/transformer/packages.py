"""Packages that only a part of this one needs."""

import importlib
from types import ModuleType


def need(module: str, *, what: str, install: str | None = None) -> ModuleType:
    """Return a module, imported now.

    Args:
        module: Its name.
        what: What cannot do without it, with the verb, for the message.
        install: The packages to install; that of the module when not given.

    Raises:
        ImportError: If it is missing; the message says what to install.
    """
    package = module.partition(".")[0]
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(
            f"{what} {package}, which is not installed; run: pip install "
            f"{install or package}"
        ) from error
