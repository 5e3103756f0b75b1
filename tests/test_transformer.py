"""`import transformer` shows what there is, and imports nothing before it is used."""

import pydoc
import re
import subprocess
import sys
from textwrap import dedent

import pytest

import transformer
from bookkit.checking.facts import facts
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
    with pytest.raises(AttributeError, match=r"'nothing'; dir\(transformer\) lists"):
        transformer.nothing  # noqa: B018
    with pytest.raises(ImportError, match="cannot import name 'nothing'"):
        from transformer import nothing  # noqa: F401


@facts(
    "name, said",
    [
        ("Trasformer", r"'Trasformer' \(did you mean 'Transformer'\?\); dir"),
        ("layrs", r"'layrs' \(did you mean 'layers'\?\); dir\(transformer\) lists"),
        ("RMSNorm", r"one of its rooms has; write transformer\.layers\.RMSNorm\.$"),
        (
            "load",
            r"zoo\.load or transformer\.load_model or transformer\.load_training\.$",
        ),
        ("save", r"'save' \(did you mean 'save_model'\?\); dir"),
        ("Attention", r"\(did you mean 'layers\.MultiHeadAttention'\?\); dir"),
        ("TransformerEncoder", r"\(did you mean 'EncoderOnlyTransformer'\?\); dir"),
        ("from_pretrained", r"\(did you mean 'zoo\.load'\?\); dir"),
        ("_private", r"has no attribute '_private'$"),
    ],
)
def test_a_similar_name_or_the_room_of_a_name_is_told(name, said):
    with pytest.raises(AttributeError, match=said):
        getattr(transformer, name)


@facts(
    "name, written",
    [
        ("AutoModel", 'transformer.zoo.load("gpt2")'),
        ("BERT", 'transformer.zoo.load("bert-base-uncased")'),
        ("GPT2LMHeadModel", 'transformer.zoo.load("gpt2")'),
        ("GPTNeoXForCausalLM", 'transformer.zoo.load("pythia-160m")'),
        ("T5Config", 'transformer.zoo.CONFIGS["t5-small"]'),
        ("LlamaTokenizerFast", 'transformer.zoo.load("smollm2-135m")'),
    ],
)
@facts("module", ["transformer", "transformer.models"])
def test_a_class_of_hugging_face_leads_to_what_is_written_here(module, name, written):
    with pytest.raises(ImportError) as refused:
        exec(f"from {module} import {name}")
    said = str(refused.value)
    assert said.startswith(f"cannot import name {name!r} from {module!r}; write ")
    assert said.endswith(f"{written}.")
    published = re.search(r'\("(.+)"\)|\["(.+)"\]', written)
    names = {*transformer.zoo.CONFIGS, *transformer.zoo.INSTALLED}
    assert (published[1] or published[2]) in names
    assert not hasattr(sys.modules[module], name)


def test_a_name_that_is_imported_in_vain_is_told_as_one_that_is_asked_for():
    with pytest.raises(ImportError, match=r"; write transformer\.layers\.RMSNorm\.$"):
        from transformer import RMSNorm  # noqa: F401
    with pytest.raises(ImportError, match=r"import name 'samplex' from 'transformer\."):
        from transformer.decoding import samplex  # noqa: F401


def test_everything_that_is_exported_can_be_imported_at_once():
    scope = {}
    exec("from transformer import *", scope)
    assert scope.keys() - {"__builtins__"} == {*transformer.__all__}
