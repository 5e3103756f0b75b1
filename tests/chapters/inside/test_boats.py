"""Pairs of boats, and teams of heads that fall silent."""

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


def test_the_loss_is_that_of_the_first_boats_noun():
    model = language_model(seed=0).eval()
    losses = boats.losses(model, Names())
    first = boats.drawn_boats(Names())[0]
    text = boats.TWO.format(*first) + f"{boats.WENT} {first[0]}"
    logs = model(torch.tensor([Names().encode(text)]))[0, -1].log_softmax(dim=-1)
    (noun,) = Names().encode(first[1])
    torch.testing.assert_close(losses[0], -logs[noun])
    assert not torch.equal(losses, boats.losses(model, Names(), off=[(1, 1)]))


def test_teams_are_drawn_from_the_others():
    teams = boats.random_teams((18, 19), [(18, 4), (19, 7)], size=5, count=3)
    assert [len(set(team)) for team in teams] == [5, 5, 5]
    for team in teams:
        assert {layer for layer, _ in team} <= {18, 19}
        assert not {(18, 4), (19, 7)} & set(team)
