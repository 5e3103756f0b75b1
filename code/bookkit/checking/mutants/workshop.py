"""A folder where mutmut works: the book laid out as it expects, and its settings."""

import ast
import configparser
import os
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

from bookkit.book.errors import BookError
from bookkit.checking.colab.environment import layered, new_environment, packages_of
from bookkit.checking.mutants.trials import LEFT_OUT

FOLDER, REQUIREMENTS = "_build/mutants", "constraints/mutants.txt"
# mutmut finds a package in src/ only, and names a mutant after the path from there.
FOLDERS = {"code": "src", "tests": "tests", "book": "book"}
FILES = ("README.md", "_config.yml", "_toc.yml")
SOURCES = "src/transformer"
# As the script `mutmut` does; run with -m, mutmut would be imported twice.
COMMAND = "from mutmut.__main__ import cli; cli()"
# The commands are left out: their tests start processes, and train for a minute.
LEFT_ALONE = ("src/transformer/commands/*", "src/transformer/__main__.py")
TESTS = (
    *("checks", "layers", "blocks", "models", "costs", "laws"),
    *("decoding", "training", "data", "zoo"),
    *("test_config.py", "test_files.py", "test_packages.py"),
)
# They read names of functions and where files lie, and mutmut changes both.
LEFT_OUT_TESTS = (
    "tests/checks/test_doors.py::test_a_model_checks_at_its_door_and_nowhere_else",
    "tests/test_packages.py::test_each_extra_that_a_message_names_installs_the_package",
)


class Workshop:
    """The folder, brought up to date, with an environment that has mutmut.

    Args:
        root: The book's root, which stays as it is.

    Raises:
        BookError: mutmut cannot be installed.
    """

    def __init__(self, root: Path) -> None:
        self.root, self.folder = root, root / FOLDER / "book"
        base = root / FOLDER / "mutmut"
        own = new_environment(base, sys.executable, root / REQUIREMENTS)
        environment = root / FOLDER / "env"
        if not environment.exists():
            book = packages_of(Path(sys.prefix))
            layered(environment, base / "bin/python", own, book)
        self.python = environment / "bin/python"
        self._lay_out()

    @property
    def results(self) -> Path:
        """Where mutmut keeps what it has found out."""
        return self.folder / "mutants"

    def mutmut(self, *arguments: str, shown: bool = False) -> str:
        """Run a command of mutmut and return what it said.

        Args:
            *arguments: The command and what it is about.
            shown: Whether to pass on what it says meanwhile.

        Raises:
            BookError: The command failed.
        """
        result = subprocess.run(
            [self.python, "-c", COMMAND, *arguments],
            cwd=self.folder,
            env=os.environ | {"PYTHONPATH": str(self.results / "src")},
            stdout=None if shown else subprocess.PIPE,
            encoding="utf-8",
            check=False,
        )
        if result.returncode:
            raise BookError(
                f"mutmut {arguments[0]} must end well, and ended with "
                f"{result.returncode}; its words stand above."
            )
        return result.stdout or ""

    def _lay_out(self) -> None:
        """Copy what has changed, drop what has gone, and write the settings."""
        for source, target in FOLDERS.items():
            mirror(self.root / source, self.folder / target)
        for name in FILES:
            shutil.copy(self.root / name, self.folder / name)
        # Python forgets a folder of its path that is not there when it starts.
        (self.results / "src").mkdir(parents=True, exist_ok=True)
        text = (self.root / "pyproject.toml").read_text(encoding="utf-8")
        settings = settings_for_mutmut(tomllib.loads(text))
        with (self.folder / "setup.cfg").open("w", encoding="utf-8") as file:
            settings.write(file)


def mirror(source: Path, target: Path) -> None:
    """Make a folder like another one; files that are alike keep their times.

    mutmut renews the mutants of a file when it is newer than they are.
    """
    ignored = shutil.ignore_patterns(*LEFT_OUT)
    target.mkdir(parents=True, exist_ok=True)
    names = {path.name for path in source.iterdir()}
    names -= ignored(str(source), list(names))
    for path in target.iterdir():
        if path.name not in names:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    for name in sorted(names):
        old, new = source / name, target / name
        if old.is_dir():
            mirror(old, new)
        else:
            wanted = old.read_bytes()
            if b"\n@door(" in wanted:
                wanted = doors_below(wanted.decode()).encode()
            if not new.exists() or new.read_bytes() != wanted:
                new.write_bytes(wanted)


def doors_below(source: str) -> str:
    """Return source in which each function is decorated below its definition.

    mutmut leaves a function alone that has a decorator.
    """
    lines = source.split("\n")
    for node in reversed(ast.parse(source).body):
        for decorator in getattr(node, "decorator_list", []):
            written = ast.get_source_segment(source, decorator)
            if isinstance(node, ast.FunctionDef) and written.startswith("door("):
                below = f"{node.name} = {written}({node.name})"
                lines.insert(node.end_lineno, f"\n\n{below}")
                del lines[decorator.lineno - 1 : decorator.end_lineno]
    return "\n".join(lines)


def settings_for_mutmut(project: dict) -> configparser.ConfigParser:
    """Return the settings of pytest, fit for mutmut, and those of mutmut.

    Args:
        project: What pyproject.toml of the book holds.
    """
    pytest = dict(project["tool"]["pytest"]["ini_options"])
    options = [o for o in pytest["addopts"] if not o.startswith("--jaxtyping")]
    options += ["-p", "bookkit.checking.mutants.checked", "-m", "not compiled"]
    options += [f"--deselect={test}" for test in LEFT_OUT_TESTS]
    # bookkit is loaded when pytest starts a second session in one process.
    options += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]
    pytest |= {"addopts": [shlex.join(options)]}
    pytest.pop("timeout", None)  # mutmut has its own
    mutmut = {
        "source_paths": [SOURCES],
        "do_not_mutate": LEFT_ALONE,
        "also_copy": ["src/bookkit", "src/chapters", "book", *FILES],
        "pytest_add_cli_args_test_selection": [f"tests/{name}" for name in TESTS],
        # Never call a mutant stuck because the machine is busy.
        "timeout_constant": "30",
        "timeout_multiplier": "5",
        "use_git_change_detection": "false",
    }
    settings = configparser.ConfigParser(interpolation=None)
    settings.read_dict({"tool:pytest": _lines(pytest), "mutmut": _lines(mutmut)})
    return settings


def _lines(section: dict) -> dict[str, str]:
    """Write lists as lines."""
    return {
        key: value if isinstance(value, str) else "\n" + "\n".join(value)
        for key, value in section.items()
    }
