"""`import transformer` shows what there is, and imports nothing before it is used."""

import pydoc
import re
import subprocess
import sys
from textwrap import dedent

import pytest

import transformer
from transformer.zoo import load

ROOT = """\
import sys, transformer
assert not hasattr(transformer, "_repr_html_")
print("torch" in sys.modules, "transformer.models" in sys.modules, len(sys.modules))
print(transformer.zoo.load.__module__, "torch" in sys.modules)
from transformer import files; from transformer.zoo import gpt2, layout  # not listed
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


def test_the_first_screen_of_help_leads_on_and_its_lines_run():
    shown = pydoc.render_doc(transformer, renderer=pydoc.plaintext).splitlines()
    assert shown.index("PACKAGE CONTENTS") <= 40  # lines of a screen
    first = "\n".join(shown[:40])
    names = re.findall(r"^ {8}([\w.]+) {2,}\w", first, re.MULTILINE)
    models = ["DecoderOnlyTransformer", "Transformer"]
    assert names == ["TransformerConfig", *models, "generate", "zoo.load"]
    assert {"help(transformer.generate)", "help(transformer.layers)"} <= {
        *re.findall(r"help\(.*?\)", first)
    }
    start, end = first.index("from transformer import"), first.index("Beside them")
    scope = {}
    exec(dedent(" " * 8 + first[start:end]), scope)
    assert scope["ids"].shape == (1, 20)


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


def test_everything_that_is_exported_can_be_imported_at_once():
    scope = {}
    exec("from transformer import *", scope)
    assert scope.keys() - {"__builtins__"} == {*transformer.__all__}
