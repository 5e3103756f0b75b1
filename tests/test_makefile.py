"""The commands say in one sentence what is wrong, and never set up twice."""

import os
import re
import shutil
import stat
import subprocess

import pytest

SETUP_FILES = ("Makefile", "requirements.txt", "constraints.txt", "pyproject.toml")


@pytest.fixture
def checkout(tmp_path, pytestconfig):
    """A folder with the files that set-up reads, and nothing else."""
    for name in SETUP_FILES:
        shutil.copy(pytestconfig.rootpath / name, tmp_path)
    return tmp_path


def make(folder, *arguments):
    """Run make as a newcomer would, without what this test run brings along."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("MAKE")}
    return subprocess.run(
        ["make", *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def write_script(path, body):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def sentence(result):
    """Return what make said last, before its own line about the failed target."""
    said = (result.stdout + result.stderr).splitlines()
    return next(line for line in reversed(said) if not line.startswith("make: ***"))


@pytest.mark.parametrize("command", ["book", "test"])
def test_a_missing_python_is_named(checkout, command):
    result = make(checkout, command, "PYTHON=no-such-python")
    assert result.returncode != 0
    assert "no 'no-such-python' here; install Python 3.11 or newer" in sentence(result)


def test_a_python_that_is_too_old_is_named_with_its_version(checkout):
    old = write_script(
        checkout / "old-python",
        '[ "$1" = -V ] && { echo Python 3.9.18; exit 0; }; exit 1',
    )
    result = make(checkout, "book", f"PYTHON={old}")
    assert result.returncode != 0
    assert "Python 3.11 or newer is needed" in sentence(result)
    assert "is Python 3.9.18; install one, or say which" in sentence(result)


def fake_python(checkout, *, pip_status):
    """A Python that makes environments whose pip ends with the given status."""
    inner = f"[ $2 = pip ] && exit {pip_status}; exit 0"
    body = (
        'if [ "$2" = venv ]; then mkdir -p "$3/bin"; '
        f"printf '#!/bin/sh\\n{inner}\\n' > \"$3/bin/python\"; "
        'chmod +x "$3/bin/python"; fi; exit 0'
    )
    return write_script(checkout / "fake-python", body)


def test_a_failed_install_says_what_to_do_and_leaves_nothing_half_done(checkout):
    python = fake_python(checkout, pip_status=1)
    result = make(checkout, "test", f"PYTHON={python}")
    assert result.returncode != 0
    assert "installing the packages failed" in sentence(result)
    assert "run the same command again" in sentence(result)
    assert not (checkout / ".venv").exists()


def test_a_missing_venv_module_says_which_package_to_install(checkout):
    python = write_script(checkout / "bare", '[ "$2" = venv ] && exit 1; exit 0')
    result = make(checkout, "test", f"PYTHON={python}")
    assert result.returncode != 0
    assert "install the package python3-venv" in sentence(result)


def test_set_up_happens_once_and_again_when_the_requirements_change(checkout):
    python = fake_python(checkout, pip_status=0)
    assert "Setting up" in make(checkout, "run", f"PYTHON={python}").stdout
    assert "Setting up" not in make(checkout, "run", f"PYTHON={python}").stdout
    requirements = checkout / "requirements.txt"
    later = (checkout / ".venv" / ".ready").stat().st_mtime + 5
    os.utime(requirements, (later, later))
    assert "Setting up" in make(checkout, "run", f"PYTHON={python}").stdout


def test_a_fault_in_the_book_fails_and_is_not_forgotten_by_the_next_run(checkout):
    make(checkout, "run", f"PYTHON={fake_python(checkout, pip_status=0)}")
    write_script(checkout / ".venv" / "bin" / "jupyter-book", "mkdir -p _build; exit 1")
    result = make(checkout, "book")
    assert result.returncode != 0
    assert "the book has a fault, named above" in sentence(result)
    assert not (checkout / "_build").exists()


def test_a_notebook_that_raises_fails_make_run(checkout):
    write_script(
        checkout / ".venv" / "bin" / "python",
        'echo "bookkit run: book/a.ipynb, cell 7: ValueError: x"; exit 1',
    )
    (checkout / ".venv" / ".ready").touch()
    result = make(checkout, "run")
    assert result.returncode != 0
    assert sentence(result) == "bookkit run: book/a.ipynb, cell 7: ValueError: x"


def test_help_lists_every_command_in_one_line(checkout):
    text = (checkout / "Makefile").read_text(encoding="utf-8")
    commands = re.search(r"^\.PHONY: (.*)$", text, re.MULTILINE)[1].split()
    lines = make(checkout).stdout.splitlines()
    assert [line.split()[1] for line in lines] == commands
    assert all(len(line.split()) > 3 and len(line) <= 88 for line in lines)
