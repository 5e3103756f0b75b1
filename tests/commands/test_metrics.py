"""Tests of what is counted over whole texts."""

import sys
from math import exp

import pytest

from bookkit.checking.facts import facts
from transformer.commands.metrics import bleu, exact_match


def test_exact_match_counts_equal_texts():
    assert exact_match(["a b", "c", "d"], ["a b", "C", "d"]) == pytest.approx(2 / 3)


def test_bleu_by_hand():
    # 5 of 6 words, 3 of 5 pairs, 2 of 4 triples, 1 of 3 quadruples; as long as asked.
    found = bleu(["the cat sat on a mat"], ["the cat sat on the mat"])
    assert found == pytest.approx(100 * (5 / 6 * 3 / 5 * 2 / 4 * 1 / 3) ** 0.25)


def test_bleu_punishes_what_is_too_short():
    found = bleu(["the cat sat on"], ["the cat sat on the mat"])
    assert found == pytest.approx(100 * exp(1 - 6 / 4))


@facts("words, found", [(1, 0), (2, 0), (3, 0), (4, 100), (5, 100)])
def test_without_four_words_in_a_row_there_is_no_bleu(words, found):
    text = " ".join("abcde"[:words])
    assert bleu([text, "f"], [text, "f"]) == pytest.approx(found)


def test_the_bleu_of_a_corpus_is_no_mean():
    texts = ["a b c d e", "v w x y z"]
    references = ["a b c d e", "k l m n o"]
    assert bleu(texts, references) == pytest.approx(
        100 * (5 / 10 * 4 / 8 * 3 / 6 * 2 / 4) ** 0.25
    )


@facts("metric", [exact_match, bleu])
def test_texts_without_partner_are_refused(refuses, metric):
    message = "there must be one reference for each translation, at least one, got "
    refuses(lambda: metric(["a"], []), ValueError, message + "1 translations and 0 ref")
    refuses(lambda: metric([], []), ValueError, message + "0 translations and 0 ref")


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "sacrebleu", None)
    with pytest.raises(
        ImportError, match=r'run: pip install "tested-transformer\[training\]"$'
    ):
        bleu(["a"], ["a"])
