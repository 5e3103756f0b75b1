"""The time of a token with latent attention, and what it multiplies."""

import torch
from torch.testing import assert_close

from chapters.long_texts.latent_times import (
    D_HEAD,
    D_LATENT,
    D_ROTARY,
    FORMS,
    HEADS,
    HELD,
    MEASUREMENTS,
    measured,
    multiplications,
    step,
)
from transformer.layers import MultiHeadLatentAttention, RotaryEmbedding


def test_both_forms_give_the_same():
    unpacked, absorbed = (step(form, held=5)() for form in FORMS)
    # float32, in another order
    assert_close(unpacked, absorbed, rtol=1e-3, atol=1e-4)


def test_both_forms_are_those_of_the_layer():
    torch.manual_seed(1)
    rotary = RotaryEmbedding(D_ROTARY)
    sizes = {"d_latent": D_LATENT, "d_head": D_HEAD, "rotary": rotary}
    layer = MultiHeadLatentAttention(7, HEADS, **sizes)
    layer.output_projection = torch.nn.Identity()
    x = torch.randn(1, 3, 7)
    expected = layer(x, x, x, is_causal=True).values[0, -1].view(HEADS, D_HEAD)
    asked = layer.query_projection(x[0]).view(3, HEADS, -1)[-1]
    still, turned = asked.split((D_HEAD, D_ROTARY), dim=-1)
    turned = rotary(turned, torch.full((HEADS,), 2))
    latent, shared = layer.latent_projection(x[0]).split((D_LATENT, D_ROTARY), dim=-1)
    kept = torch.cat((layer.latent_norm(latent), rotary(shared, torch.arange(3))), -1)
    matrices = layer.unpack_projection.weight.view(HEADS, 2 * D_HEAD, D_LATENT)
    parts = (still, turned, *matrices.chunk(2, dim=1), kept)
    for form in FORMS.values():
        assert_close(form(*parts), expected, rtol=1e-4, atol=1e-5)


def test_each_length_is_timed_in_both_forms():
    rows = list(measured(rounds=1, lengths=(3, 5)))
    found = [(row["held"], row["form"]) for row in rows]
    assert found == [(n, form) for n in (3, 5) for form in FORMS]
    assert min(row["milliseconds"] for row in rows) > 0


def test_multiplications_are_those_of_the_matrices_and_the_scores():
    assert multiplications("unpacked", held=1) == 2 * 16 * 64 * 128 + 16 * (64 + 96)
    assert multiplications("absorbed", held=1) == 2 * 16 * 64 * 128 + 16 * (160 + 128)
    unpacked, absorbed = (multiplications(form, held=999) for form in FORMS)
    assert unpacked > 40 * absorbed


def test_the_file_holds_each_length_twice():
    rows = MEASUREMENTS.read()
    assert [row["held"] for row in rows] == [n for n in HELD for _ in range(2)]
    times = torch.tensor([row["milliseconds"] for row in rows]).view(-1, 2)
    assert (times[:, 1] < times[:, 0]).all()
