"""The package is read as text, and no more of it than is asked for."""

from textwrap import dedent

import pytest

from bookkit.book.errors import BookError
from bookkit.publishing.maps.package import Package

FILES = {
    "transformer/layers/__init__.py": """
        from transformer.layers.norms import RMSNorm
        __all__ = ["RMSNorm"]
    """,
    "transformer/layers/norms.py": """
        class RMSNorm:
            def forward(self):
                pass
    """,
    "chapters/broken.py": "def",
}


@pytest.fixture
def package(tmp_path):
    """A package of three modules, one of which is no Python."""
    for name, code in FILES.items():
        file = tmp_path / "code" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(dedent(code))
    return Package(tmp_path / "code")


def test_only_the_module_of_an_object_is_read(package):
    norm = package.thing("transformer.layers.norms:RMSNorm.forward")
    assert (norm.name, norm.kind) == ("RMSNorm.forward", "method")
    assert package.thing("transformer.layers.norms:LayerNorm") is None
    assert package.thing("transformer.layers.none:RMSNorm") is None
    assert package.module("transformer.layers.none") is None


def test_all_modules_are_read_when_all_are_asked_for(package):
    with pytest.raises(BookError, match=r"chapters/broken\.py, line 1 must be Python"):
        _ = package.modules
