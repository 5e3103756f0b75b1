"""Write constraints.txt: what the packages of requirements.txt bring with them."""

import subprocess
import sys
from pathlib import Path

from bookkit.book.errors import BookError
from bookkit.book.files import replace_file
from bookkit.book.pins import oldest_python, pins

HEADER = (
    "# What the packages of requirements.txt bring with them; "
    "written by `make constraints`."
)
UV = (sys.executable, "-m", "uv", "pip", "compile", "--quiet")
_MACHINE = ("nvidia-", "cuda-", "triton")  # come and go with the machine's GPU


def write_constraints(root: Path) -> None:
    """Write constraints.txt; a pin that stands there stays as long as it fits.

    Raises:
        BookError: There are no versions that fit together.
    """
    file = root / "constraints.txt"
    target = ("--output-file", file, "--python-version", oldest_python(root))
    named = [f"--no-emit-package={name}" for name in pins(root)]
    asked = [*UV, "requirements.txt", *target, *named, "--no-annotate", "--no-header"]
    if subprocess.run(asked, cwd=root).returncode:
        raise BookError(
            "What requirements.txt names must be found and fit together, and does not "
            "(the reason stands above); mend its pins, or check the network."
        )
    lines = file.read_text("utf-8").splitlines()
    pinned = [line.partition("+")[0] for line in lines if not line.startswith(_MACHINE)]
    replace_file(file, "\n".join([HEADER, *pinned, ""]).encode("utf-8"))
