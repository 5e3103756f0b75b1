"""Where a language model looks, on weights and models small enough to count."""

from functools import partial

import pytest
import torch

from chapters.field_guide import near_and_far
from chapters.field_guide.near_and_far import (
    NAMES,
    WINDOW,
    cases,
    chance_of,
    chances,
    loss_in_window,
    loss_of_case,
    mean_weights,
    shares,
    stored_chances,
    stored_losses,
    without_content,
)
from chapters.laboratory.language_model import language_model
from chapters.laboratory.real_model import open_model

IDS = [1, 4, 2, 8, 5, 7, 1, 3, 11]


class WordSums:
    """A tokenizer with one token for each word, small enough for the model."""

    def encode(self, text: str) -> list[int]:
        return [sum(map(ord, word)) % 17 + 1 for word in text.split()]


@pytest.fixture
def model():
    return language_model(seed=0, position="rotary").eval()


def test_mean_weights_are_causal_rows_that_sum_to_one(model):
    weights = mean_weights(model, IDS)
    assert weights.shape == (9, 9)
    assert torch.equal(weights.triu(1), torch.zeros(9, 9))
    torch.testing.assert_close(weights.sum(dim=1), torch.ones(9))


def test_shares_of_equal_weights_grow_with_the_range():
    weights = torch.full((9, 9), 0.1)
    torch.testing.assert_close(shares(weights, [1, 2, 4]), torch.tensor([0.1, 0.2]))


def test_shares_leave_out_queries_that_stand_too_early():
    weights = torch.zeros(5, 5)
    weights[0, 0] = weights[3, 3] = 1.0
    torch.testing.assert_close(shares(weights, [0, 1, 4]), torch.tensor([0.5, 0.0]))


def test_a_window_with_every_token_kept_hides_nothing(model):
    all_kept = loss_in_window(model, IDS, window=4, keep=range(9))
    with torch.no_grad():
        logits = model(torch.tensor([IDS]))[0, 4:-1]
    whole = torch.nn.functional.cross_entropy(logits, torch.tensor(IDS[5:])).item()
    assert all_kept == pytest.approx(whole, abs=1e-5)


def test_hidden_keys_change_the_loss_and_each_kept_token_counts(model):
    kept = ([], [0], [3], range(9))
    losses = [loss_in_window(model, IDS, window=2, keep=keep) for keep in kept]
    assert len(set(losses)) == 4


def test_keys_that_count_alike_share_by_the_length_of_the_range():
    alike = without_content(4, [0, 1, 4])["all keys alike"]
    torch.testing.assert_close(alike, torch.tensor([0.25, 0.75]))


def test_near_keys_weigh_more_in_heads_of_alibi_than_if_all_count_alike():
    near = {name: found[0] for name, found in without_content(40, [0, 8, 32]).items()}
    assert near["eight ALiBi heads"] > near["all keys alike"]


def test_a_far_name_changes_what_is_said_unless_a_window_hides_it(model):
    for window, same in ((None, False), (5, True)):
        martin, walter = (
            chance_of(model, WordSums(), "Martin", called=called, window=window)
            for called in ("Martin", "Walter")
        )
        assert (martin == pytest.approx(walter, rel=1e-5)) is same


def test_a_window_leaves_the_first_token_in_sight(model, monkeypatch):
    before = chance_of(model, WordSums(), "Martin", called="Martin", window=5)
    other = near_and_far.STORY.replace("The lighthouse", "A lighthouse", 1)
    monkeypatch.setattr(near_and_far, "STORY", other)
    after = chance_of(model, WordSums(), "Martin", called="Martin", window=5)
    assert before != pytest.approx(after, rel=1e-5)


def test_the_four_chances_are_told_and_not_told_then_both_in_a_window(model):
    ask = partial(chance_of, model, WordSums(), "Martin")
    assert chances(model, WordSums(), "Martin", window=5) == [
        ask(called="Martin"),
        ask(called="Edward"),
        ask(called="Martin", window=5),
        ask(called="Edward", window=5),
    ]


def test_the_file_holds_four_chances_of_each_name_and_a_loss_of_each_case():
    assert tuple(stored_chances()) == NAMES
    for told, not_told, *in_window in stored_chances().values():
        assert told > 100 * not_told
        assert in_window == pytest.approx(2 * [in_window[0]], rel=0.1)
    assert list(stored_losses()) == list(cases(WordSums()))
    assert stored_losses()["all keys"] == min(stored_losses().values())


def test_rows_of_the_file_are_measured_again():
    smollm = open_model("smollm2-135m")
    again = chances(*smollm, "Oliver", window=WINDOW)
    assert again == pytest.approx(stored_chances()["Oliver"], rel=1e-2)
    for case in ("all keys", "and the first, now Blue"):
        found = loss_of_case(*smollm, case)
        assert found == pytest.approx(stored_losses()[case], abs=1e-2)
