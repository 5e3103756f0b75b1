"""Drawn cells hold the real source of an object, with short docstrings."""

import importlib
import sys

import pytest

from bookkit.book.notebooks import renew_notebooks
from bookkit.checking.facts import facts
from bookkit.writing.draw import DrawError, draw_cells, drawn_source

SOURCE = '''\
"""A package that must not be imported."""
raise RuntimeError("imported")

SIZES = {
    "small": 3,  # a comment
}
LIMIT: int = 7


# Not part of the class.
@decorate(
    "twice",
)
class Leaf(Base):
    """A leaf.

    It has a longer story.
    """

    size = 1  # why

    @property
    def area(self):
        r"""
        Compute \\(a\\) of "it"

        More.
        """
        # A comment that stays.
        return """kept
    as it is"""

    def empty(self): """Say nothing.

        At length."""; return 1


def documented():
    """Only words.

    And more words.
    """


async def later(x):
    """One line."""
    return x
'''


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package on disk whose modules fail when they are imported."""
    folder = tmp_path / "lib" / "toybook" / "parts"
    folder.mkdir(parents=True)
    (folder.parent / "__init__.py").write_text(
        'raise RuntimeError("imported")\nA = 1\n'
    )
    (folder / "__init__.py").write_text("from toybook.parts.leaf import Leaf\n")
    (folder / "leaf.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(tmp_path / "lib")
    importlib.invalidate_caches()
    yield folder / "leaf.py"
    assert not [name for name in sys.modules if name.startswith("toybook")]


def test_a_class_is_drawn_with_decorators_and_short_docstrings(package):
    assert drawn_source("toybook.parts.leaf:Leaf").split("\n") == [
        "# toybook/parts/leaf.py",
        "@decorate(",
        '    "twice",',
        ")",
        "class Leaf(Base):",
        '    """A leaf."""',
        "",
        "    size = 1  # why",
        "",
        "    @property",
        "    def area(self):",
        '        r"""Compute \\(a\\) of "it" """',
        "        # A comment that stays.",
        '        return """kept',
        '    as it is"""',
        "",
        '    def empty(self): """Say nothing."""; return 1',
    ]


def test_a_whole_file_that_is_no_python_is_an_error(package):
    package.write_text("def broken(:\n")
    with pytest.raises(DrawError, match=r"leaf\.py must be valid Python.*line 1"):
        drawn_source("toybook.parts.leaf")


def test_a_source_of_the_real_package_is_drawn_from_its_file():
    drawn = drawn_source("transformer.layers.attention:scaled_dot_product_attention")
    assert drawn.startswith("# transformer/layers/attention.py\n")
    assert "\ndef scaled_dot_product_attention(" in drawn


@facts(
    "reference, message",
    [
        ("toybook.parts.leaf:", "'package.module:Object', or a whole file"),
        (":Leaf", "'package.module:Object', or a whole file"),
        ("", "'package.module:Object', or a whole file"),
        ("toybook.parts.gone", "module 'toybook.parts.gone' must exist"),
        ("toybook.parts.gone:Leaf", "module 'toybook.parts.gone' must exist"),
        ("toybook.gone.leaf:Leaf", "module 'toybook.gone.leaf' must exist"),
        ("gonebook:Leaf", "module 'gonebook' must exist"),
        (".:Leaf", "module '.' must exist"),
        ("toybook.parts.leaf:Gone", "must define 'Gone'.* write its new name.*Leaf"),
        ("toybook.parts.leaf:Leaf.gone", "must define 'Leaf.gone'.*area, empty"),
        ("toybook.parts:Leaf", "must define 'Leaf'.*There is: nothing"),
    ],
)
def test_a_missing_source_is_an_error_that_says_what_to_do(package, reference, message):
    with pytest.raises(DrawError, match=message):
        drawn_source(reference)


def test_drawing_writes_the_source_and_a_second_drawing_nothing(
    package, write_chapter, code
):
    path = write_chapter("# T", code("old", draw="toybook.parts.leaf:documented"))
    place = "book/part/chapter.ipynb, cell 2 (code cell 1)"
    assert renew_notebooks([path], draw_cells) == [
        f"{place} is drawn from toybook.parts.leaf:documented, which has changed"
    ]
    before = path.read_bytes()
    assert renew_notebooks([path], draw_cells) == []
    assert path.read_bytes() == before
    package.write_text(SOURCE.replace("Only words.", "Other words."))
    assert len(renew_notebooks([path], draw_cells)) == 1


def test_only_a_code_cell_can_be_drawn(package, write_chapter, saved):
    path = write_chapter("# T")
    path.write_text(path.read_text().replace("{}", '{"draw": "toybook:A"}', 1))
    with pytest.raises(DrawError, match="cell 1: only a code cell can be drawn"):
        renew_notebooks([path], draw_cells)
