"""Write the bill of materials: what the site and the package were made with."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from packaging.utils import canonicalize_name

from bookkit.book.errors import BookError
from bookkit.checking.colab.environment import new_environment

FOLDER, LIST = "_build/bill", "constraints/bill.txt"
BILL = Path(FOLDER, "bill-of-materials.cdx.json")
PAGE = "book/using_this_book.md"
# A row of the page: what others made of the site, its version and its license.
_ROW = re.compile(
    r"^\| \[([^\]]+)\]\(([^)]+)\)[^|]*\| ([\d.]+)[^|]*\| ([^|]+) \|$", re.M
)


def make_bill(root: Path, python: str = sys.executable) -> Path:
    """Write the bill in the form of CycloneDX, and return where it is.

    It names each package of the environment, and what the site carries that comes in
    none of them, such as fonts.

    Args:
        root: The book's root.
        python: The interpreter of the environment that the book is made with.

    Raises:
        BookError: The tool that lists packages cannot be installed, or fails.
    """
    file = root / BILL
    new_environment(root / FOLDER / "env", sys.executable, root / LIST)
    tool = (root / FOLDER / "env/bin/cyclonedx-py", "environment", python)
    settings = ("--pyproject", root / "pyproject.toml", "--output-reproducible")
    command = [*tool, *settings, "--output-file", file]
    if subprocess.run(command).returncode:
        raise BookError(
            f"cyclonedx-py must list the packages of {python}, and does not (the "
            f"reason stands above); remove {FOLDER}, then run the same command again."
        )
    bill = json.loads(file.read_text("utf-8"))
    packages = {canonicalize_name(listed["name"]) for listed in bill["components"]}
    for name, *others in _ROW.findall((root / PAGE).read_text("utf-8")):
        if canonicalize_name(name.replace(" ", "-")) not in packages:
            bill["components"].append(_component(name, *others))
    file.write_text(json.dumps(bill, indent=2) + "\n", "utf-8")
    return file


def _component(name: str, url: str, version: str, license: str) -> dict[str, Any]:
    """Describe what is no package of Python."""
    return {
        "type": "library",
        "bom-ref": f"{name}=={version}",
        "name": name,
        "version": version,
        "licenses": [{"license": {"name": license}}],
        "externalReferences": [{"type": "website", "url": url}],
    }


def faults_of_bill(file: Path, pins: dict[str, str]) -> list[str]:
    """List what a bill lacks.

    Args:
        file: The bill.
        pins: The versions that the book asks for, by package.
    """
    try:
        bill = json.loads(file.read_text("utf-8"))
        found = {canonicalize_name(c["name"]): c["version"] for c in bill["components"]}
    except (OSError, ValueError, KeyError, TypeError):
        return [f"{file.name} is no bill of materials"]
    # PyTorch's build for CPUs is of the version that is asked for.
    versions = {name: version.partition("+")[0] for name, version in found.items()}
    return [
        f"{file.name} lacks {name} {version}"
        for name, version in pins.items()
        if versions.get(canonicalize_name(name)) != version
    ]
