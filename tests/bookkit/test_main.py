"""The commands end in one sentence and an exit code."""

import json
import subprocess
import sys

import pytest

from bookkit.__main__ import main
from bookkit.book.errors import BookError
from bookkit.checking import canary, page, rules
from bookkit.checking.facts import facts
from bookkit.publishing import appendix


@pytest.fixture(autouse=True)
def _inside_the_book(book, monkeypatch):
    monkeypatch.chdir(book)


def test_draw_renews_bootstrap_and_drawn_cells(write_chapter, code, capsys):
    reference = "transformer.layers.masks:causal_mask"
    write_chapter("# T", code("old", tags=["remove-cell"]), code("x", draw=reference))
    assert main(["draw"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "book/part/chapter.ipynb, bootstrap cell was renewed",
        "book/part/chapter.ipynb, cell 3 (code cell 2) is drawn from "
        f"{reference}, which has changed",
        "2 cells refreshed.",
    ]
    assert main(["draw", "book/part/chapter.ipynb"]) == 0
    assert capsys.readouterr().out == "0 cells refreshed.\n"


def test_a_fault_is_one_sentence_and_exit_code_one(write_chapter, code, capsys):
    write_chapter("# T", code("1 / 0"))
    assert main(["run", "book/part/chapter.ipynb"]) == 1
    assert capsys.readouterr().err == (
        "bookkit run: book/part/chapter.ipynb, cell 2 (code cell 1) raised "
        "ZeroDivisionError: division by zero; mend the cell and run it again, the "
        "file is unchanged.\n"
    )


NEAREST = (
    "must be a notebook, and is not there (the nearest is book/part/chapter.ipynb)"
)


@facts(
    "arguments, status, said",
    [
        (
            ["run", "book/part/chaptre.ipynb"],
            1,
            f"run: book/part/chaptre.ipynb {NEAREST}",
        ),
        (
            ["draw", "book/part/chaptre.ipynb"],
            1,
            f"draw: book/part/chaptre.ipynb {NEAREST}",
        ),
        (["check", "book/other/chaptre.ipynb"], 1, NEAREST),
        (["check", "chapter"], 1, NEAREST),
        (["check", "zebra"], 1, "zebra must be a notebook, and is not there; mend"),
        (
            ["check", "book/index.md"],
            1,
            "'make book' checks the links and references of",
        ),
        (["new-exercise", "book/index.md", "a", ""], 1, "new-exercise: LABEL must be"),
        (["appendix"], 1, "book/appendix/data/formulas.toml must be readable TOML"),
        (["refrences"], 2, "got refrences (the nearest is references)"),
        (["zebra", "--write"], 2, "got zebra; python -m bookkit --help lists them."),
        ([], 2, "bookkit must be given a command, got none; "),
    ],
)
def test_what_cannot_be_done_is_told_in_one_line(
    arguments, status, said, write_chapter, capsys
):
    write_chapter("# T")
    assert main(arguments) == status
    told = capsys.readouterr().err
    assert said in told
    assert told.count("\n") == 1


def test_help_lists_the_commands(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    assert ended.value.code == 0
    assert "list tests and notebooks that a change reaches" in capsys.readouterr().out


@pytest.fixture
def _renewed(monkeypatch):
    """No page is generated, and no test is run."""
    monkeypatch.setattr(appendix, "fresh_pages", lambda root: {})
    monkeypatch.setattr(page, "failures", lambda path: [])


@pytest.mark.usefixtures("_renewed")
def test_check_refreshes_what_is_generated_and_lists_what_is_missing(
    write_chapter, code, capsys
):
    text = '<a id="ex-a"></a>\n\n### Exercise\n\nDo it.'
    reference = "transformer.layers.masks:causal_mask"
    path = write_chapter("No title.", text, code("x", draw=reference))
    path.write_text(json.dumps(json.loads(path.read_text())))  # as others save it
    assert main(["check", str(path)]) == 1
    said, ended = capsys.readouterr()
    assert said.startswith("book/part/chapter.ipynb\n1 notebook normalized.\n")
    assert "cell 4 (code cell 2) is drawn from" in said
    assert "book/part/chapter.ipynb, cell 3\n1 place refreshed.\n" in said
    assert "For learners: no exercise leaves them alone.\n- The exercise ex-a" in said
    assert "The first cell must say '**Reading time** about" in said
    assert "book/index.md must have a row for each chapter" in said
    assert ended == f"bookkit check: {path} lacks what is listed above.\n"


@pytest.mark.usefixtures("_renewed")
def test_check_goes_on_where_something_cannot_be_refreshed(
    monkeypatch, capsys, write_chapter
):
    monkeypatch.setattr(page, "missing", lambda path: ["It lacks a title."])
    path = write_chapter("See {numref}`fig-none`.")
    assert main(["check", str(path)]) == 1
    said = capsys.readouterr().out.splitlines()
    assert "fig-none" in said[-2]
    assert said[-1] == "It lacks a title."


@pytest.mark.usefixtures("_renewed")
def test_check_says_when_nothing_is_missing(capsys, monkeypatch, write_chapter, code):
    monkeypatch.setattr(rules, "RULES", ())
    monkeypatch.setattr(rules, "BOOK_RULES", ())
    monkeypatch.setattr(rules, "code_passes_ruff", lambda notebook, path: [])
    path = write_chapter("# Title", code("x = 1"))
    assert main(["check", str(path)]) == 0
    assert capsys.readouterr().out.endswith(f"{path} lacks nothing.\n")


def test_a_new_exercise_is_told_with_what_comes_next(write_chapter, capsys):
    path = write_chapter("# Title", "## Exercises")
    assert main(["new-exercise", str(path), "ex-a", "A title"]) == 0
    *_, written, then = capsys.readouterr().out.splitlines()
    assert written == "3 files written."
    assert then == f"`make check NOTEBOOK={path}` lists what is left to write."


@facts(
    "source, said",
    [
        ("x = 1\nimport math", "line 2: `math` imported but unused (F401)."),
        (
            "x = {  'a': 1}",
            "run `.venv/bin/python -m ruff format book/part/chapter.ipynb`.",
        ),
    ],
)
def test_what_ruff_finds_is_told(source, said, monkeypatch, write_chapter, code):
    monkeypatch.setattr(rules, "RULES", ())
    path = write_chapter("# Title", code("y = 1"), code(source))
    first, breach = rules.check_notebook(path)
    assert first.startswith("Code is in the form")
    assert breach.startswith("- cell 3 (code cell 2, id code-")
    assert breach.endswith(said)


def test_why_ruff_cannot_judge_is_told(write_chapter, code, book):
    (book / "pyproject.toml").write_text("[tool.ruff]\nline-length = 'none'")
    path = write_chapter("# Title", code("y = 1"))
    with pytest.raises(BookError, match="ruff must judge the notebook, and cannot: "):
        rules.check_notebook(path)


def test_constraints_writes_the_file(book):
    (book / "pyproject.toml").write_text("[project]\nrequires-python = '>=3.11'\n")
    (book / "requirements.txt").touch()
    assert main(["constraints"]) == 0
    text = (book / "constraints.txt").read_text()
    assert text.startswith("# What is installed")


def test_appendix_names_the_pages_that_it_writes(monkeypatch, capsys):
    texts = {"book/appendix/a.md": "# A\n"}
    monkeypatch.setattr(appendix, "fresh_pages", lambda root: texts)
    assert main(["appendix"]) == main(["appendix"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "book/appendix/a.md",
        "1 page written.",
        "0 pages written.",
    ]


def test_canary_is_checked_or_made_anew(book, monkeypatch, capsys):
    monkeypatch.setattr(canary, "check", lambda root, modes: print(root, *modes))
    assert main(["canary"]) == 0
    assert capsys.readouterr().out == (f"{book} side by side as in Colab\n")
    for changed, state in ((True, "changed"), (False, "unchanged")):
        monkeypatch.setattr(canary, "write", lambda root, result=changed: result)
        assert main(["canary", "--write"]) == 0
        assert capsys.readouterr().out == f"tests/canary/canary.ipynb: {state}\n"


def test_the_package_runs_as_a_program():
    command = [sys.executable, "-m", "bookkit", "draw"]
    run = subprocess.run(command, capture_output=True, text=True)
    assert (run.returncode, run.stdout) == (0, "0 cells refreshed.\n")
