"""The package is read as text, and no more of it than is asked for."""

from pathlib import Path
from textwrap import dedent

import pytest

from bookkit.book.errors import BookError
from bookkit.book.files import find_root
from bookkit.checking.facts import facts
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


@facts(
    "address, name",
    [
        ("layers.norms:RMSNorm", "layers.RMSNorm"),
        ("layers.norms:RMSNorm.forward", "layers.RMSNorm.forward"),
        ("layers.norms:_MeanSquare", "layers.norms._MeanSquare"),
    ],
)
def test_readers_import_an_object_from_its_room(address, name):
    package = Package(find_root(Path(__file__)) / "code")
    assert package.public_name(f"transformer.{address}") == f"transformer.{name}"
