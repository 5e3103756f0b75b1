"""A build with a fault says where, and so does the next one."""

import re
import sys
from contextlib import nullcontext
from types import SimpleNamespace

import pytest
from sphinx.errors import SphinxError

from bookkit.checking.facts import facts
from bookkit.publishing.build import (
    ALL,
    COMMAND,
    TREES,
    BuildError,
    build,
    name_cells,
    readable,
    run_tool,
)


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


SPHINX = (sys.executable, "-m", "sphinx", "-W", "--keep-going", "--quiet")
ORPHAN = "---\norphan: true\n---\n# A\n\n"
FAULTY = {"index": "Well.", "a": "[x](#x1)", "b": "[y](#y1)", "c": "Well."}


def test_each_build_names_all_faults_and_reads_no_other_page(book, capfd):
    (book / "conf.py").write_text('extensions = ["myst_parser"]\nroot_doc="book/a"')
    for name, text in FAULTY.items():
        (book / f"book/{name}.md").write_text(f"{ORPHAN}{text}\n")
    command = (*SPHINX, "-d", TREES, ".", "_build/html")
    written = set()
    for faults in (["a", "b"], ["b"], []):
        with pytest.raises(BuildError) if faults else nullcontext():
            build(book, command)
        said = re.findall(r"^book/(\w)\.md:\d+: WARNING", capfd.readouterr().out, re.M)
        assert said == faults
        written.add((book / "_build/html/book/c.html").stat().st_mtime_ns)
        for name in faults[:1]:
            (book / f"book/{name}.md").write_text(f"{ORPHAN}Mended.\n")
    assert len(written) == 1


def test_a_fault_of_no_page_lets_all_be_read_again(tmp_path):
    kept = tmp_path / TREES / ALL
    kept.parent.mkdir(parents=True)
    kept.touch()
    fails = "print('a.py:docstring of b:3: WARNING: odd'); raise SystemExit(1)"
    with pytest.raises(BuildError, match=r"fault, named above; mend it and run"):
        build(tmp_path, (sys.executable, "-c", fails))
    assert not kept.exists()


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
            "book/index.md:12: WARNING: odd",
        ),
    ],
)
def test_a_warning_names_notebook_and_cell(tmp_path, line, named):
    found = name_cells(line.format(root=tmp_path), tmp_path)
    assert found == named


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
