"""A start for a text of one's own: it is cut once, and rows say what its end costs."""

from importlib.util import find_spec

import pytest
import torch

from chapters.laboratory import alice
from chapters.language_model import starts
from chapters.language_model.recipe import Recipe
from transformer.models import DecoderOnlyTransformer
from transformer.zoo import LanguageModel, load

TINY = {"d_model": 12, "d_ff": 10, "num_layers": 1, "num_heads": 2}


def test_the_parts_are_the_whole_text_cut_at_a_line_end():
    known, end = starts.parts()
    assert known + end == alice.book() + "\n"
    assert known.endswith("\n")
    assert 0.1 < len(end) / len(known + end) < 0.3


def test_what_is_learned_is_the_first_part():
    tokenizer = load("verses").tokenizer
    text = tokenizer.decode(starts.learned(tokenizer).tolist())
    assert text == "\n" + starts.parts()[0]


@pytest.mark.parametrize("start", ["nothing", "verses"])
def test_a_start_draws_the_same_whatever_was_drawn_before(start):
    draws = []
    for count in (1, 7):
        torch.rand(count)
        starts.begin(start)
        draws.append(torch.rand(5))
    assert torch.equal(*draws)


def test_a_start_is_measured_before_and_after_it_learns(monkeypatch):
    tokenizer = load("verses").tokenizer
    torch.manual_seed(0)
    model = DecoderOnlyTransformer(Recipe(**TINY).config(tokenizer.vocab_size)).float()
    monkeypatch.setattr(starts, "begin", lambda start: LanguageModel(model, tokenizer))
    monkeypatch.setitem(starts.STARTS, "tiny", ((0, 2, 5), 1e-2))
    rows = list(starts.measured("tiny"))
    assert [row["step"] for row in rows] == [0, 2, 5]
    assert rows[2]["bits"] < rows[1]["bits"] < rows[0]["bits"]


def test_a_compressor_pays_for_the_end_alone_and_has_read_what_stands_before(
    monkeypatch,
):
    read = []
    monkeypatch.setattr(starts, "ppmd", lambda order: lambda x: read.append(x) or x)
    known, end = starts.parts()
    assert starts.ppmd_bits("Bible\n") == 8 * len(end.encode()) / len(end)
    assert read == [f"Bible\n{text}".encode() for text in (known + end, known)]


@pytest.mark.skipif(find_spec("pyppmd") is None, reason="pyppmd is not asked for")
def test_ppmd_needs_for_the_end_what_is_stored():
    row = next(x for x in starts.MEASUREMENTS.read() if x["start"] == "PPMd")
    assert row["bits"] == pytest.approx(starts.ppmd_bits(), abs=1e-3)


def test_verses_cost_at_the_beginning_what_is_stored():
    row = next(x for x in starts.MEASUREMENTS.read() if x["start"] == "verses")
    found = starts.bits_of_end(*starts.begin("verses"))
    assert (row["step"], row["bits"]) == (0, pytest.approx(found, abs=1e-3))
