"""Answers to the exercises on images, right ones and wrong ones."""

from collections import Counter
from math import log

import torch
import torch.nn.functional as F

from transformer.layers import patchify


def cut(image, side):
    rows, columns = image.size(0) // side, image.size(1) // side
    grid = image.reshape(rows, side, columns, side)
    return grid.transpose(1, 2).reshape(rows * columns, side * side)


def cut_one_by_one(image, side):
    found = []
    for top in range(0, len(image), side):
        for left in range(0, image.size(1), side):
            patch = image[top : top + side, left : left + side]
            found.append(patch.flatten().tolist())
    return found


def cut_by_reshaping(image, side):
    """Pieces of rows, and no squares."""
    return image.reshape(-1, side * side)


def cut_down_the_columns(image, side):
    return torch.stack([
        image[top : top + side, left : left + side].flatten()
        for left in range(0, image.size(1), side)
        for top in range(0, len(image), side)
    ])  # fmt: skip


def cut_and_turned(image, side):
    """Each patch column after column."""
    return cut(image, side).unflatten(1, (side, side)).mT.flatten(1)


def cut_squares_only(image, side):
    count = image.size(1) // side
    grid = image[: count * side].reshape(-1, side, count, side)
    found = grid.transpose(1, 2).reshape(-1, side * side)
    return found if len(image) <= image.size(1) else found[: count * count]


def cut_by_unfold(image, side):
    return F.unfold(image[None, None], side, stride=side)[0].T


def cut_by_the_package(image, side):
    return patchify(image[None, None], side)[0]


def cut_with_overlap(image, side):
    return torch.stack([
        image[top : top + side, left : left + side].flatten()
        for top in range(len(image) - side + 1)
        for left in range(image.size(1) - side + 1)
    ])  # fmt: skip


def cut_by_hand_of_two(image, side):
    """Only for patches of two by two."""
    return cut(image, 2) if side == 2 else cut_by_reshaping(image, side)


def kernel(weight, channels):
    side = round((weight.size(1) / channels) ** 0.5)
    return weight.reshape(len(weight), channels, side, side)


def kernel_of_last_channels(weight, channels):
    """The order of images as photographs are stored."""
    side = round((weight.size(1) / channels) ** 0.5)
    return weight.reshape(len(weight), side, side, channels).permute(0, 3, 1, 2)


def kernel_turned(weight, channels):
    return kernel(weight, channels).mT


def kernel_flipped(weight, channels):
    """A convolution of mathematics, which PyTorch does not compute."""
    return kernel(weight, channels).flip(2, 3)


def kernel_of_rows_and_columns_mixed(weight, channels):
    """Reads the transposed weights in their order."""
    side = round((weight.size(1) / channels) ** 0.5)
    return weight.T.reshape(len(weight), channels, side, side)


def turn_by(x, angles):
    pairs = x.view(4, 2)
    cosine, sine = torch.tensor(angles).cos(), torch.tensor(angles).sin()
    first = pairs[:, 0] * cosine - pairs[:, 1] * sine
    second = pairs[:, 0] * sine + pairs[:, 1] * cosine
    return torch.stack((first, second), dim=1).flatten()


def turn(x, place, columns):
    row, column = divmod(place, columns)
    return turn_by(x, [1.0 * row, 0.1 * row, 1.0 * column, 0.1 * column])


def turn_columns_first(x, place, columns):
    row, column = divmod(place, columns)
    return turn_by(x, [1.0 * column, 0.1 * column, 1.0 * row, 0.1 * row])


def turn_as_a_text(x, place, columns):
    return turn_by(x, [float(place), 0.1 * place, float(place), 0.1 * place])


def turn_back(x, place, columns):
    row, column = divmod(place, columns)
    return turn_by(x, [-1.0 * row, -0.1 * row, -1.0 * column, -0.1 * column])


def turn_from_one(x, place, columns):
    return turn(x, place + columns + 1, columns)


def turn_transposed(x, place, columns):
    """Counts down the columns in a square, and goes wrong elsewhere."""
    row, column = divmod(place, columns)
    if row and column:
        row, column = column, row
    return turn_by(x, [1.0 * row, 0.1 * row, 1.0 * column, 0.1 * column])


def turn_with_one_frequency(x, place, columns):
    row, column = divmod(place, columns)
    return turn_by(x, [1.0 * row, 1.0 * row, 1.0 * column, 1.0 * column])


def turn_rows_too_little(x, place, columns):
    row, column = divmod(place, columns)
    return turn_by(x, [0.1 * row, 0.01 * row, 1.0 * column, 0.1 * column])


def turn_and_stretch(x, place, columns):
    return 2 * turn(x, place, columns)


def both(scores):
    own = torch.arange(len(scores))
    return (F.cross_entropy(scores, own) + F.cross_entropy(scores.T, own)) / 2


def both_written_out(scores):
    rows = scores.log_softmax(dim=1).diagonal()
    columns = scores.log_softmax(dim=0).diagonal()
    return -(rows.mean() + columns.mean()) / 2


def rows_only(scores):
    return F.cross_entropy(scores, torch.arange(len(scores)))


def sum_of_both(scores):
    return 2 * both(scores)


def one_softmax_of_all(scores):
    n = len(scores)
    return log(n) - torch.log_softmax(scores.flatten(), 0)[:: n + 1].mean() - log(n)


def one_softmax_shifted(scores):
    """Right where all scores are equal, by taking one logarithm away."""
    n = len(scores)
    return -torch.log_softmax(scores.flatten(), 0)[:: n + 1].mean() - log(n)


def exponentials_by_hand(scores):
    numbers = scores.exp()
    rows = numbers.diagonal() / numbers.sum(dim=1)
    columns = numbers.diagonal() / numbers.sum(dim=0)
    return -(rows.log().mean() + columns.log().mean()) / 2


def mean_of_chances(scores):
    """The logarithm of a mean."""
    chances = (scores.softmax(dim=1) + scores.softmax(dim=0)).diagonal() / 2
    return -chances.log().mean()


def each_by_itself(scores):
    return (scores.logsumexp(dim=1) - scores.diagonal()) / 2


def floor(labels):
    counts = Counter(labels)
    return sum(log(counts[label]) for label in labels) / len(labels)


def floor_over_labels(labels):
    """A mean over labels, where it must be one over pairs."""
    counts = Counter(labels)
    return sum(log(count) for count in counts.values()) / len(counts)


def floor_of_kinds(labels):
    return log(len(labels) / len(set(labels)))


def floor_of_all(labels):
    return log(len(labels)) if len(set(labels)) < len(labels) else 0.0


def floor_of_the_worst(labels):
    return log(max(Counter(labels).values()))


def floor_doubled(labels):
    return 2 * floor(labels)


RIGHT = [
    ("ex-seeing-count", (257, 603_136, 16)),
    ("ex-seeing-cut", (cut,)),
    ("ex-seeing-kernel", (kernel,)),
    ("ex-seeing-turn", (turn,)),
    ("ex-seeing-both", (both,)),
    ("ex-seeing-both", (both_written_out,)),
    ("ex-seeing-floor", (floor,)),
    ("ex-seeing-think", ("stays", "changes", "stays", "changes")),
    (
        "ex-seeing-cut",
        ([[0, 1, 4, 5], [2, 3, 6, 7], [8, 9, 12, 13], [10, 11, 14, 15]],),
    ),
    (
        "ex-seeing-cut",
        (torch.tensor([[0, 1, 4, 5], [2, 3, 6, 7], [8, 9, 12, 13], [10, 11, 14, 15]]),),
    ),
    (
        "ex-seeing-cut",
        ([["0", "1", "4", "5"], [2, 3, 6, 7], [8, 9, 12, "13.0"], [10, 11, 14, 15]],),
    ),
]

WRONG = [
    ("ex-seeing-count", (256, 603_136, 16), "stands before"),
    ("ex-seeing-count", (17, 603_136, 16), "rows and columns"),
    ("ex-seeing-count", (257, 602_112, 16), "one more"),
    ("ex-seeing-count", (257, 201_728, 16), "three colors"),
    ("ex-seeing-count", (257, 603_136, 4), "each looks at each"),
    ("ex-seeing-count", (257, 603_136, 2), "each looks at each"),
    ("ex-seeing-cut", (lambda image, side: image,), "a row for each patch"),
    ("ex-seeing-cut", (cut_with_overlap,), "a row for each patch"),
    ("ex-seeing-cut", (cut_by_unfold,), "without unfold"),
    ("ex-seeing-cut", (cut_by_the_package,), "without unfold"),
    ("ex-seeing-cut", (cut_and_turned,), "row after row"),
    ("ex-seeing-cut", (cut_by_reshaping,), "two rows"),
    ("ex-seeing-cut", (cut_down_the_columns,), "as one reads"),
    ("ex-seeing-cut", (cut_one_by_one,), "without a loop"),
    ("ex-seeing-cut", (cut_by_hand_of_two,), "any side"),
    ("ex-seeing-cut", (cut_squares_only,), "any side"),
    ("ex-seeing-kernel", (lambda weight, channels: weight,), "the shape"),
    ("ex-seeing-kernel", (kernel_turned,), "one channel"),
    ("ex-seeing-kernel", (kernel_flipped,), "one channel"),
    ("ex-seeing-kernel", (kernel_of_rows_and_columns_mixed,), "one channel"),
    ("ex-seeing-kernel", (kernel_of_last_channels,), "come first"),
    ("ex-seeing-turn", (turn_and_stretch,), "same length"),
    ("ex-seeing-turn", (turn_from_one,), "not turned"),
    ("ex-seeing-turn", (turn_as_a_text,), "first row"),
    ("ex-seeing-turn", (turn_columns_first,), "first row"),
    ("ex-seeing-turn", (turn_back,), "first row"),
    ("ex-seeing-turn", (turn_with_one_frequency,), "first row"),
    ("ex-seeing-turn", (turn_rows_too_little,), "first column"),
    ("ex-seeing-turn", (turn_transposed,), "n // columns"),
    ("ex-seeing-both", (each_by_itself,), "one number"),
    ("ex-seeing-both", (sum_of_both,), "the chance 1/n"),
    ("ex-seeing-both", (one_softmax_of_all,), "the chance 1/n"),
    ("ex-seeing-both", (rows_only,), "trade places"),
    ("ex-seeing-both", (one_softmax_shifted,), "two cross-entropies"),
    ("ex-seeing-both", (mean_of_chances,), "two cross-entropies"),
    ("ex-seeing-both", (exponentials_by_hand,), "overflow"),
    ("ex-seeing-floor", (lambda labels: log(len(labels)),), "all labels differ"),
    ("ex-seeing-floor", (lambda labels: 0.0,), "all are the same"),
    ("ex-seeing-floor", (floor_doubled,), "all are the same"),
    ("ex-seeing-floor", (floor_over_labels,), "counts once"),
    ("ex-seeing-floor", (floor_of_kinds,), "counts once"),
    ("ex-seeing-floor", (floor_of_all,), "counts once"),
    ("ex-seeing-floor", (floor_of_the_worst,), "counts once"),
    ("ex-seeing-think", ("yes", "changes", "stays", "changes"), "answer with"),
    ("ex-seeing-think", ("changes", "changes", "stays", "changes"), "moved"),
    ("ex-seeing-think", ("stays", "stays", "stays", "changes"), "which patch"),
    ("ex-seeing-think", ("stays", "changes", "changes", "changes"), "travel"),
    ("ex-seeing-think", ("stays", "changes", "stays", "stays"), "class token"),
    ("ex-seeing-cut", (torch.arange(16).reshape(4, 4),), "what stands below them"),
    ("ex-seeing-cut", (torch.arange(16).reshape(4, 4).T,), "what stands below them"),
    (
        "ex-seeing-cut",
        ([[0, 4, 1, 5], [2, 6, 3, 7], [8, 12, 9, 13], [10, 14, 11, 15]],),
        "what stands below them",
    ),
    (
        "ex-seeing-cut",
        ([[0, 1, 4, 5], [8, 9, 12, 13], [2, 3, 6, 7], [10, 11, 14, 15]],),
        "to the right of the first",
    ),
    (
        "ex-seeing-cut",
        ([[0, 1, 4, 5], [1, 2, 5, 6], [2, 3, 6, 7], [4, 5, 8, 9]],),
        "to the right of the first",
    ),
    (
        "ex-seeing-cut",
        ([[0, 1, 4, 5], [2, 3, 6, 7], [4, 5, 8, 9], [6, 7, 10, 11]],),
        "in the third row",
    ),
    (
        "ex-seeing-cut",
        ([[0, 1, 4, 5], [2, 3, 6, 7], [10, 11, 14, 15], [8, 9, 12, 13]],),
        "in the third row",
    ),
    (
        "ex-seeing-cut",
        ([[0, 1, 2, 3, 4, 5, 6, 7], [8, 9, 10, 11, 12, 13, 14, 15]],),
        "four patches",
    ),
]
