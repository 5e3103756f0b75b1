"""The trainings of the chapter on heads and masks, and the file of their results."""

import pytest
import torch

from chapters.laboratory import reversal
from chapters.multi_head_attention.experiments import (
    MEASUREMENTS,
    TwoLookUps,
    grid,
    right_answers,
    train_look_ups,
)
from transformer.data import IGNORED, PAD_ID, Batch


def test_the_right_answers_are_the_symbols_one_and_three_back():
    answers = right_answers(torch.tensor([[5, 6, 7, 8, 9]]))
    assert answers[0, 3:].tolist() == [[7, 5], [8, 6]]
    assert (answers[0, :3] == IGNORED).all()


@pytest.mark.parametrize("mixed", [False, True])
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


def test_a_training_repeats_to_the_last_bit():
    first = train_look_ups(2, mixed=True, seed=3, steps=3)
    torch.rand(5)
    assert train_look_ups(2, mixed=True, seed=3, steps=3) == first
    assert len(first["weights"]) == 2
    assert all(0 <= share <= 1 for head in first["weights"] for share in head)


@pytest.mark.parametrize("missing", ["none", "causal", "padding"])
def test_only_a_model_with_all_masks_ignores_padding_and_the_future(missing):
    _, held_out, vocab_size = reversal.rows()
    batch = Batch.of(held_out[:5])
    torch.manual_seed(0)
    config = reversal.sizes(vocab_size)
    model = reversal.Reverser(config, missing).eval()
    (source, target), _ = reversal.shifted(batch)
    padded = torch.nn.functional.pad(source, (0, 3), value=PAD_ID)
    later = target.clone()
    later[:, 3:] = 3
    with torch.no_grad():
        logits, with_padding = model(source, target), model(padded, target)
        ahead = model(source, later)
    assert torch.allclose(logits, with_padding, atol=1e-5) == (missing != "padding")
    same = torch.allclose(logits[:, :3], ahead[:, :3], atol=1e-6)
    assert same == (missing != "causal")


def test_a_row_counts_when_each_of_its_tokens_is_right():
    result = reversal.train_reversal(missing="none", seed=0, steps=2)
    assert len(result["exact"]) == len(reversal.EXTRA)
    assert result["exact"][0] == 0.0


def test_a_reversal_trains_at_the_learning_rate_that_is_given():
    start, slow, fast = (
        reversal.train(missing="none", seed=0, steps=3, learning_rate=rate)[1]
        for rate in (0.0, 1e-3, 3e-3)
    )
    assert start[0] == slow[0] == fast[0]
    assert start[2] > slow[2] > fast[2]


def test_the_file_holds_each_training_of_the_grid_once():
    rows = MEASUREMENTS.read()
    settings = [
        {k: row[k] for k in wanted} for row, wanted in zip(rows, grid(), strict=True)
    ]
    assert settings == grid()
    assert len(rows) == len(grid())
