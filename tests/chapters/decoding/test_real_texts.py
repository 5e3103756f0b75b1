"""What is told of texts of a language model, by hand and for a small fresh one."""

import pytest
import torch

from chapters.decoding import real_texts
from chapters.decoding.answers import WRITERS
from chapters.decoding.real_texts import (
    chances,
    distributions,
    draws,
    one_in,
    rounds,
    shown,
    suspects,
    traces,
    typical,
    write_cached,
)
from chapters.laboratory.language_model import language_model
from transformer.decoding import greedy_decode

PROMPT = [3, 1, 4]


class Letters:
    """A tokenizer of single letters, whose prompts are short."""

    def encode(self, text):
        return [ord(letter) % 22 for letter in text]


@pytest.fixture(scope="module")
def model():
    return language_model(seed=0).double().eval()


@pytest.fixture
def short(monkeypatch):
    """Let texts of seven letters go on with a short prompt."""
    monkeypatch.setattr(real_texts, "PROMPT", "Alice")
    monkeypatch.setattr(real_texts, "STEPS", 7)


def by_hand(model, text, choose, steps):
    """The loop of the page, which reads everything again."""
    ids = torch.tensor([text])
    with torch.no_grad():
        for _ in range(steps):
            ids = torch.cat((ids, choose(model(ids)[:, -1])[:, None]), dim=1)
    return ids[0, len(text) :].tolist()


def test_with_a_cache_the_text_is_that_of_the_plain_loop_and_of_the_package(model):
    ids = torch.tensor([PROMPT])
    greedy = write_cached(model, ids, lambda logits: logits.argmax(dim=-1), steps=11)
    assert greedy[0].tolist() == by_hand(model, PROMPT, lambda x: x.argmax(dim=-1), 11)
    assert greedy.equal(greedy_decode(model, ids, max_new_tokens=11))


@pytest.mark.usefixtures("short")
def test_a_draw_does_not_depend_on_those_beside_it(model):
    cuts = [lambda x: x, lambda x: x.where(x > x.mean(), -torch.inf)]
    alone = [
        draws(model, Letters(), [temperature], [seed], [cut])[0]
        for temperature, seed, cut in zip((0.7, 1.5), (1, 0), cuts, strict=True)
    ]
    assert draws(model, Letters(), [0.7, 1.5], [1, 0], cuts) == alone


@pytest.mark.usefixtures("short")
def test_a_draw_is_what_the_loop_of_the_page_draws(model):
    dice = torch.Generator("cpu").manual_seed(4)

    def choose(logits):
        shares = (logits / 0.7).softmax(dim=-1)
        return torch.multinomial(shares, 1, generator=dice)[:, 0]

    wanted = by_hand(model, Letters().encode("Alice"), choose, 7)
    assert draws(model, Letters(), [0.7], [4]) == [wanted]


@pytest.mark.usefixtures("short")
def test_the_temperature_comes_before_the_cut(model):
    given = []
    draws(model, Letters(), [2.0], [0], [lambda x: given.append(x) or x])
    logits = model(torch.tensor([Letters().encode("Alice")]))[0, -1]
    torch.testing.assert_close(given[0][0], logits / 2)


def test_each_token_is_judged_by_what_stands_before_it(model):
    text = [5, 9, 2, 6]
    found = chances(model, torch.tensor([PROMPT]), text)
    for place, token in enumerate(text):
        before = torch.tensor([PROMPT + text[:place]])
        shares = model(before)[0, -1].softmax(dim=-1)
        torch.testing.assert_close(found[place], shares[token])
    assert distributions(model, torch.tensor([PROMPT]), text).shape == (4, 22)


def test_the_typical_chance_is_the_geometric_mean():
    assert typical(torch.tensor([0.5, 0.125])) == pytest.approx(0.25)


def test_a_chance_is_told_with_two_digits():
    assert one_in(7e-10) == "1 in 1,400,000,000"
    assert one_in(1 / 34.4) == "1 in 34"
    assert one_in(0.44) == "1 in 2.3"
    assert one_in(0.1) == "1 in 10"


def test_rounds_are_found_where_the_whole_sentence_stands(monkeypatch):
    monkeypatch.setattr(real_texts, "SENTENCE", "ab")
    wanted = Letters().encode("ab")
    text = [0, *wanted, *wanted, wanted[0]]
    found = rounds(Letters(), text, torch.tensor([0.9, 0.5, 0.2, 0.5, 0.4, 0.9]))
    assert [start for start, _ in found] == [1, 3]
    assert [share for _, share in found] == pytest.approx([0.1, 0.2])


def test_traces_by_hand():
    found = torch.tensor([[0.5, 0.3, 0.2], [0.1, 0.8, 0.1]]).double()
    left = traces(found, [2, 1])
    assert left["rank"] == 3
    assert left["before"] == pytest.approx(0.8)
    assert left["share"] == pytest.approx(0.4)
    of_the_first = traces(found, [0, 1])
    assert of_the_first == {"rank": 1, "before": 0, "share": 1}


@pytest.mark.usefixtures("short")
def test_suspects_leave_the_traces_of_their_rules(model):
    prompt = torch.tensor([Letters().encode("Alice")])
    left = {
        writer: traces(distributions(model, prompt, text), text)
        for writer, text in zip(
            WRITERS, suspects(model, Letters()).values(), strict=True
        )
    }
    assert left["greedy"]["rank"] == 1
    assert left["top-k"]["rank"] <= 5
    assert left["top-p"]["before"] < 0.9
    assert left["min-p"]["share"] >= 0.1


def test_line_breaks_are_left_out():
    assert shown(" one\n\ntwo three\n") == "… one two three"
