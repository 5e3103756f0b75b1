"""Do what the README says, as somebody would who has just found the book.

Clones this repository into an empty folder, with an empty home, no virtual environment
and nothing but the interpreter named and the system's programs in the path. Runs each
command under "Two commands" as it stands there, one after the other. Needs the standard
library only, so that it also runs on a bare machine:
python3 tests/first_use/first_use.py.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HEADING = "Two commands"
# How this machine reaches the packages, which is not the book's business.
NETWORK = ("PIP_", "http_proxy", "https_proxy", "no_proxy", "SSL_CERT_", "HTTP")
SYSTEM = "/usr/local/bin:/usr/bin:/bin"
PAGES = ("index.html", "book/index.html", "search.html")


class FirstUseError(Exception):
    """What a newcomer would stumble over, in one sentence."""


def read_commands(readme: str, only: str = "") -> list[str]:
    """Return the commands of the README, without their comments.

    Args:
        readme: The text of the README.
        only: Leave out the commands that do not hold this.

    Raises:
        FirstUseError: There are none.
    """
    block = re.search(rf"## {HEADING}\n.*?```sh\n(.*?)```", readme, re.DOTALL)
    lines = block[1].splitlines() if block else []
    commands = [line.partition("#")[0].strip() for line in lines]
    commands = [command for command in commands if command and only in command]
    if not commands:
        raise FirstUseError(
            f"README.md must have a block of commands under '## {HEADING}'"
            + (f", one with '{only}', and has none." if only else ", and has none.")
        )
    return commands


def find_interpreter(python: str) -> str:
    """Return the path of an interpreter itself, also where a shim stands for it.

    Raises:
        FirstUseError: There is none of that name, or it does not run.
    """
    question = [python, "-c", "import sys; print(sys.executable)"]
    try:
        found = subprocess.run(question, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        raise FirstUseError(
            f"'{python}' must be an interpreter that runs here, and is not: install "
            "it, or name another one."
        ) from None
    return found.stdout.strip()


def prepare(folder: Path, interpreter: str) -> tuple[Path, dict[str, str]]:
    """Clone the last commit and return the clone and a newcomer's variables."""
    clone, home, programs = (folder / name for name in ("book", "home", "bin"))
    for made in (home, programs):
        made.mkdir()
    # A link would keep a virtual environment's interpreter from finding its own.
    script = programs / "python3"
    script.write_text(f'#!/bin/sh\nexec "{interpreter}" "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    command = [
        "git",
        "-c",
        "advice.detachedHead=false",
        "clone",
        "--quiet",
        ROOT,
        clone,
    ]
    subprocess.run(command, check=True)
    variables = {k: v for k, v in os.environ.items() if k.startswith(NETWORK)}
    return clone, variables | {"PATH": f"{programs}:{SYSTEM}", "HOME": str(home)}


def run_command(command: str, clone: Path, variables: dict[str, str]) -> float:
    """Run one command in the clone and return its seconds.

    Raises:
        FirstUseError: It fails, or leaves files that git does not ignore.
    """
    start = time.monotonic()
    shell = ["bash", "-c", command]
    done = subprocess.run(shell, cwd=clone, env=variables, stdin=subprocess.DEVNULL)
    if done.returncode:
        raise FirstUseError(
            f"'{command}' must work in a fresh clone, and ended with the status "
            f"{done.returncode}; what it said stands above."
        )
    status = ["git", "status", "--porcelain"]
    left = subprocess.run(status, cwd=clone, capture_output=True, text=True, check=True)
    if left.stdout:
        raise FirstUseError(
            f"'{command}' must leave the files of the repository as they are; git "
            f"says: {left.stdout.strip()}."
        )
    return time.monotonic() - start


def try_out(python: str, only: str, parent: Path) -> list[str]:
    """Do all this with one interpreter and say how long each command took.

    Raises:
        FirstUseError: Something did not work.
    """
    commands = read_commands((ROOT / "README.md").read_text("utf-8"), only)
    interpreter = find_interpreter(python)
    folder = Path(tempfile.mkdtemp(prefix="first-use-", dir=parent))
    try:
        clone, variables = prepare(folder, interpreter)
        lines = []
        for command in commands:
            seconds = run_command(command, clone, variables)
            lines.append(f"{python}: '{command}' worked, in {seconds:.0f} s")
        if any("book" in command for command in commands):
            missing = [p for p in PAGES if not (clone / "_build/html" / p).is_file()]
            if missing:
                raise FirstUseError(
                    f"The book must have {', '.join(PAGES)} once it is built, and "
                    f"lacks {', '.join(missing)}."
                )
        return lines
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Try each interpreter; a fault is one sentence and the exit code 1."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("python", nargs="*", default=["python3"], help="interpreters")
    parser.add_argument("--only", default="", help="commands that hold this")
    parser.add_argument("--folder", type=Path, help="where to make the clones")
    options = parser.parse_args(arguments)
    lines, faults = [], []
    for python in options.python:
        try:
            lines += try_out(python, options.only, options.folder)
        except FirstUseError as fault:
            faults.append(f"first use, {python}: {fault}")
    print("\n".join(lines))
    if faults:
        print("\n".join(faults), file=sys.stderr)
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
