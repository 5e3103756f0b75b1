"""The commands say in one sentence what is wrong, and never set up twice."""

import os
import re
import shutil
import socket
import stat
import subprocess
import sys

import nbformat
import pytest

from bookkit.book.address import repository_url
from bookkit.book.notebooks import notebook_paths, read_notebook
from bookkit.checking.facts import facts
from bookkit.writing.bootstrap import bootstrap_source

PIP = "-m pip install --quiet --disable-pip-version-check"
HASHED = f"{PIP} --require-hashes --no-deps --no-build-isolation"
SET_UP_LAB = [
    "python -m venv _build/lab",
    f"lab/python {HASHED} -r constraints/lab.txt",
    "python -m ipykernel install --prefix _build/lab --name python3",
]
INSTALLED = {
    f"constraints/{name}.txt"
    for name in ("build", "cuda", "king-james", "minilm", "smollm", "torch-cpu")
}
SETUP_FILES = ("Makefile", "requirements.txt", "constraints.txt", "pyproject.toml")


@pytest.fixture
def checkout(tmp_path, pytestconfig):
    """A folder with the files that set-up reads, and nothing else."""
    for name in SETUP_FILES:
        shutil.copy(pytestconfig.rootpath / name, tmp_path)
    shutil.copytree(pytestconfig.rootpath / "constraints", tmp_path / "constraints")
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


@facts("command", ["book", "test"])
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


def fake_python(checkout, *, pip_status=0, fails="nothing that is called"):
    """A Python that makes environments whose Python says how it was called.

    Its pip ends with the given status, and a call with the words that fail with 1.
    """
    inner = write_script(
        checkout / "inner-python",
        'echo "$@" >> calls\n'
        f'case "$*" in *"{fails}"*) exit 1;; "-m pip"*) exit {pip_status};; esac',
    )
    body = f'[ "$2" = venv ] && mkdir -p "$3/bin" && cp {inner} "$3/bin/python"; exit 0'
    return write_script(checkout / "fake-python", body)


def installed(checkout, *arguments, **python):
    """Set up, and return how make ended and which programs it called for what."""
    given = [f"PYTHON={fake_python(checkout, **python)}", *arguments]
    result = make(checkout, ".venv/.ready", *given)
    return result, (checkout / "calls").read_text().splitlines()


def test_only_files_whose_hashes_are_listed_are_installed(checkout):
    result, calls = installed(checkout)
    lists = ("build", "torch-cpu", "", "minilm", "king-james", "smollm")
    paths = [f"constraints/{name}.txt" if name else "constraints.txt" for name in lists]
    installs = [
        call for call in calls if call.startswith("-m pip") and "dry" not in call
    ]
    assert result.returncode == 0
    assert installs == [
        *(f"{HASHED} -r {path}" for path in paths),
        f"{PIP} --no-deps --no-build-isolation -e .",
    ]


def test_what_cuda_needs_is_installed_where_pytorch_asks_for_it(checkout):
    result, calls = installed(checkout, fails="importlib.metadata")
    assert result.returncode == 0
    assert f"{HASHED} -r constraints/cuda.txt" in calls


def test_without_a_build_for_cpus_the_other_one_is_installed(checkout):
    result, calls = installed(checkout, fails="torch-cpu.txt")
    assert result.returncode == 0
    assert f"{HASHED} -r constraints.txt" in calls


@facts("name", ["build.txt", "constraints.txt", "minilm.txt"])
def test_a_file_whose_hash_is_not_listed_ends_the_set_up(checkout, name):
    result, calls = installed(checkout, fails=name)
    assert result.returncode != 0
    assert name in calls[-1]
    assert "installing the packages failed" in sentence(result)
    assert not (checkout / ".venv").exists()


def test_requirements_that_are_not_what_is_installed_are_named(checkout):
    result, _ = installed(checkout, fails="--dry-run")
    assert result.returncode == 0
    assert "requirements.txt asks for what constraints.txt does not" in sentence(result)


@facts("target, last", [("dist", "distribution.py check _build"), ("upload", ".gz")])
def test_what_builds_and_sends_a_release_is_installed_by_its_hashes_alone(
    checkout, target, last
):
    said = make(checkout, "--dry-run", target, "PYTHON=python3").stdout.splitlines()
    lists = "-r constraints/build.txt -r constraints/upload.txt"
    tools = "_build/dist-tools"
    assert said[0] == (
        f"python3 -m venv {tools} && {tools}/bin/python {HASHED} {lists}"
    )
    assert last in said[-1]
    assert not any(".venv" in line for line in said)


def test_a_release_is_built_from_the_last_commit_and_the_packages_alone(checkout):
    text = (checkout / "Makefile").read_text(encoding="utf-8")
    [kept] = re.findall(r"^SOURCES := (.*)$", text, re.MULTILINE)
    assert kept.split()[-2:] == ["code/transformer", "code/chapters"]
    said = make(checkout, "--dry-run", "dist", "TAG=v1.2.3").stdout
    assert f"git archive HEAD {kept} | tar" in said
    assert said.rstrip().endswith('${TAG:+--tag "$TAG"}')


def test_a_failed_install_says_what_to_do_and_leaves_nothing_half_done(checkout):
    python = fake_python(checkout, pip_status=1)
    result = make(checkout, "test", f"PYTHON={python}")
    assert result.returncode != 0
    assert "installing the packages failed" in sentence(result)
    assert "run the same command again" in sentence(result)
    assert not (checkout / ".venv").exists()


def test_a_missing_venv_module_says_which_package_to_install(checkout):
    half = '[ "$2" = venv ] && { mkdir -p "$3/bin"; touch "$3/bin/python"; exit 1; }'
    python = write_script(checkout / "bare", f"{half}; exit 0")
    result = make(checkout, "test", f"PYTHON={python}")
    assert result.returncode != 0
    assert "install the package python3-venv" in sentence(result)
    assert not (checkout / ".venv").exists()


def test_set_up_happens_once_and_again_when_the_requirements_change(checkout):
    python = fake_python(checkout, pip_status=0)
    assert "Setting up" in make(checkout, "run", f"PYTHON={python}").stdout
    assert "Setting up" not in make(checkout, "run", f"PYTHON={python}").stdout
    for name in (*SETUP_FILES[1:], *sorted(INSTALLED)):
        later = (checkout / ".venv" / ".ready").stat().st_mtime + 5
        os.utime(checkout / name, (later, later))
        assert "Setting up" in make(checkout, "run", f"PYTHON={python}").stdout
        (checkout / ".venv/.ready").touch()
        os.utime(checkout / name, (later - 99, later - 99))


@pytest.fixture
def book_that_raises(checkout):
    """A checkout whose only notebook raises, with this interpreter as its own."""
    (checkout / "_config.yml").touch()
    cell = nbformat.v4.new_code_cell("raise ValueError('boom')")
    (checkout / "book").mkdir()
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), checkout / "book/a.ipynb")
    write_script(checkout / ".venv/bin/python", f'exec "{sys.executable}" "$@"')
    (checkout / ".venv/.ready").touch()
    return checkout


def test_a_notebook_that_raises_fails_make_run_and_says_what_to_do(book_that_raises):
    notebook = book_that_raises / "book/a.ipynb"
    before = notebook.read_bytes()
    result = make(book_that_raises, "run", "NOTEBOOK=book/a.ipynb")
    assert result.returncode != 0
    said = sentence(result)
    assert "book/a.ipynb, cell 1 (code cell 1) raised ValueError: boom" in said
    assert "mend the cell and run it again" in said
    assert notebook.read_bytes() == before


def test_what_is_given_on_the_command_line_is_not_run_by_the_shell(book_that_raises):
    planted = "$$(touch planted)"
    for command in (f"TO=a/{planted}", f"NOTEBOOK={planted}"):
        target = "set-repository" if command.startswith("TO") else "run"
        assert make(book_that_raises, target, command).returncode != 0
    assert not (book_that_raises / "planted").exists()


def test_each_address_of_the_repository_changes_and_changes_back(
    tmp_path, pytestconfig
):
    root, copy, page = pytestconfig.rootpath, tmp_path / "copy", tmp_path / "copy/a.md"
    left_out = shutil.ignore_patterns(".git", ".venv", "_build", "__pycache__")
    shutil.copytree(root, copy, ignore=left_out)
    old = repository_url(root).removeprefix("https://github.com/")
    new = "/".join(["Ada", "other.book"])  # which so stands in no file
    page.write_text(f"<https://github.com/{old}>, {old}-two")
    for command in (["init", "-q"], ["add", "."]):
        subprocess.run(["git", "-C", copy, *command], check=True)
    files = [path for path in copy.rglob("*") if path.is_file()]
    before = {path: path.read_bytes() for path in files if ".git" not in path.parts}

    assert make(copy, "set-repository", f"TO={new}").returncode == 0

    assert page.read_text() == f"<https://github.com/{new}>, {old}-two"
    gone = [old.encode(), "{}.github.io/{}".format(*old.split("/")).encode()]
    texts = [path.read_bytes() for path in before if path != page]
    assert not [text for text in texts if any(address in text for address in gone)]
    assert (
        f"https://{new.lower().replace('/', '.github.io/')}/".encode()
        in (copy / "README.md").read_bytes()
    )
    for path in notebook_paths(copy):
        sources = [cell.source for cell in read_notebook(path).cells]
        assert bootstrap_source(f"https://github.com/{new}") in sources
    assert make(copy, "set-repository", f"TO={old}").returncode == 0
    assert {path: path.read_bytes() for path in before} == before


@facts("name", ["", "ada", "https://github.com/ada/book", "ada/book/tree/main"])
def test_what_names_no_repository_is_refused(checkout, name):
    result = make(checkout, "set-repository", f"TO={name}")
    assert (result.returncode, "TO must be the owner" in result.stderr) == (2, True)


def ready(checkout, **programs):
    """Stand for an environment whose programs say how they were called."""
    for name in ("python", "jupyter-trust"):
        status = programs.get(name.replace("-", "_"), "exit 0")
        write_script(
            checkout / ".venv/bin" / name, f'echo {name} "$@" >> calls; {status}'
        )
    (checkout / ".venv/.ready").touch()


def test_a_broken_rule_fails_the_check(checkout):
    ready(checkout, python="exit 1")
    (checkout / "a.ipynb").touch()
    assert make(checkout, "check", "NOTEBOOK=a.ipynb").returncode != 0
    assert len((checkout / "calls").read_text().splitlines()) == 1


@facts("given", [[], ["NOTEBOOK=none.ipynb"]])
def test_what_is_about_one_notebook_must_be_told_which(checkout, given):
    result = make(checkout, "check", *given)  # where nothing is installed yet
    assert result.returncode != 0
    said = sentence(result)
    assert "make check: NOTEBOOK must be the path of a notebook, got '" in said
    assert "try: make check NOTEBOOK=book/" in said
    assert not (checkout / "calls").exists()


def test_the_book_opens_in_jupyterlab_with_its_figures_trusted(checkout):
    made = '[ "$2" = venv ] && mkdir -p "$3/bin" && cp programs/* "$3/bin"; exit 0'
    ready(checkout, python=made)
    for name in ("python", "jupyter-lab"):
        write_script(checkout / "programs" / name, f'echo lab/{name} "$@" >> calls')
    (checkout / "book/part").mkdir(parents=True)
    (checkout / "book/part/a.ipynb").touch()
    opened = ["jupyter-trust book/part/a.ipynb", "lab/jupyter-lab --notebook-dir book"]
    for before in (SET_UP_LAB, []):
        assert make(checkout, "lab").returncode == 0
        assert (checkout / "calls").read_text().splitlines() == [*before, *opened]
        (checkout / "calls").unlink()


PROBE = """\
import time, torch, urllib.request
print(torch.backends.cpu.get_cpu_capability() == 'AVX512')
print(time.localtime().tm_gmtoff == 14 * 3600)
try:
    print(urllib.request.urlopen('http://example.org', timeout=9))
except OSError as error:
    print('refused' in str(error))
"""


def test_what_runs_as_on_another_computer_finds_itself_there(checkout):
    ready(checkout, python=f'exec {sys.executable} -c "{PROBE}"')
    said = make(checkout, "determinism").stdout.splitlines()
    assert said[:3] == ["False", "True", "True"]
    kept = checkout / "_build/second-device/profile_default/startup/00-device.py"
    assert "second_device" in kept.read_text(encoding="utf-8")


def test_a_taken_port_is_named(checkout):
    write_script(
        checkout / ".venv/bin/python",
        f'[ "$2" = http.server ] && exec "{sys.executable}" "$@"; exit 0',
    )
    write_script(checkout / ".venv/bin/jupyter-book", "mkdir -p _build/html")
    (checkout / ".venv/.ready").touch()
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        result = make(checkout, "serve", f"PORT={busy.getsockname()[1]}")
    assert result.returncode != 0
    assert "is taken, choose another: make serve PORT=8001" in sentence(result)


def test_help_lists_every_command_in_one_line(checkout):
    text = (checkout / "Makefile").read_text(encoding="utf-8")
    commands = re.search(r"^\.PHONY: (.*)$", text, re.MULTILINE)[1].split()
    lines = make(checkout).stdout.splitlines()
    assert [line.split()[1] for line in lines] == commands
    assert all(len(line.split()) > 3 and len(line) <= 88 for line in lines)
