"""The machine whose features have names: what it writes, and what each part is for."""

from itertools import product

import pytest
import torch

from bookkit.checking.facts import facts
from chapters.one_sentence.machine import (
    FEATURES,
    FRENCH,
    PARTS,
    PHRASES,
    SENTENCES,
    WORDS,
    Machine,
    attend,
    in_french,
    norm,
    row,
    shares,
    vectors,
    weights,
    wishes,
)
from chapters.start import gaussian

RED_HOUSE, TWO = "the red house", "the garden the red house"
TARGET = "<start> la maison rouge"


@pytest.fixture
def machine():
    return Machine()


def said(machine, sentence, without="", limit=7):
    found = machine.translate(sentence, without=without, limit=limit)
    return " ".join(word for word, _ in found)


def test_the_right_translations_are_written_down():
    assert " ".join(in_french(RED_HOUSE)) == "la maison rouge <end>"
    assert " ".join(in_french(TWO)) == "le jardin la maison rouge <end>"
    assert len({*SENTENCES}) == 20


@facts("sentence", SENTENCES)
def test_it_translates_each_sentence(machine, sentence):
    assert said(machine, sentence).split() == in_french(sentence)


def test_it_is_sure_enough_of_each_word(machine):
    sure = [share for text in SENTENCES for _, share in machine.translate(text)]
    assert min(sure) == pytest.approx(0.43, abs=0.005)


def test_of_three_phrases_it_translates_those_without_a_color(machine):
    for phrases in product(PHRASES, repeat=3):
        text = " ".join(phrases)
        right = said(machine, text, limit=11).split() == in_french(text)
        assert right == ("red" not in text)


@facts(
    "without, right, sentence, writes",
    [
        ("self-attention", 8, TWO, "le jardin le maison rouge <end>"),
        ("positions", 0, RED_HOUSE, "la maison rouge la maison rouge la"),
        ("feed-forward", 6, RED_HOUSE, "la maison maison <end>"),
        ("cross-attention", 0, RED_HOUSE, "<end>"),
        ("norms", 0, RED_HOUSE, "la maison maison <end>"),
    ],
)
def test_without_a_part_it_writes_what_the_chapter_shows(
    machine, without, right, sentence, writes
):
    assert without in PARTS
    assert machine.count_right(without=without) == right
    assert said(machine, sentence, without) == writes


@facts(
    "choice, right",
    [
        ({}, 20),
        ({"sharp": 1}, 0),
        ({"loud": 1}, 0),
        ({"threshold": 0}, 6),
        ({"end": 1}, 10),
        ({"degrees": 90}, 4),
        ({"onward": 0}, 14),
    ],
)
def test_with_another_number_it_gets_fewer_right(choice, right):
    assert Machine(**choice).count_right() == right


def swapped(machine):
    machine.ask = machine.ask.clone()
    article, noun = FEATURES.index("article"), FEATURES.index("noun")
    machine.ask[[article, noun]] = machine.ask[[noun, article]]


def turned_back(machine):
    machine.look = machine.look - 9 * machine.turn(1.5) + 9 * machine.turn(-1.5)


def deaf(machine):
    machine.gender = torch.zeros_like(machine.gender)


def in_opposites(machine):
    machine.tell = -machine.tell


def all_units(machine):
    machine.threshold = 0.0


@facts("wrong", [swapped, turned_back, deaf, in_opposites, all_units])
def test_a_wrong_machine_is_noticed(wrong):
    machine = Machine()
    wrong(machine)
    assert machine.count_right() < 15


def test_with_the_norm_before_the_sum_it_is_another_machine(machine, monkeypatch):
    memory = machine.encode(f"{RED_HOUSE} <end>")
    x = machine.embed(f"{RED_HOUSE} <end>")
    other = norm(x) + attend(norm(x), norm(x), machine.look, machine.gender)
    assert not torch.allclose(norm(other), memory, atol=0.1)


def test_one_unit_fires_in_each_row_of_the_sentence(machine):
    source = f"{RED_HOUSE} <end>"
    read = machine.reading(source)["add, norm"]
    told = machine.writing(source, TARGET)["add, norm"]
    for rows, known, names, expected in (
        (read, machine.english, WORDS, source.split()),
        (told, machine.french, FRENCH, in_french(RED_HOUSE)),
    ):
        fires = shares(rows, known) > machine.threshold
        assert fires.sum(dim=-1).tolist() == [1] * 4
        assert [names[i] for i in fires.int().argmax(dim=-1)] == expected


def test_a_unit_adds_its_word_by_what_is_above_the_threshold(machine):
    word, french = vectors()["la"][None], machine.french
    assert torch.equal(machine.feed_forward(1.5 * word, french), torch.zeros_like(word))
    assert torch.equal(machine.feed_forward(1.75 * word, french), 0.25 * word)


def test_a_word_and_its_translation_have_the_same_row():
    pairs = {"red": "rouge", "house": "maison", "garden": "jardin"}
    for english, french in pairs.items():
        assert torch.equal(vectors()[english], vectors()[french])


def test_a_normed_row_has_length_three():
    lengths = norm(gaussian(5, 9, seed=0)).norm(dim=-1)
    torch.testing.assert_close(lengths, torch.full((5,), 3.0).double())


def test_without_feed_forward_what_is_left_outweighs_rouge(machine):
    memory = machine.encode(f"{RED_HOUSE} <end>", "feed-forward")
    last = machine.decode("<start> la maison", memory, "feed-forward")[-1]
    assert last @ vectors()["maison"] > last @ vectors()["rouge"]
    left = last @ row("noun")
    assert 0 < left < last @ vectors()["maison"]


def test_without_self_attention_an_article_takes_the_gender_of_the_row_that_asks(
    machine,
):
    memory = machine.encode(f"{TWO} <end>", "self-attention")
    assert (memory[2] @ machine.gender).abs().max() == 0
    last = machine.decode("<start> le jardin", memory, "feed-forward")[-1]
    assert last @ row("masculine") > 0.5
    assert (last @ row("feminine")).abs() < 0.05


def test_without_positions_both_articles_are_one_row(machine):
    first, _, second, *_ = machine.encode(f"{TWO} <end>", "positions")
    torch.testing.assert_close(first, second)
    first, _, second, *_ = machine.encode(f"{TWO} <end>")
    assert not torch.allclose(first, second, atol=0.5)


def test_a_turn_leads_from_place_to_place_and_leaves_words_alone(machine):
    moved = machine.hand(2) @ machine.turn(1.5)
    torch.testing.assert_close(moved, machine.hand(3.5))
    assert (machine.embedding @ machine.turn(1.5)).abs().max() == 0
    assert not torch.allclose(machine.hand(2) @ machine.turn(-1.5), machine.hand(3.5))


def test_a_wish_is_one_entry():
    matrix = wishes({("article", "noun"): 9.0})
    assert torch.equal(matrix, 9 * torch.outer(row("article"), row("noun")))
    assert torch.equal(row("article") @ matrix, 9 * row("noun"))


def test_turned_by_a_rotation_it_computes_the_same(machine):
    rotation = torch.linalg.qr(gaussian(9, 9, seed=3)).Q
    other = machine.rotated(rotation)
    assert (other.embedding - machine.embedding).abs().max() > 0.5
    ones, others = (m.translate(TWO) for m in (machine, other))
    assert [word for word, _ in ones] == [word for word, _ in others]
    assert [share for _, share in ones] == pytest.approx([s for _, s in others])
    assert machine.count_right() == 20  # it has not been changed


def test_later_words_do_not_reach_earlier_rows(machine):
    memory = machine.encode(f"{RED_HOUSE} <end>")
    first = machine.decode("<start> la maison", memory)
    second = machine.decode("<start> la le", memory)
    torch.testing.assert_close(first[:2], second[:2])
    assert not torch.allclose(first[2], second[2])


def test_a_limit_stops_what_would_never_end(machine):
    assert len(machine.translate(RED_HOUSE, without="positions", limit=4)) == 4


def test_each_article_looks_at_its_own_noun_and_each_answer_comes_from_its_word(
    machine,
):
    heard, found = machine.looks(f"{TWO} <end>", "<start> le jardin la maison rouge")
    assert heard[[0, 2]].argmax(dim=-1).tolist() == [1, 4]
    assert found.argmax(dim=-1).tolist() == [0, 1, 2, 4, 3, 5]


def test_steps_lead_to_the_memory_and_to_the_row_that_answers(machine):
    source = f"{RED_HOUSE} <end>"
    read, told = machine.reading(source), machine.writing(source, TARGET)
    x, memory = read["word and place"], machine.encode(source)
    torch.testing.assert_close(read["add, norm"], norm(x + read["answer"]))
    summed = norm(read["add, norm"] + read["feed-forward"])
    torch.testing.assert_close(summed, memory)
    torch.testing.assert_close(read["add, norm: memory"], memory)
    torch.testing.assert_close(told["query"], told["norm"] @ machine.ask)
    torch.testing.assert_close(told["add, norm"], norm(told["norm"] + told["answer"]))
    summed = norm(told["add, norm"] + told["feed-forward"])
    torch.testing.assert_close(summed, machine.decode(TARGET, memory))
    torch.testing.assert_close(told["add, norm: last"], summed)


def test_masked_rows_hear_nothing_of_what_follows():
    x = gaussian(5, 9, seed=0)
    shares = weights(x, x, gaussian(9, 9, seed=1), causal=True)
    assert torch.equal(shares.triu(1), torch.zeros_like(shares))
    torch.testing.assert_close(shares.sum(dim=-1), torch.ones(5).double())


OTHER, NE, VERB = torch.eye(9, dtype=torch.float64)[:3]
SPEAKS_NOT = torch.stack([OTHER, VERB, OTHER, NE, VERB, OTHER])
ASKS_NE = 9 * torch.outer(VERB, NE)


def test_looking_backward_each_verb_hears_of_the_ne_before_it_alone():
    found = weights(SPEAKS_NOT, SPEAKS_NOT, ASKS_NE, causal=True)
    assert found[1].tolist() == [0.5, 0.5, 0, 0, 0, 0]
    assert found[4, 3].item() == pytest.approx(0.83, abs=0.005)
    heard = attend(SPEAKS_NOT, SPEAKS_NOT, ASKS_NE, torch.outer(NE, NE), causal=True)
    assert (heard[1] @ NE).item() == 0
    assert (heard[4] @ NE).item() == found[4, 3].item()


def test_without_the_mask_the_first_verb_hears_of_a_later_ne():
    found = weights(SPEAKS_NOT, SPEAKS_NOT, ASKS_NE)
    assert found[1, 3].item() == pytest.approx(0.80, abs=0.005)
    assert torch.equal(found[1], found[4])


def test_without_self_attention_the_first_article_is_a_tie(machine):
    for sentence, wins in ((TWO, "le"), (RED_HOUSE, "la")):
        memory = machine.encode(f"{sentence} <end>", "self-attention")
        logits = machine.decode("<start>", memory, "self-attention")[-1]
        la, le = (logits @ vectors()[word] for word in ("la", "le"))
        assert 0 < abs(la - le) < 1e-6
        assert (la > le) == (wins == "la")


def test_the_ninth_place_looks_like_the_first(machine):
    torch.testing.assert_close(machine.hand(8), machine.hand(0))
    for place in range(1, 8):
        assert not torch.allclose(machine.hand(place), machine.hand(0), atol=0.5)


def test_red_wins_over_the_article_which_stands_at_a_right_angle(machine):
    y, memory = norm(machine.embed(TARGET)), machine.encode(f"{RED_HOUSE} <end>")
    the, red, *_ = (y @ machine.ask @ memory.T / 3)[2]
    assert the.item() == pytest.approx(10.04, abs=0.005)
    assert red.item() == pytest.approx(18.35, abs=0.005)
    assert (machine.hand(0) @ machine.hand(2)).item() == pytest.approx(0)


def granted(form):
    """Return whether scores grant the wishes of an article, a noun and red."""
    return form.argmax(dim=-1).tolist() == [1, 2, 0]


def test_one_matrix_for_queries_and_keys_grants_not_all_wishes():
    torch.manual_seed(0)
    two = 0
    for width in (1, 2, 3, 4, 5) * 200:
        queries, keys = torch.randn(2, 3, width, dtype=torch.float64)
        assert not granted(queries @ queries.T)
        two += granted(queries @ keys.T)
    assert two > 0


def test_one_matrix_is_enough_for_independent_words():
    asking, found = torch.linalg.qr(torch.randn(6, 6)).Q.split(3)
    sent = torch.eye(3)[[0, 1, 2, 1, 0, 2]]  # each with what it looks for
    matrix = torch.linalg.inv(torch.cat((asking, found))) @ sent
    scores = asking @ matrix @ (found @ matrix).T
    assert scores.argmax(dim=-1).tolist() == [1, 0, 2]
