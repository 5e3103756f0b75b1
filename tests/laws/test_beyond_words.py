"""The laws of the chapter on images, for random sizes and numbers."""

from math import log

import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

from chapters.beyond_words.pairs import contrastive_loss, lowest_loss
from transformer import TransformerConfig
from transformer.layers import GridRotaryEmbedding, patchify, unpatchify
from transformer.models import ImageEncoder

# Sums of some hundred products in float64, in another order.
EXACT = {"rtol": 1e-9, "atol": 1e-9}
SEEDS, SIZES = st.integers(0, 99), st.integers(1, 4)


def draw(seed, *shape):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


@given(seed=SEEDS, channels=SIZES, rows=SIZES, columns=SIZES, side=SIZES)
@settings(max_examples=25)
def test_a_linear_map_of_patches_is_a_convolution(seed, channels, rows, columns, side):
    images = draw(seed, 2, channels, rows * side, columns * side)
    weight, bias = draw(seed + 1, 7, channels * side**2), draw(seed + 2, 7)
    kernel = weight.unflatten(1, (channels, side, side))
    expected = F.conv2d(images, kernel, bias, stride=side).flatten(start_dim=2).mT
    assert_close(patchify(images, side) @ weight.T + bias, expected, **EXACT)


def encoder(seed, position):
    torch.manual_seed(seed)
    config = TransformerConfig.encoder_only(
        vocab_size=3,
        image_size=(4, 6),
        patch_size=2,
        image_channels=1,
        num_encoder_layers=2,
        d_model=12,
        d_ff=11,
        num_heads=3,
        position=position,
        norm_placement="pre",
    )
    model = ImageEncoder(config).double().eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.3 * torch.randn_like(parameter)
    return model


def reordered(images, order):
    return unpatchify(patchify(images, 2)[:, order], patch_size=2, columns=3)


@given(seed=SEEDS, order=st.permutations(range(6)))
@settings(max_examples=25)
def test_without_positions_the_order_of_the_patches_is_not_seen(seed, order):
    model, images = encoder(seed, "none"), draw(seed, 2, 1, 4, 6)
    assert_close(model(reordered(images, order)), model(images), **EXACT)


@given(seed=SEEDS, order=st.permutations(range(6)))
@settings(max_examples=25)
def test_with_a_table_another_order_is_another_order_of_its_rows(seed, order):
    """Scores and gradients, so that a training goes the same way."""
    model, images = encoder(seed, "learned"), draw(seed, 2, 1, 4, 6)
    before = model(images)
    before.square().sum().backward()
    table = model.embedding.positions.embedding.weight
    gradient = table.grad.clone()
    rows = torch.tensor([0, *(1 + n for n in order)])
    with torch.no_grad():
        table.copy_(table[rows])
    model.zero_grad()
    after = model(reordered(images, list(order)))
    after.square().sum().backward()
    assert_close(after, before, **EXACT)
    assert_close(table.grad, gradient[rows], **EXACT)


@given(seed=SEEDS, columns=st.integers(1, 9), data=st.data())
@settings(max_examples=25)
def test_a_score_knows_the_rows_and_columns_in_between(seed, columns, data):
    turn = GridRotaryEmbedding(8, columns=columns)
    query, key = draw(seed, 1, 8), draw(seed + 1, 1, 8)
    places = st.tuples(st.integers(0, 5), st.integers(0, columns - 1))
    (r, c), (s, d) = data.draw(places), data.draw(places)
    down = data.draw(st.integers(0, 4))
    right = data.draw(st.integers(0, columns - 1 - max(c, d)))

    def score(*moved):
        asks, asked = (
            torch.tensor([(row + moved[0]) * columns + column + moved[1]])
            for row, column in ((r, c), (s, d))
        )
        return (turn(query, asks) * turn(key, asked)).sum()

    assert_close(score(down, right), score(0, 0), **EXACT)


@given(seed=SEEDS, labels=st.lists(st.integers(0, 3), min_size=1, max_size=9))
@settings(max_examples=50)
def test_pairs_with_one_text_keep_the_loss_up(seed, labels):
    """Scores are those of vectors, of which those of one label have the same text."""
    texts = draw(seed, 4, 5)[labels]
    images = draw(seed + 1, len(labels), 5)
    floor = lowest_loss(labels)
    assert contrastive_loss(images @ texts.T) >= floor - 1e-12
    best = 50.0 * F.one_hot(torch.tensor(labels), 4).double()
    assert_close(
        contrastive_loss(best @ best.T),
        torch.tensor(floor, dtype=torch.float64),
        rtol=0,
        atol=1e-9,
    )


def test_the_floor_by_hand():
    assert abs(lowest_loss([3, 3, 3, 3, 5, 5, 7, 1]) - 10 / 8 * log(2)) < 1e-12
    assert lowest_loss([1, 2, 3]) == 0.0
