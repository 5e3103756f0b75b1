"""The layers that look two symbols up at once, and the file of their trainings."""

import pytest
import torch

from bookkit.checking.facts import facts
from chapters.multi_head_attention.look_ups import (
    STUDY,
    TwoLookUps,
    accuracy,
    mean_weights,
    measured,
    right_answers,
)
from transformer.data import IGNORED


def test_the_right_answers_are_the_symbols_one_and_three_back():
    answers = right_answers(torch.tensor([[5, 6, 7, 8, 9]]))
    assert answers[0, 3:].tolist() == [[7, 5], [8, 6]]
    assert (answers[0, :3] == IGNORED).all()


@facts("mixed", [False, True])
def test_the_number_of_heads_changes_no_size(mixed):
    sizes = {
        sum(p.numel() for p in TwoLookUps(heads, mixed=mixed).parameters())
        for heads in (1, 2, 4)
    }
    assert sizes == {6176}


def test_weights_of_a_layer_apart_do_not_depend_on_the_symbols():
    layer = TwoLookUps(2, mixed=False)
    one, two = torch.randint(16, (2, 1, 12))
    weights = [layer.attend(x, need_weights=True).weights for x in (one, two)]
    assert torch.equal(*weights)


def test_a_network_answers_behind_one_head_what_no_linear_map_does():
    for steps in STUDY.trained_steps:
        found = STUDY.results("apart, 1 head, network", steps, "both")
        linear = STUDY.results("apart, 1 head", steps, "both")
        assert min(found) > 0.99
        assert max(linear) < 0.5


def test_accuracy_counts_each_question_by_itself():
    tokens = torch.randint(16, (29, 12))

    def model(tokens):  # it knows the nearer answer alone
        scores = torch.nn.functional.one_hot(tokens.roll(1, dims=1), 16).double()
        return torch.stack((scores, -scores), dim=2)

    assert accuracy(model, tokens) == [1.0, pytest.approx(1 / 16, abs=0.1)]


def test_a_fresh_layer_looks_at_all_places_alike():
    torch.manual_seed(3)
    layer = TwoLookUps(2, mixed=False)
    weights = torch.tensor(mean_weights(layer, torch.randint(16, (5, 12))))
    # The mean of 1/t over the positions 4 to 12, for each head and place.
    uniform = sum(1 / t for t in range(4, 13)) / 9
    torch.testing.assert_close(weights, torch.full((2, 2), uniform), rtol=0.1, atol=0)


def test_a_measurement_repeats_and_has_the_fields_of_the_file():
    options = {"learning_rate": 1e-2, "steps": 8, "seed": 3}
    found = measured("mixed, 2 heads", **options)
    torch.rand(5)
    assert measured("mixed, 2 heads", **options) == found
    assert found["both"] == min(found["near"], found["far"])
    assert len(found["weights"]) == 2
    assert {*found, "seconds", "variant", *options} == {*STUDY.rows[0]}
