"""The table of papers names what exists, forgets no source, and is on the page."""

import importlib
import operator
from dataclasses import replace
from pathlib import Path

import pytest

from bookkit.book.errors import BookError
from bookkit.book.files import find_root
from bookkit.checking.facts import facts
from bookkit.publishing.maps import page
from bookkit.publishing.maps.atlas import TABLE, Entry, Paper, read_atlas, read_papers

ROOT = find_root(Path(__file__))
ATLAS = read_atlas(ROOT)
PAPERS = read_papers(ROOT)
NORM = "transformer.layers.norms:layer_norm"


def entry(**changes):
    """Make an entry that is right, but for what is said."""
    norm = Entry("LayerNorm", "section 3", (NORM,), ())
    return replace(norm, **changes)


def paper(*entries, key="ba2016"):
    return [Paper(key, "A paper", entries)]


def test_every_object_in_the_table_can_be_imported():
    for address in {a for paper in PAPERS for e in paper.entries for a in e.objects}:
        module, _, name = address.partition(":")
        assert operator.attrgetter(name)(importlib.import_module(module))


def test_every_chapter_draws_or_uses_what_its_equation_stands_for():
    assert list(page.chapters_without_object(ATLAS, PAPERS)) == []


def test_every_source_of_a_docstring_has_an_entry():
    assert list(page.forgotten_sources(ATLAS, PAPERS)) == []


def test_every_source_of_a_docstring_is_in_the_bibliography():
    assert list(page.unknown_works(ATLAS)) == []


def test_each_paper_has_one_place_and_each_entry_a_test():
    keys = [paper.key for paper in PAPERS]
    assert len(keys) == len(set(keys))
    assert all(e.objects and e.tests for paper in PAPERS for e in paper.entries)


@facts(
    "changes, lost",
    [
        ({"objects": (f"{NORM}s",)}, "layer_norms"),
        ({"tests": ("tests/layers/test_norms.py::test_nothing",)}, "test_nothing"),
        ({"equation": "eq-of-nobody"}, "eq-of-nobody"),
    ],
)
def test_a_name_that_is_gone_is_found(changes, lost):
    faults = list(page.lost_names(ATLAS, paper(entry(**changes))))
    assert len(faults) == 1
    assert lost in faults[0]


def test_a_paper_without_entry_in_the_bibliography_is_found():
    (fault,) = page.lost_names(ATLAS, paper(entry(), key="nobody1999"))
    assert "nobody1999 must be a key" in fault


def test_a_chapter_about_something_else_is_found():
    (fault,) = page.chapters_without_object(
        ATLAS, paper(entry(equation="eq-training-noam"))
    )
    assert "architecture/training, which neither draws nor uses" in fault


def test_an_entry_that_was_left_out_is_found():
    papers = [p for p in PAPERS if p.key != "ba2016"]
    (fault,) = page.forgotten_sources(ATLAS, papers)
    assert f"an entry of ba2016 for {NORM}" in fault


@facts(
    "text, reason",
    [
        ("[[paper]\n", "must be readable TOML"),
        ('[[paper]]\nkey = "ba2016"\ntitle = "x"\n', "must have entry, key, title"),
        (
            '[[paper]]\nkey = "ba2016"\ntitle = "x"\n[[paper.entry]]\nwhat = "y"\n'
            'where = ""\nobjects = []\ntests = ["a::b"]\n',
            "must have objects, tests, what, where",
        ),
        (
            '[[paper]]\nkey = "ba2016"\ntitle = "x"\n[[paper.entry]]\nwhat = "y"\n'
            'where = ""\nobjects = ["a:b"]\ntests = ["a::b"]\ndeviates = "z"\n',
            "got deviates, objects",
        ),
    ],
)
def test_a_broken_table_is_refused_with_what_to_do(tmp_path, text, reason):
    file = tmp_path / TABLE
    file.parent.mkdir(parents=True)
    file.write_text(text, "utf-8")
    with pytest.raises(BookError, match=reason):
        read_papers(tmp_path)
