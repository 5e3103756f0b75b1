"""`import transformer` shows what there is, and imports nothing before it is used."""

import subprocess
import sys

import pytest

import transformer
from transformer.zoo import load

ROOT = """\
import sys, transformer
print("torch" in sys.modules, "transformer.models" in sys.modules, len(sys.modules))
print(transformer.zoo.load.__module__, "torch" in sys.modules)
"""


def test_nothing_is_imported_before_it_is_asked_for():
    run = subprocess.run(
        [sys.executable, "-c", ROOT], capture_output=True, text=True, check=True
    )
    before, after = run.stdout.splitlines()
    assert before.startswith("False False ")
    assert after == "transformer.zoo.hub True"


def test_every_name_of_the_list_is_there_and_described():
    for name in dir(transformer):
        assert getattr(transformer, name) is not None or name.startswith("__")
    assert {"Transformer", "sample", "load_model", "zoo"} <= {*dir(transformer)}
    listed = (*transformer._HOMES, *transformer._ROOMS)
    assert {*dir(transformer)} == {*listed, "__doc__", "__version__"}
    assert transformer.__all__ == sorted(transformer._HOMES)
    assert [name for name in listed if name not in transformer.__doc__] == []


def test_names_are_those_of_the_rooms():
    from transformer import DecoderOnlyTransformer, TransformerConfig, config, models

    assert DecoderOnlyTransformer is models.DecoderOnlyTransformer
    assert TransformerConfig is config.TransformerConfig
    assert transformer.zoo.load is load


def test_the_version_is_that_of_the_package():
    assert transformer.__version__.count(".") == 2


def test_an_unknown_name_is_refused():
    with pytest.raises(
        AttributeError, match="'transformer' has no attribute 'nothing'"
    ):
        transformer.nothing  # noqa: B018
    with pytest.raises(AttributeError, match=r"'nothing'; dir\(transformer\) lists"):
        transformer.nothing  # noqa: B018
    with pytest.raises(ImportError, match="cannot import name 'nothing'"):
        from transformer import nothing  # noqa: F401


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Trasformer", r"'Trasformer' \(did you mean 'Transformer'\?\); dir"),
        ("layrs", r"'layrs' \(did you mean 'layers'\?\); dir\(transformer\) lists"),
        ("RMSNorm", r"one of its rooms has; write transformer\.layers\.RMSNorm\.$"),
        (
            "load",
            r"zoo\.load or transformer\.load_model or transformer\.load_training\.$",
        ),
        ("save", r"'save' \(did you mean 'save_model'\?\); dir"),
        ("AutoModel", r"'AutoModel' \(did you mean 'zoo\.load'\?\); dir"),
        ("from_pretrained", r"\(did you mean 'zoo\.load'\?\); dir"),
        ("_private", r"has no attribute '_private'$"),
    ],
)
def test_a_similar_name_or_the_room_of_a_name_is_told(name, said):
    with pytest.raises(AttributeError, match=said):
        getattr(transformer, name)


def test_everything_that_is_exported_can_be_imported_at_once():
    code = "before = {*dir()}; from transformer import *; print(*{*dir()} - before)"
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert {*run.stdout.split()} == {*transformer.__all__, "before"}
