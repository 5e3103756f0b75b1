"""A build with a fault says where, and leaves the last good one in its place."""

import sys
from types import SimpleNamespace

import pytest
from sphinx.errors import SphinxError

from bookkit.checking.facts import facts
from bookkit.publishing.build import (
    ASIDE,
    COMMAND,
    BuildError,
    build,
    name_cells,
    readable,
    run_tool,
)


def writing(word, status=0):
    """Make a command that writes a page and a doctree, and ends with a status."""
    script = f"""
import pathlib, sys
for folder in ("html", ".doctrees"):
    path = pathlib.Path("_build", folder)
    path.mkdir(parents=True, exist_ok=True)
    (path / "page").write_text({word!r})
print("/elsewhere/a.md:3: WARNING: odd")
sys.exit({status})
"""
    return (sys.executable, "-c", script)


def state(root):
    """Return what a build has left, file by file."""
    files = sorted(path for path in (root / "_build").rglob("*") if path.is_file())
    return {
        path.relative_to(root / "_build").as_posix(): path.read_text() for path in files
    }


def test_warnings_of_every_kind_are_errors():
    assert {"-W", "-n", "--keep-going"} <= set(COMMAND)


@facts("cause, ends", [(SphinxError, SystemExit), (KeyError, RuntimeError)])
def test_a_fault_that_sphinx_has_named_needs_no_traceback(monkeypatch, cause, ends):
    def main():
        raise RuntimeError("Look above for the cause.") from cause("named")

    tool = SimpleNamespace(main=main)
    monkeypatch.setitem(sys.modules, "jupyter_book.cli.main", tool)
    monkeypatch.setattr("bookkit.publishing.build.let_garbage_lie", lambda: None)
    with pytest.raises(ends) as caught:
        run_tool()
    assert ends is RuntimeError or caught.value.code == 1


def test_a_good_build_takes_the_place_of_the_last(tmp_path):
    build(tmp_path, writing("one"))
    build(tmp_path, writing("two"))
    assert state(tmp_path) == {".doctrees/page": "two", "html/page": "two"}


def test_a_fault_brings_the_last_good_build_back(tmp_path):
    (tmp_path / "_build" / "pdf").mkdir(parents=True)
    (tmp_path / "_build" / "pdf" / "book").write_text("kept")
    build(tmp_path, writing("good"))
    before = state(tmp_path)
    with pytest.raises(BuildError, match="the last good build is there again; mend"):
        build(tmp_path, writing("bad", status=1))
    assert state(tmp_path) == before


def test_without_a_good_build_a_fault_leaves_nothing(tmp_path):
    with pytest.raises(BuildError, match=r"fault, named above; mend it and run"):
        build(tmp_path, writing("bad", status=1))
    assert state(tmp_path) == {}


def test_a_build_that_was_cut_off_is_forgotten(tmp_path):
    build(tmp_path, writing("good"))
    good = tmp_path / "_build" / "html"
    good.rename(tmp_path / "_build" / "x")
    (tmp_path / "_build" / ASIDE).mkdir()
    (tmp_path / "_build" / "x").rename(tmp_path / "_build" / ASIDE / "html")
    (tmp_path / "_build" / ".doctrees" / "page").write_text("half")
    with pytest.raises(BuildError):
        build(tmp_path, (sys.executable, "-c", "raise SystemExit(1)"))
    assert state(tmp_path) == {"html/page": "good"}


@facts(
    "line, named",
    [
        (
            "\x1b[91m{root}/book/p/a.ipynb:720006: WARNING: odd\x1b[0m",
            "book/p/a.ipynb, cell 72: WARNING: odd",
        ),
        (
            "{root}/book/a.ipynb:10001: WARNING: odd",
            "book/a.ipynb, cell 1: WARNING: odd",
        ),
        (
            "{root}/book/index.md:12: WARNING: odd",
            "{root}/book/index.md:12: WARNING: odd",
        ),
    ],
)
def test_a_warning_names_notebook_and_cell(tmp_path, line, named):
    found = name_cells(line.format(root=tmp_path), tmp_path)
    assert found == named.format(root=tmp_path)


def test_a_warning_about_a_figure_may_be_about_its_caption(book, write_chapter, code):
    path = write_chapter("# A", code("draw()"), '<a id="fig-a"></a>\n**Figure.** It.')
    for number, named in (1, "cell 1"), (2, "cell 2 or the caption below it"):
        found = name_cells(f"{path}:{number}0003: WARNING: odd", book)
        assert found == f"book/part/chapter.ipynb, {named}: WARNING: odd"


MYST = "WARNING: 'myst' cross-reference target not found: '{}'{} [myst.xref_missing]"
UNDEFINED = "WARNING: undefined label: '{}'{}"
DOCUMENT = "WARNING: Unknown source document '{}'{} [myst.xref_missing]"
PART = "WARNING: local id not found in doc 'book/part/chapter': '{}'{}"
NO_KEY = 'WARNING: could not find bibtex key "{}"{}'


@facts(
    "line, name, nearest",
    [
        (MYST, "a-sectoin", "a-section"),
        (MYST, "other-sectoin", "other-section"),
        (MYST, "quite-another", ""),
        (UNDEFINED, "fig-frist", "fig-first"),
        (NO_KEY, "author2081", "author2018"),
        (MYST, "chaptre.ipynb", "book/part/chapter"),
        (MYST, "../indx.md", "book/index"),
        (DOCUMENT, "book/part/chaptre", "book/part/chapter"),
        (PART, "a-sectoin", "a-section"),
        (PART.replace("part/chapter", "made/api"), "a-sectoin", ""),
    ],
)
def test_the_nearest_name_stands_behind_one_that_nothing_has(
    line, name, nearest, book, write_chapter
):
    write_chapter("# A", '<a id="fig-first"></a>\n**Figure.** It.', "## A section")
    (book / "book/index.md").write_text("(other-section)=\n# Other")
    (book / "book/references.bib").write_text(
        "@misc{author2018, author={A}, title={T}, year=2018, doi={10.1234/5}}"
    )
    place = "book/part/chapter.ipynb, cell 3: "
    behind = f" (the nearest is {nearest})" if nearest else ""
    found = readable(place + line.format(name, ""), book)
    assert found == place + line.format(name, behind)


def test_a_label_that_is_named_twice_is_told_once(tmp_path, capfd):
    once = "WARNING: prf:ref reference target not found: thm-none"
    again = "\x1b[91m/book/a.ip.rst: WARNING: label 'thm-none' not found.\x1b[39;49;00m"
    build(tmp_path, (sys.executable, "-c", f"print({again!r}); print({once!r})"))
    assert capfd.readouterr().out.splitlines() == [once]


def test_what_the_build_says_is_shown(tmp_path, capfd):
    build(tmp_path, writing("one"))
    assert "/elsewhere/a.md:3: WARNING: odd" in capfd.readouterr().out
