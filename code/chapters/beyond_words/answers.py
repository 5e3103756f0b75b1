"""Properties of the answers to the exercises of the chapter on images."""

import torch
from torch import Tensor

from chapters.beyond_words.pairs import contrastive_loss, lowest_loss
from chapters.calls import calls, uses_package
from chapters.exercises import Property
from chapters.forms import form_of_rows, right_where, shaped
from chapters.start import gaussian
from transformer.layers import GridRotaryEmbedding, patchify

WORDS = {"changes", "stays"}
PIECES = ("__getitem__", "narrow", "select", "flatten", "index_select", "split")
CUTTERS = ("unfold", "patchify", "unfold_copy", "im2col")


def gray(height: int, width: int) -> Tensor:
    """Return an image without channels, each of whose pixels is another number."""
    return torch.arange(float(height * width)).view(height, width)


def cut(answer, image: Tensor, side: int) -> Tensor:
    """Return the patches that an answer makes."""
    return torch.as_tensor(answer(image.clone(), side), dtype=image.dtype)


def pieces(answer, image: Tensor) -> int:
    """Return how often an answer takes a piece of an image."""
    return sum(calls(answer, image, 2)[name] for name in PIECES)


def cuts_like_the_package(answer, height: int, width: int, side: int) -> bool:
    """Return whether an answer makes the patches of the package, in their order."""
    image = gray(height, width)
    wanted = patchify(image[None, None], side)[0]
    found = cut(answer, image, side)
    return found.shape == wanted.shape and bool(torch.equal(found, wanted))


def holds_the_patches(answer, height: int, width: int, side: int) -> bool:
    """Return whether each patch is there, in whatever order."""
    image = gray(height, width)
    wanted = patchify(image[None, None], side)[0]
    found = {tuple(row) for row in cut(answer, image, side).tolist()}
    return found == {tuple(row) for row in wanted.tolist()}


def kernel_agrees(answer, channels: int, side: int) -> bool:
    """Return whether a convolution with the kernel is the linear map of patches."""
    weight = gaussian(7, channels * side * side, seed=1)
    images = gaussian(2, channels, 3 * side, 4 * side, seed=2)
    kernel = torch.as_tensor(answer(weight.clone(), channels), dtype=weight.dtype)
    found = torch.nn.functional.conv2d(images, kernel, stride=side)
    wanted = patchify(images, side) @ weight.T
    return torch.allclose(found.flatten(start_dim=2).mT, wanted)


def turned(answer, place: int, columns: int) -> Tensor:
    """Return what an answer makes of a vector of eight features."""
    x = gaussian(8, seed=3)
    return torch.as_tensor(answer(x.clone(), place, columns), dtype=x.dtype)


def turns_like_the_package(answer, *, columns: int, places: range) -> bool:
    """Return whether an answer turns vectors as the package does."""
    rotary = GridRotaryEmbedding(8, columns=columns, layout="interleaved")
    x = gaussian(8, seed=3)
    return all(
        torch.allclose(
            turned(answer, n, columns), rotary(x[None], torch.tensor([n]))[0]
        )
        for n in places
    )


def loss_is_right(answer, *, count: int, factor: float = 1.0) -> bool:
    """Return whether an answer is the mean of both cross-entropies."""
    scores = factor * gaussian(count, count, seed=count)
    found = torch.as_tensor(answer(scores.clone()), dtype=scores.dtype)
    return torch.allclose(found, contrastive_loss(scores))


def turned_over(answer) -> bool:
    """Return whether images and texts may trade places."""
    scores = gaussian(5, 5, seed=9)
    values = [torch.as_tensor(answer(x)) for x in (scores.clone(), scores.T.clone())]
    return torch.allclose(*values)


def floor_is_right(answer, *batches: list[int]) -> bool:
    """Return whether an answer is the lowest loss of some batches."""
    return all(
        abs(float(answer(list(labels))) - lowest_loss(labels)) < 1e-4
        for labels in batches
    )


EXERCISES = {
    "ex-seeing-count": [
        Property(
            "how many patches of 14 pixels are there, in rows and columns, and what "
            "stands before them?",
            lambda words, weights, factor: words == 257,
        ),
        Property(
            "a patch has 14 times 14 pixels of three colors; each number has a weight "
            "for each of the 1,024 features, and each feature one more.",
            lambda words, weights, factor: weights == 603_136,
        ),
        Property(
            "half the side makes four times as many words; and each looks at each.",
            lambda words, weights, factor: factor == 16,
        ),
    ],
    "ex-seeing-cut": [
        Property(
            "return a row for each patch, with side times side numbers.",
            lambda answer: cut(answer, gray(4, 6), 2).shape == (6, 4),
        ),
        Property(
            "cut by yourself, without unfold and without the package.",
            lambda answer: (
                not uses_package(answer, gray(4, 6), 2)
                and not set(CUTTERS) & set(calls(answer, gray(4, 6), 2))
            ),
        ),
        Property(
            "the first patch of an image that is one patch wide and high is the image, "
            "row after row.",
            lambda answer: cut(answer, gray(3, 3), 3).flatten().tolist() == [*range(9)],
        ),
        Property(
            "a patch is a square: pixels of two rows of the image stand in it.",
            lambda answer: holds_the_patches(answer, 4, 6, 2),
        ),
        Property(
            "patches come row after row, as one reads.",
            lambda answer: cuts_like_the_package(answer, 4, 6, 2),
        ),
        Property(
            "without a loop: more patches must not take more pieces of the image.",
            lambda answer: pieces(answer, gray(4, 6)) == pieces(answer, gray(16, 24)),
        ),
        Property(
            "it must work for any side, for tall images and for wide ones.",
            lambda answer: all(
                cuts_like_the_package(answer, *sizes)
                for sizes in ((8, 8, 4), (9, 3, 3), (5, 10, 5), (6, 4, 1), (4, 12, 2))
            ),
        ),
    ],
    "ex-seeing-kernel": [
        Property(
            "a kernel has the shape (features, channels, side, side).",
            lambda answer: (
                torch.as_tensor(answer(gaussian(7, 12, seed=1), 3)).shape
                == (7, 3, 2, 2)
            ),
        ),
        Property(
            "with one channel the convolution must be the linear map.",
            lambda answer: kernel_agrees(answer, 1, 3),
        ),
        Property(
            "with three channels as well: which of them come first in a patch?",
            lambda answer: kernel_agrees(answer, 3, 2) and kernel_agrees(answer, 2, 5),
        ),
    ],
    "ex-seeing-turn": [
        Property(
            "return eight numbers, of the same length as a vector.",
            lambda answer: torch.allclose(
                turned(answer, 5, 3).norm(), gaussian(8, seed=3).norm()
            ),
        ),
        Property(
            "the first patch stands in row 0 and column 0, and is not turned.",
            lambda answer: torch.allclose(turned(answer, 0, 3), gaussian(8, seed=3)),
        ),
        Property(
            "in the first row only the last four features turn.",
            lambda answer: turns_like_the_package(answer, columns=7, places=range(7)),
        ),
        Property(
            "in the first column only the first four features turn.",
            lambda answer: turns_like_the_package(answer, columns=1, places=range(5)),
        ),
        Property(
            "place n stands in row n // columns and column n % columns.",
            lambda answer: turns_like_the_package(answer, columns=3, places=range(12)),
        ),
    ],
    "ex-seeing-both": [
        Property(
            "return one number.",
            lambda answer: torch.as_tensor(answer(gaussian(4, 4, seed=1))).dim() == 0,
        ),
        Property(
            "where all scores are equal, each of n texts has the chance 1/n.",
            lambda answer: torch.allclose(
                torch.as_tensor(answer(torch.zeros(4, 4))).double(),
                torch.tensor(4.0).double().log(),
            ),
        ),
        Property(
            "images and texts may trade places: the loss must stay.",
            turned_over,
        ),
        Property(
            "it is the mean of two cross-entropies, along rows and along columns.",
            lambda answer: all(loss_is_right(answer, count=n) for n in (1, 2, 5, 13)),
        ),
        Property(
            "large scores must not overflow.",
            lambda answer: loss_is_right(answer, count=5, factor=1e4),
        ),
    ],
    "ex-seeing-floor": [
        Property(
            "if all labels differ, the loss can come as near to 0 as you like.",
            lambda answer: floor_is_right(answer, [1, 2, 3], [7]),
        ),
        Property(
            "if all are the same, nothing tells the pairs apart.",
            lambda answer: floor_is_right(answer, [3, 3], [5] * 7),
        ),
        Property(
            "each pair counts once, with the number of pairs that share its label.",
            lambda answer: floor_is_right(
                answer, [3, 3, 3, 3, 5, 5, 7, 1], [0, 0, 1], [9, 8, 9, 8, 9]
            ),
        ),
    ],
    "ex-seeing-think": [
        Property(
            "answer with 'changes' or 'stays'.",
            lambda *words: len(words) == 4 and set(words) <= WORDS,
        ),
        Property(
            "without positions, what could tell the model that two patches moved?",
            lambda none, table, both, grid: none == "stays",
        ),
        Property(
            "each place has a vector of its own; which patch meets which?",
            lambda none, table, both, grid: table == "changes",
        ),
        Property(
            "a patch and its vector travel together; does the sum of both notice?",
            lambda none, table, both, grid: both == "stays",
        ),
        Property(
            "patches see each other as before. But the class token is not turned: "
            "what does it see?",
            lambda none, table, both, grid: grid == "changes",
        ),
    ],
}

PATCHES = [[0, 1, 4, 5], [2, 3, 6, 7], [8, 9, 12, 13], [10, 11, 14, 15]]
BY_HAND = {
    "ex-seeing-cut": [
        Property("give four patches of four numbers.", shaped(PATCHES)),
        Property(
            "the first patch is a square: two numbers of the first row of the image, "
            "and what stands below them.",
            right_where(PATCHES, lambda patch, number: patch == 0),
        ),
        Property(
            "the second patch stands to the right of the first.",
            right_where(PATCHES, lambda patch, number: patch == 1),
        ),
        Property(
            "the third patch begins in the third row of the image.",
            right_where(PATCHES),
        ),
    ],
}

FIELDS = {
    "ex-seeing-cut": form_of_rows(PATCHES),
    "ex-seeing-count": (257, 603_136, 16),
    "ex-seeing-think": 4 * ({"changes", "stays"},),
}
