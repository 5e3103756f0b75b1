"""The machine with eight features: what it writes, and what each part is for."""

import pytest
import torch

from chapters.one_sentence import phrases
from chapters.one_sentence.phrases import (
    ASK,
    EMBEDDING,
    FEMININE,
    GENDER,
    LOOK,
    TELL,
    THINGS,
    VECTORS,
    WORDS,
    decode,
    embed,
    encode,
    feed_forward,
    follow,
    hand,
    looks,
    shares,
    translate,
    turn,
    wishes,
)
from chapters.one_sentence.toy import attend, norm, send

HOUSES = {"the house": "la maison", "the red house": "la maison rouge"}
GARDENS = {"the garden": "le jardin", "the red garden": "le jardin rouge"}
PHRASES = HOUSES | GARDENS
PAIRS = [
    *((one, other) for one in HOUSES for other in GARDENS),
    *((one, other) for one in GARDENS for other in HOUSES),
]
RED_HOUSE, TWO = "the red house", "the garden the red house"


def said(sentence, without="", limit=7):
    found = translate(sentence, without=without, limit=limit)
    return " ".join(word for word, _ in found)


@pytest.mark.parametrize("phrase", PHRASES)
def test_it_translates_each_phrase(phrase):
    assert said(phrase) == f"{PHRASES[phrase]} <end>"


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_it_translates_two_phrases_of_different_gender(one, other):
    assert said(f"{one} {other}") == f"{PHRASES[one]} {PHRASES[other]} <end>"


@pytest.mark.parametrize(
    ("without", "sentence", "writes"),
    [
        ("self-attention", TWO, "le jardin le maison rouge <end>"),
        ("positions", RED_HOUSE, "la maison rouge la maison rouge la"),
        ("feed-forward", RED_HOUSE, "la maison maison <end>"),
        ("cross-attention", RED_HOUSE, " ".join(["<start>"] * 7)),
        ("norms", TWO, "le jardin la maison rouge <end>"),
    ],
)
def test_without_a_part_it_writes_what_the_chapter_shows(without, sentence, writes):
    assert said(sentence, without) == writes


def test_without_self_attention_the_article_is_a_toss():
    (_, sure), *_ = translate(RED_HOUSE)
    (_, toss), *_ = translate(RED_HOUSE, without="self-attention")
    assert sure > 0.99
    assert toss == pytest.approx(0.5, abs=0.01)


def test_without_positions_both_articles_are_one_row():
    first, _, second, *_ = encode(f"{TWO} <end>", without="positions")
    torch.testing.assert_close(first, second)
    first, _, second, *_ = encode(f"{TWO} <end>")
    assert not torch.allclose(first, second, atol=0.5)


def test_only_one_unit_fires_where_a_dot_product_would_be_wrong():
    memory = encode(f"{RED_HOUSE} <end>")
    row = decode("<start> la maison", memory, without="feed-forward")[-1]
    fires = [
        word for word, share in zip(WORDS, shares(row), strict=True) if share > 0.5
    ]
    assert fires == ["rouge"]
    assert WORDS[(row @ EMBEDDING.T).argmax()] == "maison"


def test_words_have_mean_zero_and_one_of_themselves():
    torch.testing.assert_close(
        EMBEDDING.sum(dim=-1), torch.zeros(len(WORDS), dtype=torch.float64)
    )
    torch.testing.assert_close(
        shares(EMBEDDING).diagonal(), torch.ones(len(WORDS), dtype=torch.float64)
    )


def test_a_turn_leads_from_place_to_place_and_leaves_words_alone():
    torch.testing.assert_close(hand(2) @ turn(1.5), hand(3.5))
    assert (EMBEDDING @ turn(1.5)).abs().max() < 1e-12


def test_a_limit_stops_what_would_never_end():
    assert len(translate(RED_HOUSE, without="positions", limit=4)) == 4


def test_each_article_looks_at_its_own_noun_and_each_answer_comes_from_its_word():
    heard, found = looks(f"{TWO} <end>", "<start> le jardin la maison rouge")
    assert heard[[0, 2]].argmax(dim=-1).tolist() == [1, 4]
    assert found.argmax(dim=-1).tolist() == [0, 1, 2, 4, 3, 5]


def test_looks_are_those_of_which_the_words_are_made():
    source, target = f"{RED_HOUSE} <end>", "<start> la maison"
    x, y = embed(source), norm(embed(target))
    heard, found = looks(source, target)
    memory = encode(source)
    torch.testing.assert_close(heard @ x @ GENDER, attend(x, x, LOOK, GENDER))
    after = norm(norm(y + found @ memory @ TELL))
    expected = decode(target, memory, without="feed-forward")
    torch.testing.assert_close(after, expected, rtol=1e-4, atol=1e-4)


def test_a_matrix_is_made_of_its_wishes():
    for matrix in (LOOK, GENDER, ASK, TELL):
        made = THINGS.T @ wishes(matrix) @ THINGS / 8
        torch.testing.assert_close(made, matrix)
    asked = wishes(ASK)
    assert asked[1, 3] == -2  # of an article, minus two nouns
    assert asked[1, 1] == 0


def test_without_self_attention_an_article_takes_the_gender_of_the_row_that_asks():
    memory = encode(f"{TWO} <end>", without="self-attention")
    assert (memory[2] @ FEMININE).abs() < 1e-6
    row = decode("<start> le jardin", memory, without="feed-forward")[-1]
    assert row @ FEMININE > 1
    swapped = decode("<start> la maison", memory, without="feed-forward")[-1]
    assert swapped @ FEMININE < -1


def test_steps_lead_to_the_memory_and_to_the_row_that_answers():
    source, target = f"{RED_HOUSE} <end>", "<start> la maison"
    steps, memory = follow(source, target), encode(source)
    torch.testing.assert_close(steps["memory"], memory[0])
    torch.testing.assert_close(steps["add, norm 3"], decode(target, memory)[-1])
    for word, found, summed in (
        ("word and place", "self-attention", "add, norm"),
        ("add, norm", "feed-forward", "memory"),
        ("add, norm 1", "cross-attention", "add, norm 2"),
        ("add, norm 2", "feed-forward 2", "add, norm 3"),
    ):
        expected = norm((steps[word] + steps[found])[None])[0]
        torch.testing.assert_close(steps[summed], expected)
    torch.testing.assert_close(steps["query"], steps["add, norm 1"] @ ASK)


def test_a_unit_adds_its_word_by_twice_what_is_above_one_half():
    word = VECTORS["la"]
    assert torch.equal(feed_forward(0.5 * word[None]), torch.zeros(1, 8).double())
    torch.testing.assert_close(feed_forward(0.75 * word[None])[0], 0.5 * word)


def test_less_loud_it_is_less_sure_of_the_last_word_of_two_phrases(monkeypatch):
    *_, (word, sure), _ = translate(TWO)
    monkeypatch.setattr(phrases, "TELL", 3 / 4 * TELL)
    *_, (other, less_sure), _ = translate(TWO)
    assert word == other == "rouge"
    assert (sure, less_sure) == pytest.approx((0.91, 0.78), abs=0.005)


def test_without_hands_wishes_for_one_phrase_are_enough(monkeypatch):
    things = [*THINGS[:5]]
    start, article, red, noun, _ = things
    asks = (start, article), (-article, noun), (-noun, red - start / 2), (-red, -start)
    monkeypatch.setattr(phrases, "LOOK", send((article, noun)))
    monkeypatch.setattr(phrases, "ASK", 2 * send(*asks))
    monkeypatch.setattr(phrases, "TELL", 3 / 4 * TELL)
    for phrase, translation in PHRASES.items():
        assert said(phrase, "positions") == f"{translation} <end>"
    assert said(TWO, "positions") != "le jardin la maison rouge <end>"
