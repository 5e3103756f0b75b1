"""The explorer of experts routes tokens as the mixture of the package does."""

import pytest
import torch

from bookkit.checking.facts import facts
from chapters.shared.explorer.markup import MINUS
from chapters.variants import explorer
from transformer.layers import MixtureOfExperts

DATA = explorer.show().data
TOKENS = [*DATA["tokens"], list(DATA["token"])]
LONGER = (DATA["router"][0], (0.0, 2.8), DATA["router"][2])  # expert 2, dragged up


def route(rows, many):
    """Return the weight that a layer of the package gives to each expert."""
    layer = MixtureOfExperts(2, 5, num_experts=3, experts_per_token=many).double()
    with torch.no_grad():
        layer.router.weight.copy_(torch.tensor(rows))
        weights, chosen, _ = layer.route(torch.tensor([TOKENS]).double())
    return torch.zeros(len(TOKENS), 3).double().scatter(1, chosen[0], weights[0])


@facts("rows", [DATA["router"], LONGER])
@facts("many", [1, 2])
def test_weights_are_those_of_the_package(ask, rows, many):
    tell = "(rows, x, many) => math.weights(math.scores(rows, x), many)"
    found = ask("variants", *([tell, rows, x, many] for x in TOKENS))
    found = torch.tensor(found, dtype=torch.float64)
    torch.testing.assert_close(found, route(rows, many), rtol=0, atol=1e-6)


@facts("rows, expected", [(DATA["router"], [10, 5, 9]), (LONGER, [10, 10, 4])])
def test_each_token_asks_one_expert_first(ask, rows, expected):
    [loads] = ask("variants", ["math.loads", rows, DATA["tokens"]])
    assert [len(load) for load in loads] == expected
    first = route(rows, 1)[:-1].argmax(dim=1)
    for expert, load in enumerate(loads):
        assert load == [DATA["tokens"][i] for i in (first == expert).nonzero()]


def test_first_picture_has_the_answer_of_the_chapter():
    html = explorer.show()._repr_html_()
    assert "the answer is 0.73 · 10 + 0.27 · 20 = 12.69." in html
    assert f'<td data-part="score-2">{MINUS}1.00</td>' in html
    scores = torch.tensor(DATA["router"]) @ torch.tensor(DATA["token"])
    assert scores.tolist() == pytest.approx([2, 1, -1])
