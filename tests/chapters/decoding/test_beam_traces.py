"""A trace says what a beam search does: the package's own search ends the same."""

import pytest
import torch

from bookkit.checking.facts import facts
from chapters.decoding.beam_traces import (
    DROPPED,
    ENDED,
    FEWEST,
    GOES_ON,
    MEASUREMENTS,
    PENALTIES,
    SHOWN,
    WIDTHS,
    Candidate,
    asker,
    chosen,
    follow,
    measured,
    traces_of,
)
from chapters.decoding.translations import BELOW, LONGEST
from chapters.laboratory.translator import new_translator, numbers, train_translator
from transformer.data import BOS_ID, EOS_ID, english
from transformer.decoding import beam_search, length_divisor

END = 2


@pytest.fixture(scope="module")
def untrained():
    return new_translator(seed=3, below=BELOW).double().eval()


@pytest.fixture(scope="module")
def learned():
    """A model that has learned a little."""
    return train_translator(seed=5, steps=60, below=BELOW).model.double().eval()


@pytest.fixture(scope="module")
def rows():
    return MEASUREMENTS.read()


def source_of(number):
    return [*numbers(BELOW).tokenizer.encode(english(number)), EOS_ID]


def found_by_the_package(model, source, width, penalty, longest=LONGEST):
    room = {"max_new_tokens": longest, "bos_id": BOS_ID, "eos_id": EOS_ID}
    tokens, scores = beam_search(
        model,
        torch.tensor([source]),
        beam_width=width,
        length_penalty=penalty,
        **room,
    )
    text = tokens[0, 0].tolist()
    end = text.index(EOS_ID) + 1 if EOS_ID in text else len(text)
    return text[:end], scores.item()


@facts("number", SHOWN)
def test_every_trace_ends_with_the_text_of_beam_search(number, learned):
    source, model = source_of(number), learned
    for (width, penalty), trace in traces_of(model, source).items():
        text, score = found_by_the_package(model, source, width, penalty)
        assert trace.text(*trace.winner) == text
        assert trace.score(*trace.winner, penalty) == pytest.approx(score)


@facts("longest", [1, 2, 7])
def test_a_text_that_is_full_competes_as_it_is(untrained, longest):
    source, choices = source_of(SHOWN[0]), {"width": 3, "penalty": 0.6}
    trace = follow(asker(untrained, source), **choices, longest=longest, end=EOS_ID)
    text, score = found_by_the_package(untrained, source, 3, 0.6, longest)
    assert trace.text(*trace.winner) == text
    assert trace.score(*trace.winner, 0.6) == pytest.approx(score)


def test_an_end_below_the_width_is_dropped():
    sums = [(5, -1.0), (6, -2.0), (END, -3.0), (7, -4.0)]
    found = [Candidate(0, token, nats, DROPPED) for token, nats in sums]
    fates = [candidate.fate for candidate in chosen(found, 2, END)]
    assert fates == [GOES_ON, GOES_ON, DROPPED, DROPPED]


def test_an_end_makes_room_for_the_next_text():
    sums = [(5, -1.0), (END, -2.0), (6, -3.0), (7, -4.0)]
    found = [Candidate(0, token, nats, DROPPED) for token, nats in sums]
    fates = [candidate.fate for candidate in chosen(found, 2, END)]
    assert fates == [GOES_ON, ENDED, GOES_ON, DROPPED]


def test_a_width_of_one_is_done_when_its_text_ends():
    sums = [(END, -1.0), (5, -2.0), (6, -3.0), (7, -4.0), (8, -5.0)]
    found = [Candidate(0, token, nats, DROPPED) for token, nats in sums]
    fates = [candidate.fate for candidate in chosen(found, 1, END)]
    assert fates == [ENDED, DROPPED, DROPPED, DROPPED]
    assert len(fates) == FEWEST


def test_the_command_gives_the_same_traces_again():
    first, again = (measured(steps=51, shown=(7,)) for _ in range(2))
    assert first == again
    assert [(row["number"], row["width"]) for row in first] == [
        (7, width) for width in WIDTHS
    ]


def test_the_file_holds_each_number_and_width_once(rows):
    found = [(row["number"], row["width"]) for row in rows]
    assert found == [(number, width) for number in SHOWN for width in WIDTHS]
    for row in rows:
        assert list(row["ends"]) == [str(penalty) for penalty in PENALTIES]
        assert len(row["steps"]) == max(end[0] for end in row["ends"].values())


def test_no_stored_sum_rises_and_each_winner_has_the_best_score(rows):
    for row in rows:
        for before, after in zip(row["steps"], row["steps"][1:], strict=False):
            for parent, _, nats, _ in after:
                assert before[parent][3] == GOES_ON
                assert nats <= before[parent][2]
        for penalty, (steps, step, place) in row["ends"].items():
            scores = [
                nats / length_divisor(n, float(penalty))
                for n, candidates in enumerate(row["steps"][:steps], start=1)
                for _, _, nats, fate in candidates
                if fate == ENDED
            ]
            winner = row["steps"][step][place][2]
            assert winner / length_divisor(step + 1, float(penalty)) == max(scores)


def test_none_of_the_numbers_was_learned():
    learned = {pair.source for pair in numbers(BELOW).splits.train}
    assert learned.isdisjoint(english(number) for number in SHOWN)
