"""Four endings: one is true, all are alike in length, and likelihood is that of it."""

import pytest
import torch

from bookkit.checking.facts import facts
from chapters.laboratory import king_james
from chapters.language_model.endings import (
    CHOICES,
    LEAST,
    Question,
    ending_nats,
    halves,
    questions,
)
from transformer.config import TransformerConfig
from transformer.data import CharacterTokenizer
from transformer.models import DecoderOnlyTransformer

BOOK = king_james.books()["Proverbs"]


def asked():
    return questions(BOOK, count=40, seed=2)


@facts(
    "verse, expected",
    [
        (f"{'a' * 30}: {'b' * 30}", ("a" * 30 + ":", " " + "b" * 30)),
        (f"a; {'a' * 30}: {'b' * 30}", (f"a; {'a' * 30}:", " " + "b" * 30)),
        (f"{'a' * 30}, {'b' * 30}", None),
        (f"{'a' * 30}: b", None),
    ],
)
def test_a_verse_is_cut_at_the_mark_next_to_its_middle(verse, expected):
    assert halves(verse) == expected


def test_the_answer_is_how_the_verse_ends():
    for question in asked():
        before, verse = question.beginning.split("\n")
        place = BOOK.index(verse + question.endings[question.answer])
        assert BOOK[place - 1] == before


def test_endings_are_of_the_book_and_differ():
    for question in asked():
        assert len({*question.endings}) == CHOICES
        for ending in question.endings:
            assert len(ending) >= LEAST
            assert any(verse.endswith(ending) for verse in BOOK)


def test_answers_stand_anywhere_and_lengths_are_near():
    found = asked()
    assert len({question.answer for question in found}) == CHOICES
    spread = [max(map(len, q.endings)) - min(map(len, q.endings)) for q in found]
    assert sum(spread) / len(spread) < 10


def test_the_length_does_not_tell_which_is_true():
    ranks = [0] * CHOICES
    for seed in range(20):
        for question in questions(BOOK, count=100, seed=seed):
            true = len(question.endings[question.answer])
            lengths = sorted(map(len, question.endings))
            # Of endings of one length each rank is as good as another.
            for rank in range(CHOICES):
                ranks[rank] += (lengths[rank] == true) / lengths.count(true)
    # 2,000 questions: 500 for each rank, and a deviation of about 20.
    assert max(abs(count - 500) for count in ranks) < 60


def test_the_same_seed_asks_the_same():
    assert asked() == asked()
    assert asked() != questions(BOOK, count=40, seed=3)


@pytest.fixture
def model():
    torch.manual_seed(0)
    config = TransformerConfig.decoder_only(
        vocab_size=15, num_decoder_layers=1, d_model=6, d_ff=5, num_heads=3, max_len=19
    )
    return DecoderOnlyTransformer(config).double()


@pytest.mark.parametrize("alone", [False, True])
def test_the_likelihood_is_that_of_each_ending_by_itself(model, alone):
    tokenizer = CharacterTokenizer.fit(["\n abcdefghi"])
    question = Question("abc\nde", (" fgh", " ihg", " fa", " hihi"), 0)
    before = "\n" if alone else "\nabc\nde"
    model.eval()
    expected = []
    for ending in question.endings:
        ids = torch.tensor(tokenizer.encode(before + ending))
        chances = model(ids[None, :-1])[0].log_softmax(dim=-1)
        nats = -chances.gather(1, ids[1:, None])[:, 0]
        expected.append(nats[-len(ending) :].sum())
    found = ending_nats(model, tokenizer, question, alone=alone)
    torch.testing.assert_close(found.double(), torch.stack(expected), rtol=0, atol=1e-5)


def test_a_beginning_that_is_too_long_loses_its_start(model):
    tokenizer = CharacterTokenizer.fit(["\n abcdefghi"])
    endings = (" fgh", " ihg", " fa", " hihi")
    found, expected = (
        ending_nats(model, tokenizer, Question(begin + "abc\nde", endings, 0))
        for begin in ("iii hhh ggg fff eee ", "a" * 50 + "ggg fff eee ")
    )
    torch.testing.assert_close(found, expected)
