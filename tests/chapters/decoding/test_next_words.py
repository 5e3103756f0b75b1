"""What is stored of the next words gives the shares and the cuts of the model."""

import pytest
import torch

from bookkit.checking.facts import facts
from chapters.decoding.next_words import (
    BIN,
    LISTED,
    MEASUREMENTS,
    MODEL,
    TEXTS,
    pack,
    show_word,
    unpack,
)
from chapters.decoding.sampling.explorer import SETTINGS
from chapters.laboratory.real_model import as_ids, open_model
from transformer.decoding import (
    apply_temperature,
    keep_min_p,
    keep_top_k,
    keep_top_p,
)

RULES = {"top-k": keep_top_k, "top-p": keep_top_p, "min-p": keep_min_p}
TENTHS = (2, 5, 7, 10, 12, 15, 20)


@pytest.fixture(scope="module")
def smollm():
    return open_model(MODEL)


@pytest.fixture(scope="module")
def exact(smollm):
    """The logits of the model after each beginning, the largest first."""
    model, tokenizer = smollm
    with torch.no_grad():
        return {
            name: model(as_ids(tokenizer, text))[0, -1].double().sort(descending=True)
            for name, text in TEXTS.items()
        }


@pytest.fixture(scope="module")
def stored():
    return {row["text"]: row for row in MEASUREMENTS.read()}


def test_packed_logits_come_back_within_half_a_bin():
    logits = 3 * torch.randn(211, dtype=torch.float64)
    packed = pack(logits, str)
    ranked, back = logits.sort(descending=True), unpack(packed)
    assert packed["words"] == [f"“[{i}]”" for i in ranked.indices[:LISTED].tolist()]
    near = {"rtol": 0, "atol": 1e-12}
    torch.testing.assert_close(back[:LISTED], ranked.values[:LISTED], **near)
    assert len(back) == len(logits)
    assert (back - ranked.values).abs().max() <= BIN / 2 + 1e-12


def test_words_without_letters_stand_in_quotes():
    tokens = (" Paris", ".", " ", " 1865", '."')
    assert [*map(show_word, tokens)] == ["Paris", "“.”", "“ ”", "1865", '“."”']


def test_the_file_holds_both_beginnings_and_every_word(stored, exact):
    assert [*stored] == [*TEXTS]
    for name, row in stored.items():
        assert len(set(row["words"])) == LISTED
        assert LISTED + sum(row["counts"]) == len(exact[name].values)


def test_stored_words_are_the_likeliest_of_the_model(stored, exact, smollm):
    tokenizer = smollm.tokenizer
    for name, row in stored.items():
        ids = exact[name].indices[:LISTED].tolist()
        assert row["words"] == [show_word(tokenizer.decode([i])) for i in ids]
        assert row["largest"] == pytest.approx(exact[name].values[0].item(), abs=1e-3)


@facts("tenths", TENTHS)
def test_sum_over_the_vocabulary_is_that_of_the_model(stored, exact, tenths):
    for name, row in stored.items():
        back, real = (x[None] for x in (unpack(row), exact[name].values))
        found, expected = (
            apply_temperature(x, tenths / 10).softmax(dim=-1)[0] for x in (back, real)
        )
        near = {"rtol": 0, "atol": 1e-4}  # five digits, and bins: shown are three
        torch.testing.assert_close(found[:LISTED], expected[:LISTED], **near)
        torch.testing.assert_close(
            found[LISTED:].sum(), expected[LISTED:].sum(), **near
        )


@facts("rule", RULES)
def test_every_cut_keeps_as_many_words_as_that_of_the_model(stored, exact, rule):
    """One word more or less only where the sum or the share is a hair from the cut."""
    missed = []
    for name, row in stored.items():
        for tenths in TENTHS:
            both = (unpack(row), exact[name].values)
            scaled = [apply_temperature(x[None], tenths / 10) for x in both]
            for setting in SETTINGS[rule][::2]:
                found, expected = (
                    int(RULES[rule](x, setting).isfinite().sum()) for x in scaled
                )
                missed += [abs(found - expected)] if found != expected else []
                assert abs(found - expected) <= max(1, 0.01 * expected)
    assert len(missed) < 0.35 * len(TENTHS) * len(SETTINGS[rule])
