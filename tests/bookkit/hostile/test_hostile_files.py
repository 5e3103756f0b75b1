"""Every tool that reads notebooks names a hostile one, and changes nothing."""

import os
import subprocess
import sys
from pathlib import Path

import hostile_files
import pytest
from hostile_files import HOSTILE, snapshot

from bookkit.__main__ import main
from bookkit.book.errors import BookError
from bookkit.book.files import find_root, relative_name
from bookkit.book.notebooks import read_notebook
from bookkit.checking.facts import facts
from bookkit.checking.rules import BOOK_RULES, RULES
from bookkit.checking.validate import PLAIN
from bookkit.publishing import appendix

ROOT = find_root(Path(__file__))
CHAPTER = "book/bad/chapter.ipynb"
IS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0
COMMANDS = {
    "run": ["run", "--timeout", "2"],
    "run it": ["run", CHAPTER],
    "draw": ["draw"],
    "draw it": ["draw", CHAPTER],
    "colab": ["colab", "--python", sys.executable],
    "colab it": ["colab", "--python", sys.executable, CHAPTER],
    "references": ["references"],
    "appendix": ["appendix"],
    "set-repository": ["set-repository", "https://github.com/other/name"],
}
# What pytest does not take for a file of tests, and passes over; the rules tell.
PASSED_OVER = {"a folder", "a pipe", "a device", "a link to itself", "a lost link"}
# The rules about all pages that read notebooks.
READING = {
    "index_lists_every_chapter",
    "names_are_unique",
    "references_are_fresh",
    "citations_name_their_entries",
    "bibliography_is_complete",
    "ignored_cells_are_few_and_assert",
}


each_hostile_file = facts(
    "name, said", [(name, said) for name, (_, said) in HOSTILE.items()], ids=[*HOSTILE]
)


def put_in(chapter, name):
    """Put a hostile file in the place of a chapter; the value is the book's root."""
    if name == "unreadable" and IS_ROOT:
        pytest.skip("root reads every file")
    hostile_files.put(chapter, name)
    return chapter.parents[2]


@pytest.fixture(autouse=True)
def _small(monkeypatch):
    """The appendix of a small book has one page, which counts what chapters hold."""
    page = "bookkit.publishing.appendix.how_it_is_checked"
    monkeypatch.setattr(appendix, "PAGES", {"book/appendix/checked.md": page})


@each_hostile_file
def test_each_command_names_file_and_fault_and_changes_nothing(
    tmp_path, new_book, monkeypatch, capsys, name, said
):
    book = put_in(new_book(tmp_path), name)
    monkeypatch.chdir(book)
    before = snapshot(book)
    for words in COMMANDS.values():
        assert main(words) == 1, words
        message = capsys.readouterr().err
        assert message.startswith(f"bookkit {words[0]}: "), words
        assert message.count("\n") == 1, words
        assert "book/bad" in message, words
        assert said in message, words
        assert snapshot(book) == before, words


@each_hostile_file
def test_each_rule_names_file_and_fault(tmp_path, new_book, monkeypatch, name, said):
    chapter = new_book(tmp_path)
    book = put_in(chapter, name)
    monkeypatch.chdir(book)
    with pytest.raises(BookError) as caught:
        read_notebook(chapter)
    assert said in str(caught.value)
    assert str(caught.value).startswith(CHAPTER)
    rules = [rule for rule in BOOK_RULES if rule.__name__ in READING]
    assert len(rules) == len(READING)
    for rule in rules:
        assert "book/bad" in _told(rule, book), rule


def _told(rule, root):
    """Return what a rule says, be it as a breach or as an error."""
    try:
        return "\n".join(rule(root))
    except BookError as error:
        return str(error)


def test_no_rule_falls_over_a_valid_notebook_of_odd_cells(chapter):
    cells = [
        hostile_files.new_markdown_cell("#", id="a"),
        *(
            hostile_files.new_code_cell(source, id=f"c{number}")
            for number, source in enumerate(["\0", "(" * 999, "-" * 30_000 + "1", "%"])
        ),
    ]
    notebook = hostile_files.new_notebook(cells=cells)
    chapter.write_bytes(hostile_files.canonical_bytes(notebook))
    for rule in RULES:
        assert isinstance(rule(read_notebook(chapter), chapter), list)


def test_pytest_reports_each_hostile_notebook_and_runs_the_others(book, chapter):
    for number, name in enumerate(HOSTILE):
        if name not in {*PASSED_OVER, "in a folder that leads out", "unreadable"}:
            hostile_files.put(chapter.with_name(f"{number} {name}.ipynb"), name)
    files = sorted(chapter.parent.iterdir())
    before = snapshot(book)
    command = [sys.executable, "-m", "pytest", "--nbval", "book", "-rA", "-q"]
    command += ["-c", ROOT / "pyproject.toml", "--rootdir", book]
    command += PLAIN
    done = subprocess.run(command, cwd=book, capture_output=True, text=True)
    assert done.returncode == pytest.ExitCode.TESTS_FAILED, done.stdout
    assert f"{len(files)} failed" in done.stdout, done.stdout
    assert "error" not in done.stdout.splitlines()[-1]
    for file in files:
        fault = HOSTILE[file.stem.partition(" ")[2]][1]
        [line] = [
            line
            for line in done.stdout.splitlines()
            if line.startswith(relative_name(file))
        ]
        assert fault in line
    assert "good.ipynb::Cell 1" in done.stdout
    assert snapshot(book) == before


def test_names_with_odd_letters_are_names(book, chapter):
    odd = chapter.with_name("a b's & <c> [d] é%20.ipynb")
    odd.write_bytes(hostile_files.GOOD)
    assert len(read_notebook(odd).cells) == 2
    odd.write_bytes(b"{")
    with pytest.raises(BookError, match="must be a notebook in JSON") as caught:
        read_notebook(odd)
    assert str(caught.value).startswith(f"book/bad/{odd.name} ")
