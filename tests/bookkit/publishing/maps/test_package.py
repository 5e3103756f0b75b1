"""The package is read as text, and a file that is no Python is named."""

from textwrap import dedent

import pytest

from bookkit.book.errors import BookError
from bookkit.publishing.maps.package import Package

NORMS = """
    class RMSNorm:
        def forward(self):
            pass
"""


@pytest.fixture
def package(tmp_path):
    """A package of one module."""
    folder = tmp_path / "code/transformer/layers"
    folder.mkdir(parents=True)
    (folder / "norms.py").write_text(dedent(NORMS))
    return Package(tmp_path / "code")


def test_a_method_is_an_object(package):
    norm = package.things["transformer.layers.norms:RMSNorm.forward"]
    assert (norm.name, norm.kind) == ("RMSNorm.forward", "method")


def test_a_file_that_is_no_python_is_named(package, tmp_path):
    (tmp_path / "code/transformer/broken.py").write_text("def")
    with pytest.raises(BookError, match=r"broken\.py, line 1 must be Python"):
        _ = package.modules
