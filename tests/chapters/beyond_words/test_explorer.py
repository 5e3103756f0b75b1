"""The explorer of patches cuts a picture as the package does, and as reshape does."""

import torch

from bookkit.checking.facts import facts
from chapters.beyond_words import explorer
from chapters.beyond_words.digits import digits
from transformer.layers import patchify

IMAGE = torch.tensor(explorer.SEVEN, dtype=torch.float64)


def cut(ask, side, *, reshape):
    """Return the numbers of each word, as the script cuts them."""
    [words] = ask("beyond_words", ["math.cut", side, reshape])
    rows, columns = torch.tensor(words).unbind(dim=-1)
    return IMAGE[rows, columns]


@facts("side", explorer.SIDES)
def test_words_are_the_patches_of_the_package(ask, side):
    expected = patchify(IMAGE[None, None], side)[0]
    assert torch.equal(cut(ask, side, reshape=False), expected)


@facts("side", explorer.SIDES)
def test_reshape_cuts_the_picture_into_its_rows(ask, side):
    found = cut(ask, side, reshape=True)
    assert torch.equal(found, IMAGE.reshape(-1, side * side))


def test_picture_is_a_seven_that_tests():
    tested = digits().tested
    seven = int((tested.labels == 7).nonzero()[2])
    assert torch.equal(16 * tested.images[seven, 0], IMAGE)


def test_pixels_are_shaded_by_their_ink(ask):
    [shades] = ask("beyond_words", ["math.shades", [0, 16, 3, 16], 2, [10, 20], 5])
    squares = {ink: path.count("M") for ink, path in enumerate(shades) if path}
    assert squares == {0: 1, 3: 1, 16: 2}
    assert shades[3].startswith("M10.00 25.00h5v5h-5z")


def test_first_picture_shows_the_seventh_word():
    told = (
        "16 words of 4 numbers, and 256 scores for a head. Word 7 lies in rows 3 to 4,"
    )
    html = explorer.show()._repr_html_()
    assert f"{told} columns 5 to 6. Its numbers: 13, 9, 16, 16." in html
