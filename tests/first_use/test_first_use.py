"""The script that tries the README's commands stumbles where a newcomer would."""

import os
import subprocess
import sys

import first_use
import pytest

from bookkit.checking.facts import facts

README = "# Book\n\n## Two commands\n\nYou need this.\n\n```sh\n{}```\n"
BLOCK = "make book    # build\nmake test\n"


def test_commands_are_those_of_the_readme():
    assert first_use.read_commands(README.format(BLOCK)) == ["make book", "make test"]
    assert first_use.read_commands(README.format(BLOCK), "test") == ["make test"]
    readme = (first_use.ROOT / "README.md").read_text("utf-8")
    assert first_use.read_commands(readme) == ["make book", "make test"]


@facts(
    "readme, only, said",
    [
        ("# Book\n", "", "under '## Two commands', and has none"),
        (README.format(BLOCK), "bake", "one with 'bake', and has none"),
    ],
)
def test_a_readme_without_commands_is_named(readme, only, said):
    with pytest.raises(first_use.FirstUseError, match=said):
        first_use.read_commands(readme, only)


@facts("python", ["no-such-python", "false"])
def test_an_interpreter_that_does_not_run_is_named(python):
    with pytest.raises(first_use.FirstUseError, match=f"'{python}' must be an interp"):
        first_use.find_interpreter(python)


@pytest.fixture
def origin(tmp_path, monkeypatch):
    """A repository of one commit, whose commands a test sets."""

    def make(commands):
        folder = tmp_path / "origin"
        folder.mkdir(exist_ok=True)
        (folder / "README.md").write_text(README.format(commands), "utf-8")
        name = ["-c", "user.name=N", "-c", "user.email=n@example.org"]
        for command in (["init", "-q"], ["add", "."], [*name, "commit", "-qm", "One"]):
            subprocess.run(["git", *command], cwd=folder, check=True)
        monkeypatch.setattr(first_use, "ROOT", folder)
        return folder

    return make


def test_a_newcomer_has_an_empty_home_and_the_interpreter_named(
    origin, tmp_path, monkeypatch, capfd
):
    monkeypatch.setenv("VIRTUAL_ENV", "/elsewhere")
    monkeypatch.setenv("PYTHONPATH", "/elsewhere")
    origin('ls -A "$HOME"; python3 -c "import sys; print(sys.version)"; env\n')
    assert first_use.main([sys.executable, "--folder", str(tmp_path)]) == 0
    said = capfd.readouterr().out
    assert said.startswith(sys.version.splitlines()[0])
    assert "/elsewhere" not in said
    assert f"{sys.executable}: 'ls -A" in said.splitlines()[-1]
    assert os.listdir(tmp_path) == ["origin"]


@facts(
    "commands, said",
    [
        ("true\nexit 3\n", "'exit 3' must work in a fresh clone, and ended with the"),
        ("touch left\n", "must leave the files of the repository as they are; git say"),
        ("echo book\n", "lacks index.html, book/index.html, search.html"),
    ],
)
def test_what_does_not_work_is_said_in_a_sentence(
    origin, tmp_path, capfd, commands, said
):
    origin(commands)
    assert first_use.main([sys.executable, "--folder", str(tmp_path)]) == 1
    assert said in capfd.readouterr().err
