"""The bytes that a backward pass needs, against a count by hand."""

import torch

from chapters.cost_and_scale.held_bytes import counted, saved_bytes, still_held
from transformer.config import TransformerConfig

SMALL = TransformerConfig(
    vocab_size=11,
    max_len=7,
    d_model=8,
    num_heads=2,
    num_encoder_layers=0,
    num_decoder_layers=2,
)


def test_a_product_saves_what_its_gradient_needs():
    x, weight = torch.ones(3, 5), torch.nn.Parameter(torch.ones(5, 7))
    assert saved_bytes(lambda: (x @ weight).sum()) == 3 * 5 * 4
    twice = torch.ones(3, 5, requires_grad=True)
    assert saved_bytes(lambda: (twice * twice).sum()) == 3 * 5 * 4  # once, not twice


def summed(loss_of, batches, *, change):
    total = 0.0
    for batch in batches:
        total += change(loss_of(batch))
        yield


def after_backward(loss):
    loss.backward()
    return loss


def test_a_sum_of_losses_holds_all_batches():
    held = still_held(SMALL, summed, change=lambda loss: loss)
    more = held[1] - held[0]  # the table of positions counts once
    assert held[0] * 0.99 < more <= held[0]
    assert held == [held[0] + more * count for count in range(4)]


def test_plain_numbers_and_learned_batches_hold_nothing():
    for change in (torch.Tensor.item, torch.Tensor.detach, after_backward):
        assert still_held(SMALL, summed, change=change) == [0, 0, 0, 0]


def test_a_product_takes_two_operations_a_step():
    x, weight = torch.ones(3, 5), torch.ones(5, 7)
    assert counted(lambda: x @ weight) == 2 * 3 * 5 * 7
    assert counted(lambda: x + x) == 0
