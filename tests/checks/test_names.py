"""A room names what it has, and asks whether a similar name was meant."""

from importlib import import_module

import pytest

from bookkit.checking.facts import facts
from transformer.checks.names import meant, room

ROOMS = ("blocks", "costs", "data", "decoding", "layers", "models", "training", "zoo")
ROOMS += ("zoo.gguf",)


@facts("name", ROOMS)
def test_a_room_lists_what_it_exports_and_nothing_else(name):
    room = import_module(f"transformer.{name}")
    assert dir(room) == sorted(room.__all__)


@facts("name", ROOMS)
def test_a_misspelled_name_is_refused_with_the_right_one(name):
    room = import_module(f"transformer.{name}")
    for right in room.__all__:
        with pytest.raises(AttributeError) as refused:
            getattr(room, right + "x")
        said = (
            f"module 'transformer.{name}' has no attribute '{right}x' (did you mean '"
        )
        assert str(refused.value).startswith(said)


def test_the_beginning_of_a_name_leads_to_it():
    assert meant("save", ["sample", "save_model"]) == " (did you mean 'save_model'?)"


def test_a_name_of_others_leads_to_each_of_ours_that_it_stands_for():
    said = " (did you mean 'd_model' or 'd_head'?)"
    assert meant("dim", ["d_head", "d_model", "d_ff"]) == said
    assert meant("dim", ["d_head", "d_ff"]) == " (did you mean 'd_head'?)"


@facts("word", ["gpt-2", "GPT2", "openai-community/gpt2"])
def test_capitals_and_an_owner_do_not_hide_a_name(word):
    assert meant(word, ["bert", "gpt2", 7]) == " (did you mean 'gpt2'?)"


@facts("word", ["Layers", "layers"])
def test_of_two_names_the_one_with_the_same_capitals_is_meant(word):
    right = word.removesuffix("s")
    assert meant(word, ["Layer", "layer"]) == f" (did you mean {right!r}?)"
    assert meant(word, ["layer", "Layer"]) == f" (did you mean {right!r}?)"


def test_a_room_says_its_name_and_which_of_its_names_was_meant():
    missing, listed = room("house.kitchen", ["table", "chair"])
    assert listed() == ["chair", "table"]
    said = (
        r"^module 'house\.kitchen' has no attribute 'chairs' .*'chair'\?\); dir\(house"
    )
    with pytest.raises(AttributeError, match=said):
        missing("chairs")


DICTIONARIES = (
    *("layers.ACTIVATIONS", "layers.NORMS", "data.CORPORA", "data.TASKS"),
    *("data.TOKENIZERS", "zoo.ADDRESSES", "zoo.CONFIGS", "zoo.FAMILIES"),
    "zoo.INSTALLED",
)


@facts("place", DICTIONARIES)
def test_a_dictionary_says_which_names_it_has(place):
    room, _, name = place.partition(".")
    named = getattr(import_module(f"transformer.{room}"), name)
    first = next(iter(named))
    with pytest.raises(KeyError) as refused:
        named[f"{first}x"]
    assert str(refused.value) == (
        f"the name must be one of {', '.join(named)}, got '{first}x' (did you mean "
        f"{first!r}?); choose one of them."
    )
    assert named.get("zebra") is None
    assert "zebra" not in named


def test_an_activation_is_known_by_its_other_name(refuses):
    layer = import_module("transformer.layers").PositionwiseFeedForward
    said = r"activation must be one of .* got 'swish' \(did you mean 'silu'\?\)"
    refuses(lambda: layer(7, 11, activation="swish"), ValueError, said)


def test_gpt_2_with_a_hyphen_leads_to_its_family():
    with pytest.raises(KeyError, match=r"got 'gpt-2' \(did you mean 'gpt2'\?\)"):
        import_module("transformer.zoo").FAMILIES["gpt-2"]


@facts(
    "name, said",
    [
        ("BertModel", '; write transformer.zoo.load("bert-base-uncased").'),
        ("zebra", "; dir(transformer.layers) lists what there is."),
    ],
)
def test_an_import_says_what_an_attribute_does(name, said):
    with pytest.raises(ImportError) as refused:
        exec(f"from transformer.layers import {name}")
    assert (
        str(refused.value)
        == f"cannot import name {name!r} from 'transformer.layers'{said}"
    )


def test_a_name_like_no_other_is_refused():
    layers = import_module("transformer.layers")
    said = r"'zebra'; dir\(transformer\.layers\) lists what there is\.$"
    with pytest.raises(AttributeError, match=said):
        layers.zebra  # noqa: B018
    with pytest.raises(AttributeError, match=r"has no attribute '_private'$"):
        layers._private  # noqa: B018
