"""A pytest plugin for a tool that plants mutants and tests them in forked processes.

Shapes in type hints are checked in the first session of a process. The option of
jaxtyping does the same and refuses a second session, and such a tool runs many in one
process, on a package that is loaded already.

Bars of progress are watched by no thread: it may hold a lock while a process is forked,
and there it would never be given back. What functions keep by `functools.cache` is
forgotten, since a mutant must compute it again.
"""

import sys

from jaxtyping import install_import_hook
from tqdm import tqdm

PACKAGE, CHECKER = "transformer", "beartype.beartype"


def pytest_load_initial_conftests() -> None:
    """Check what is imported from now on, start no thread, forget what was computed."""
    tqdm.monitor_interval = 0
    if PACKAGE not in sys.modules:
        install_import_hook([PACKAGE], CHECKER)
    forget()


def forget() -> None:
    """Clear what functions of the package keep."""
    loaded = [m for name, m in sys.modules.items() if name.split(".")[0] == PACKAGE]
    for value in [value for module in loaded for value in vars(module).values()]:
        if hasattr(value, "cache_clear"):
            value.cache_clear()
