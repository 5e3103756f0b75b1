"""Patches of an image: cut, put together again, and read by a convolution."""

import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st
from torch import nn
from torch.testing import assert_close

from bookkit.checking.facts import facts
from transformer.layers import patchify, unpatchify

BATCH, CHANNELS, ROWS, COLUMNS, SIDE, D_MODEL = 2, 3, 5, 7, 11, 13
# Sums of 363 products in float64, in another order.
REORDERED = {"rtol": 1e-11, "atol": 1e-11}


def random(*shape):
    return torch.randn(*shape, dtype=torch.float64)


def test_an_image_of_four_by_six_by_hand():
    image = torch.arange(24.0).view(1, 1, 4, 6)
    assert patchify(image, 2)[0].tolist() == [
        [0, 1, 6, 7],
        [2, 3, 8, 9],
        [4, 5, 10, 11],
        [12, 13, 18, 19],
        [14, 15, 20, 21],
        [16, 17, 22, 23],
    ]


def test_within_a_patch_the_channels_come_first():
    red, green = torch.tensor([[1.0, 2], [3, 4]]), torch.tensor([[5.0, 6], [7, 8]])
    image = torch.stack((red, green))[None]
    assert patchify(image, 2).flatten().tolist() == [1, 2, 3, 4, 5, 6, 7, 8]


def test_shapes_with_distinct_primes():
    images = random(BATCH, CHANNELS, ROWS * SIDE, COLUMNS * SIDE)
    patches = patchify(images, SIDE)
    assert patches.shape == (BATCH, ROWS * COLUMNS, CHANNELS * SIDE * SIDE)
    again = unpatchify(patches, patch_size=SIDE, columns=COLUMNS)
    assert torch.equal(again, images)


@given(st.tuples(*[st.integers(1, 4)] * 5), st.integers(0, 99))
def test_cut_and_joined_is_what_it_was(sizes, seed):
    batch, channels, rows, columns, side = sizes
    torch.manual_seed(seed)
    images = random(batch, channels, rows * side, columns * side)
    patches = patchify(images, side)
    joined = unpatchify(patches, patch_size=side, columns=columns)
    assert torch.equal(joined, images)
    assert torch.equal(patchify(joined, side), patches)


def test_it_is_the_unfolding_of_torch(parity):
    images = random(BATCH, CHANNELS, ROWS * SIDE, COLUMNS * SIDE)
    expected = F.unfold(images, SIDE, stride=SIDE).mT
    parity(patchify, F.unfold).values(patchify(images, SIDE), expected, rtol=0, atol=0)


def test_a_linear_map_of_patches_is_a_convolution_with_their_stride(parity):
    kernel = (CHANNELS, D_MODEL, SIDE)
    theirs = nn.Conv2d(*kernel, stride=SIDE).double()
    ours = nn.Linear(CHANNELS * SIDE * SIDE, D_MODEL).double()
    with torch.no_grad():
        ours.weight.copy_(theirs.weight.flatten(start_dim=1))
        ours.bias.copy_(theirs.bias)
    images = random(BATCH, CHANNELS, ROWS * SIDE, COLUMNS * SIDE)
    found = ours(patchify(images, SIDE))
    expected = theirs(images).flatten(start_dim=2).mT
    compared = parity(patchify, nn.Conv2d)
    compared.values(found, expected, **REORDERED)
    direction = torch.randn_like(found)
    for output in (found, expected):
        (output * direction).sum().backward()
    gradient = theirs.weight.grad.flatten(start_dim=1)
    compared.gradients(ours.weight.grad, gradient, **REORDERED)


def test_gradients_go_back_to_their_pixels():
    images = random(BATCH, CHANNELS, 4, 6).requires_grad_()
    weights = random(BATCH, 6, CHANNELS * 4)
    (patchify(images, 2) * weights).sum().backward()
    expected = unpatchify(weights, patch_size=2, columns=3)
    assert_close(images.grad, expected, rtol=0, atol=0)


IMAGE, PATCHES = torch.zeros(1, 1, 4, 6), torch.zeros(1, 6, 4)
BAD_INPUTS = {
    "pixels that are whole numbers": (
        lambda: patchify(IMAGE.long(), 2),
        TypeError,
        "images must hold floating-point numbers.*got torch.int64",
    ),
    "an image without a channel": (
        lambda: patchify(IMAGE[0], 2),
        ValueError,
        r"images.*\(batch, channels, height, width\).*got \(1, 4, 6\); add",
    ),
    "a height that leaves a rest": (
        lambda: patchify(IMAGE, 3),
        ValueError,
        "patch_size must divide the height, got the height=4 and patch_size=3",
    ),
    "a width that leaves a rest": (
        lambda: patchify(IMAGE, 4),
        ValueError,
        "patch_size must divide the width, got the width=6",
    ),
    "patches that fill no rows": (
        lambda: unpatchify(PATCHES, patch_size=2, columns=4),
        ValueError,
        "columns must divide the number of patches, got the number of patches=6",
    ),
    "patches that are no squares": (
        lambda: unpatchify(PATCHES, patch_size=3, columns=3),
        ValueError,
        "must divide the numbers, got the numbers=4",
    ),
    "patches of one image alone": (
        lambda: unpatchify(PATCHES[0], patch_size=2, columns=3),
        ValueError,
        r"patches.*\(batch, patches, numbers\), got \(6, 4\)",
    ),
}


@facts("case", BAD_INPUTS.values(), ids=[*BAD_INPUTS])
def test_bad_input_is_refused_with_what_to_do(case, refuses):
    refuses(*case)
