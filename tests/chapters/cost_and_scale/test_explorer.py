"""What the explorer of costs shows is what the package counts."""

import re

import pytest
import torch

from bookkit.checking.facts import facts
from chapters.cost_and_scale import explorer
from chapters.cost_and_scale.explorer import MODELS
from transformer.costs import cache_bytes, forward_flops, step_flops
from transformer.zoo import CONFIGS

DATA, HTML = explorer.show().data, explorer.show()._repr_html_()
LENGTHS = (1, 2, 100, 1024)
EVERY_MODEL = facts("name", MODELS)


@EVERY_MODEL
def test_costs_are_those_that_the_package_counts(ask, name):
    asked = [["math.cost", DATA["models"][name], n] for n in LENGTHS]
    for n, found in zip(LENGTHS, ask("cost_and_scale", *asked), strict=True):
        weights, text, cache = found
        one = step_flops(CONFIGS[name], held=n - 1)
        assert weights + text == sum(one.parts.values())
        assert text == one.scores
        whole = forward_flops(CONFIGS[name], target=n).parts
        assert n * (weights + text) == sum(whole.values())
        assert cache == cache_bytes(CONFIGS[name], max_len=n, dtype=torch.bfloat16)


@EVERY_MODEL
def test_at_the_level_both_stacks_are_as_high(ask, name):
    model = DATA["models"][name]
    [level] = ask("cost_and_scale", ["math.level", model])
    [(weights, text, _)] = ask("cost_and_scale", ["math.cost", model, level])
    assert text == pytest.approx(weights)
    heights = ask(
        "cost_and_scale", *(["math.height", model, flops] for flops in (weights, text))
    )
    assert heights == pytest.approx(2 * ask("cost_and_scale", ["() => LEVEL"]))


def test_a_text_is_at_most_as_long_as_its_model_reads_and_as_the_drawing_is_high(ask):
    asked = [["math.longest", DATA["models"][name]] for name in MODELS]
    found = dict(zip(MODELS, ask("cost_and_scale", *asked), strict=True))
    for name in ("smollm2-135m", "gpt2", "llama-2-7b"):
        assert found[name] == CONFIGS[name].max_len
    assert 50_000 < found["llama-3.1-8b"] < CONFIGS["llama-3.1-8b"].max_len
    [room] = ask("cost_and_scale", ["() => BASE - MOST * LEVEL"])
    assert room >= 20


def test_numbers_have_commas_by_threes(ask):
    numbers = ["7", "1024", "131072", "13214.2", "1234567.8", "999.9"]
    expected = ["7", "1,024", "131,072", "13,214.2", "1,234,567.8", "999.9"]
    assert ask("cost_and_scale", *(["math.group", n] for n in numbers)) == expected


def test_first_picture_has_the_numbers_of_the_chapter():
    shown = dict(re.findall(r'<td data-part="(\w+)">([^<]+)<', HTML))
    assert shown == {
        "weights": "269.0",
        "positions": "70.8",
        "all": "339.7",
        "cache": "23.6",
    }
    assert "adds 26 %" in HTML
    assert "Both are level at 3,892 tokens" in HTML
