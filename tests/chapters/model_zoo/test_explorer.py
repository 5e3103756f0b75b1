"""The lock of six choices counts what layers of the package keep in a file."""

from dataclasses import replace
from itertools import product

import torch

from chapters.model_zoo import explorer
from transformer.blocks import DecoderLayer
from transformer.zoo import CONFIGS

DATA, HTML = explorer.show().data, explorer.show()._repr_html_()
OPTIONS = [[*options] for options in explorer.CHOICES.values()]
LAYERS = [*product(*(range(len(options)) for options in OPTIONS))]


def config_of(choices):
    """Return a configuration of SmolLM2's sizes that makes these choices."""
    place, kind, position, network, biases, heads = (
        options[i] for options, i in zip(OPTIONS, choices, strict=True)
    )
    gated = network == "gated"
    return replace(
        CONFIGS["smollm2-135m"],
        norm_placement=place,
        final_norm=place == "pre",
        norm=kind,
        position=position,
        activation="silu" if gated else network,
        gated=gated,
        d_ff=explorer.SIZES["gated" if gated else "inner"],
        bias=biases != "none",
        attention_bias=biases == "all",
        num_kv_heads=3 if heads == "shared" else None,
    )


def kept(config):
    """Count tensors and numbers of a layer's norms, attention and network."""
    with torch.device("meta"):
        layer = DecoderLayer(config)
    counts = {"norm": [0, 0], "attention": [0, 0], "feed_forward": [0, 0]}
    for name, tensor in layer.state_dict().items():
        part = next(part for part in counts if part in name)
        counts[part][0] += 1
        counts[part][1] += tensor.numel()
    return [*counts.values()]


def test_a_file_holds_what_a_layer_of_the_package_has(ask):
    asked = [["math.file", choices, explorer.SIZES] for choices in LAYERS]
    for choices, found in zip(LAYERS, ask("model_zoo", *asked), strict=True):
        assert found == kept(config_of(choices)), choices


def test_choices_are_read_off_a_configuration():
    for choices in LAYERS:
        assert explorer.choices_of(config_of(choices)) == [*choices]


def test_two_turns_on_the_way_to_llama_change_no_name_and_no_shape(ask):
    models = DATA["models"]
    start, end = models["2017"], models["Llama (SmolLM2)"]
    turned = [[*start[:i], end[i], *start[i + 1 :]] for i in range(6)]
    asked = [["math.file", choices, explorer.SIZES] for choices in (start, *turned)]
    before, *after = ask("model_zoo", *asked)
    same = [i for i, found in enumerate(after) if found == before]
    assert [DATA["rows"][i][0] for i in same] == ["norm stands", "positions"]


def test_models_differ_where_the_page_says_so(ask):
    models = DATA["models"]
    pairs = [("2017", "Llama (SmolLM2)"), ("BERT", "GPT-2"), ("GPT-2", "GPT-NeoX")]
    asked = [["math.differ", models[one], models[other]] for one, other in pairs]
    assert ask("model_zoo", *asked) == [[0, 1, 2, 3, 4, 5], [0], [2]]


def test_a_handle_falls_into_the_nearest_stop(ask):
    stops = ask("model_zoo", *(["math.stop", i] for i in range(4)))
    for i, stop in enumerate(stops):
        asked = [["math.near", stop + by, 4] for by in (-39, 0, 39)]
        assert ask("model_zoo", *asked) == [i, i, i]
    assert ask("model_zoo", ["math.near", -99, 4], ["math.near", 999, 4]) == [0, 3]


def test_llama_has_the_numbers_of_the_page(ask):
    llama = DATA["models"]["Llama (SmolLM2)"]
    [found] = ask("model_zoo", ["math.file", llama, explorer.SIZES])
    assert [sum(column) for column in zip(*found, strict=True)] == [9, 3_540_096]
    assert 'data-part="numbers">3,986,496<' in HTML
    assert "These are the six choices of 2017." in HTML
