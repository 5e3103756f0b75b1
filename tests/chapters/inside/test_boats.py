"""Pairs of boats, and teams of heads that fall silent."""

import pytest
import torch

from chapters.inside import boats
from chapters.laboratory.language_model import language_model


class Names:
    """A tokenizer with a token for each word, and two for a Whale."""

    def encode(self, text):
        ids = []
        for word in text.split():
            ids += [1 + sum(map(ord, word.strip(".,"))) % 19]
            ids += [0] if word.startswith("Whale") else []
        return ids


def test_boats_have_two_names_each_of_one_token():
    found = boats.drawn_boats(Names())
    assert len(found) == boats.PAIRS
    assert found == boats.drawn_boats(Names())
    for first, noun, other, second in found:
        assert first != other
        assert noun != second
        assert {first, other} <= set(boats.FIRST)
        assert {noun, second} <= set(boats.SECOND) - {"Whale"}


def test_the_halves_tell_the_first_names_apart_and_nothing_else():
    one, noun, two, other = boats.drawn_boats(Names())[0]
    asked = boats.questions(Names())
    assert len(asked) == 2 * boats.PAIRS
    ending = f"{boats.WENT} {one}"
    told = boats.TWO.format(one, noun, two, other) + ending
    retold = boats.TWO.format(two, noun, one, other) + ending
    assert asked[0] == (told, noun, other)
    assert asked[boats.PAIRS] == (retold, other, noun)


def test_answers_are_the_mean_chances_of_the_nouns():
    model = language_model(seed=0).eval()
    found = boats.answers(model, Names())
    right = []
    for text, noun, _ in boats.questions(Names()):
        chances = model(torch.tensor([Names().encode(text)]))[0, -1].softmax(dim=-1)
        right.append(chances[Names().encode(noun)[0]].item())
    assert found.right == pytest.approx(sum(right) / len(right), rel=1e-5)
    assert found != boats.answers(model, Names(), off=[(1, 1)])


def test_an_exchange_changes_only_what_differs_between_halves():
    model = language_model(seed=0).eval()
    ids = torch.tensor([[3, 1, 4], [3, 1, 5]])
    whole = model(ids)
    with boats.exchanged(model, [(1, 1), (1, 2)]):
        changed = model(ids)
    torch.testing.assert_close(changed[:, :2], whole[:, :2])
    assert not torch.allclose(changed[:, 2], whole[:, 2])
    torch.testing.assert_close(model(ids), whole)


def test_teams_are_drawn_from_the_others():
    teams = boats.random_teams((18, 19), [(18, 4), (19, 7)], size=5, count=3)
    assert [len(set(team)) for team in teams] == [5, 5, 5]
    for team in teams:
        assert {layer for layer, _ in team} <= {18, 19}
        assert not {(18, 4), (19, 7)} & set(team)
