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
    with pytest.raises(ImportError, match="cannot import name 'nothing'"):
        from transformer import nothing  # noqa: F401
