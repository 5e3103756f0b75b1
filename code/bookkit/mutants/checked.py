"""A pytest plugin: shapes in type hints are checked in the first session of a process.

The option of jaxtyping does the same and refuses a second session. A tool that plants
mutants runs many in one process, on a package that is loaded already.
"""

import sys

from jaxtyping import install_import_hook

PACKAGE, CHECKER = "transformer", "beartype.beartype"


def pytest_load_initial_conftests() -> None:
    """Check what is imported from now on."""
    if PACKAGE not in sys.modules:
        install_import_hook([PACKAGE], CHECKER)
