"""The explorer of parameters counts what models of the package have."""

from dataclasses import replace

import torch

from bookkit.checking.facts import facts
from chapters.is_it_the_model import explorer
from transformer.models import DecoderOnlyTransformer, count_parameters
from transformer.zoo import CONFIGS

DATA, HTML = explorer.show().data, explorer.show()._repr_html_()
SIZES = [(64, 1), (128, 3), (768, 12), (1600, 48)]
KINDS = {
    "embedding": "tokens",
    "positions": "position",
    "norms": "norm",
    "attention": "attention",
    "network": "feed_forward",
    "head": "head",
}


def built(width, layers, *, tied, biases):
    """Return a GPT-2 of other sizes, without numbers."""
    config = replace(
        CONFIGS["gpt2"],
        d_model=width,
        d_ff=4 * width,
        num_heads=1,
        num_decoder_layers=layers,
        tie_embeddings=tied,
        bias=biases,
        attention_bias=biases,
    )
    with torch.device("meta"):
        return DecoderOnlyTransformer(config)


def count_by_part(model):
    counts = dict.fromkeys(KINDS, 0)
    for name, parameter in model.named_parameters():
        part = next(part for part, word in KINDS.items() if word in name)
        counts[part] += parameter.numel()
    return counts


@facts("tied", [True, False])
@facts("biases", [True, False])
def test_parts_are_those_of_a_model_of_the_package(ask, tied, biases):
    asked = [["math.count", DATA, *sizes, tied, biases] for sizes in SIZES]
    [names] = ask("is_it_the_model", ["() => PARTS"])
    for sizes, found in zip(SIZES, ask("is_it_the_model", *asked), strict=True):
        model = built(*sizes, tied=tied, biases=biases)
        counts = dict(zip(names, found, strict=True))
        assert counts == count_by_part(model)
        assert sum(found) == count_parameters(model)


@facts("row", explorer.MODELS)
def test_sizes_of_the_models_give_their_numbers(ask, row):
    sizes = DATA["models"][explorer.MODELS[row]]
    [found] = ask("is_it_the_model", ["math.count", DATA, *sizes, True, True])
    with torch.device("meta"):
        assert sum(found) == count_parameters(DecoderOnlyTransformer(CONFIGS[row]))


def test_first_picture_has_the_number_of_the_chapter():
    assert 'data-part="all">124,439,808<' in HTML
    assert "These are the sizes of GPT-2, with 124,439,808 parameters." in HTML


def test_numbers_have_commas_by_threes(ask):
    numbers = [7, 1024, 124_439_808]
    found = ask("is_it_the_model", *(["math.group", number] for number in numbers))
    assert found == [f"{number:,}" for number in numbers]


def test_instruction_says_what_is_seen(ask):
    asked = [["math.count", DATA, 768, 12, False, True]]
    asked.append(["math.count", DATA, 64, 12, True, True])
    untied, narrow = ask("is_it_the_model", *asked)
    assert round(sum(untied) / 1e6) == 163
    assert narrow[0] > 0.8 * sum(narrow)
    assert sum(narrow[2:4]) / 12 < 0.02 * sum(narrow)
