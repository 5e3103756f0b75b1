"""Properties of the answers to the exercises on the whole machine."""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from chapters.exercises import Property
from chapters.one_page import one_page_transformer as page

COUNT = 97
TEXTS = ("cabbage", "bag", "headache", "faced", "facade", "beadhead", "h", "hag")
LINES = ("heads", "mask", "shift", "scale")


def drawn(draw_sorted: Callable, *, again: bool = False) -> tuple[Tensor, Tensor]:
    """Return what an answer draws, or what it draws after that, as whole numbers."""
    torch.manual_seed(5)
    source, target = draw_sorted(COUNT)
    source, target = draw_sorted(COUNT) if again else (source, target)
    return (torch.as_tensor(ids, device="cpu").long() for ids in (source, target))


def letters(row: Tensor) -> list[int]:
    """Return the ids of a row that are letters."""
    return [number for number in row.tolist() if number > page.END]


def every_row(draw_sorted: Callable, holds: Callable[[Tensor, Tensor], bool]) -> bool:
    """Return whether something holds of each source with its target."""
    return all(holds(*pair) for pair in zip(*drawn(draw_sorted), strict=True))


def is_padded_behind(source: Tensor, target: Tensor) -> bool:
    """Return whether a source has 4 to 8 letters, and then only padding."""
    found = letters(source)
    padding = [page.PAD] * (8 - len(found))
    return 4 <= len(found) <= 8 and source.tolist() == found + padding


def ends(source: Tensor, target: Tensor) -> bool:
    """Return whether behind as many letters as were read there is an end, and padding.

    Which letters they are does not matter here.
    """
    rest = target.tolist()[1 + len(letters(source)) :]
    return rest == [page.END] + [page.PAD] * (len(rest) - 1)


def are_drawn(draw_sorted: Callable) -> bool:
    """Return whether sources are drawn as `draw_rows` draws them, at each call anew."""
    words = [letters(row) for row in next(drawn(draw_sorted))]
    others = [letters(row) for row in next(drawn(draw_sorted, again=True))]
    return (
        words != others
        and {len(word) for word in words} == {4, 5, 6, 7, 8}
        and len({letter for word in words for letter in word}) == 8
        and any(len({*word}) < len(word) for word in words)
        and any(word != sorted(word) for word in words)
    )


class Scripted(nn.Module):
    """A model that writes letters of its source, and counts how often it encodes.

    Which letter comes next depends on all that was written. Sources with *b* come to an
    end, others do not. Padding and masks change nothing; the masks are kept.
    """

    def __init__(self):
        super().__init__()
        self.encoded = 0
        # Each mask with the number of rows, and with the columns that hold a letter.
        self.masks: list[tuple[object, int, Tensor]] = []
        self.embedding = nn.Embedding(len(page.SIGNS), 1)  # tells the device

    def encode(self, source: Tensor, not_pad: Tensor) -> Tensor:
        """Return a memory that holds the letters."""
        self.encoded += 1
        self.masks.append((not_pad, source.size(1), source[0] != page.PAD))
        return F.one_hot(source, len(page.SIGNS)).double()

    def decode(self, target: Tensor, memory: Tensor, not_pad: Tensor) -> Tensor:
        """Return logits, each by the letters of the memory and the signs so far."""
        ids = memory.argmax(dim=-1)[0]
        self.masks.append((not_pad, target.size(1), ids != page.PAD))
        ids = ids[ids != page.PAD]
        places = (target[0].cumsum(dim=0) * 3) % len(ids)
        following = ids[places]
        if page.SIGNS.index("b") in ids:
            following[len(ids) - 1 :] = page.END
        return F.one_hot(following, len(page.SIGNS)).double()[None]

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        """Encode and decode."""
        not_pad = (source != page.PAD)[:, None, None, :]
        return self.decode(target, self.encode(source, not_pad), not_pad)


def written(write_once: Callable, text: str) -> tuple[str, int]:
    """Return what an answer writes, and how often it asked the model to encode."""
    model = Scripted()
    return write_once(model, text), model.encoded


def shows(not_pad: object, rows: int, columns: Tensor) -> bool:
    """Return whether each row may see just these columns, for any number of heads."""
    if not isinstance(not_pad, Tensor) or not_pad.dtype != torch.bool:
        return False
    sizes = zip(reversed(not_pad.shape), (len(columns), rows, 1, 1), strict=False)
    fits = not_pad.dim() <= 4 and all(size in (1, wanted) for size, wanted in sizes)
    return fits and bool((not_pad == columns).all())


def shows_all_letters(write_once: Callable, text: str) -> bool:
    """Return whether an answer lets encoder and decoder see each letter of a text."""
    model = Scripted()
    write_once(model, text)
    return all(shows(*mask) for mask in model.masks)


def writes_the_same(write_once: Callable, *, with_end: bool) -> bool:
    """Return whether an answer writes as `write`, where that ends or does not."""
    return all(
        written(write_once, text)[0] == expected
        for text in TEXTS
        if (expected := written(page.write, text)[0]).endswith(">") == with_end
    )


EXERCISES = {
    "ex-one-page-sort": [
        Property(
            f"there must be as many rows as asked for, {COUNT} here, of 8 and 10 ids.",
            lambda draw_sorted: (
                [tuple(ids.shape) for ids in drawn(draw_sorted)]
                == [(COUNT, 8), (COUNT, 10)]
            ),
        ),
        Property(
            "a source has 4 to 8 letters, then only padding; leave it as it is drawn.",
            lambda draw_sorted: every_row(draw_sorted, is_padded_behind),
        ),
        Property(
            "each target must begin with the start; what is smaller than it, and comes "
            "first when all is sorted?",
            lambda draw_sorted: every_row(
                draw_sorted, lambda source, target: target[0].item() == page.START
            ),
        ),
        Property(
            "behind the letters of a target comes the end, and then only padding.",
            lambda draw_sorted: every_row(draw_sorted, ends),
        ),
        Property(
            "a target must hold the letters of its source, each as often.",
            lambda draw_sorted: every_row(
                draw_sorted,
                lambda source, target: (
                    sorted(letters(target)) == sorted(letters(source))
                ),
            ),
        ),
        Property(
            "the letters of a target must be in the order of the alphabet.",
            lambda draw_sorted: every_row(
                draw_sorted,
                lambda source, target: letters(target) == sorted(letters(target)),
            ),
        ),
        Property(
            "sources must be drawn as by `draw_rows`: of all lengths and letters, a "
            "letter twice in some, in any order, others at each call, and not one row "
            "over and over.",
            are_drawn,
        ),
    ],
    "ex-one-page-once": [
        Property(
            "where no end comes, it must write nine signs, those of `write`.",
            lambda write_once: writes_the_same(write_once, with_end=False),
        ),
        Property(
            "where an end comes, the text must stop with it, as that of `write`.",
            lambda write_once: writes_the_same(write_once, with_end=True),
        ),
        Property(
            "the source must be encoded once for a text, and not for each sign.",
            lambda write_once: all(written(write_once, text)[1] == 1 for text in TEXTS),
        ),
        Property(
            "the mask must be Boolean, a column for each letter and True at each, and "
            "False at padding, if there is any, for the encoder and for the decoder.",
            lambda write_once: all(
                shows_all_letters(write_once, text) for text in TEXTS
            ),
        ),
    ],
    "ex-one-page-logs": [
        Property(
            'each answer is one of "heads", "mask", "shift" and "scale".',
            lambda *answers: all(answer in LINES for answer in answers),
        ),
        Property(
            "in (1): which change lets a machine that repeats be right before it has "
            "learned anything?",
            lambda first, second, third, fourth: first == "shift",
        ),
        Property(
            "in (2): padding belongs to the source. Which change mixes positions of "
            "*every* attention, also of those that look into the source?",
            lambda first, second, third, fourth: second == "heads",
        ),
        Property(
            "in (3): which change lets the target see its future, and touches nothing "
            "in the source?",
            lambda first, second, third, fourth: third == "mask",
        ),
        Property(
            "in (4): which change mixes no positions at all?",
            lambda first, second, third, fourth: fourth == "scale",
        ),
    ],
    "ex-one-page-count": [
        Property(
            "the memory has a row for each letter that was read, and no more.",
            lambda memory, cross, hidden, logits: memory == 7,
        ),
        Property(
            "in cross-attention the signs of the target ask, with the start, and the "
            "rows of the memory are asked, all in each head.",
            lambda memory, cross, hidden, logits: cross == 28,
        ),
        Property(
            "the causal mask hides from each of the four rows what comes after it, and "
            "never the row itself.",
            lambda memory, cross, hidden, logits: hidden == 6,
        ),
        Property(
            "every row of the target scores every sign, not the last row alone.",
            lambda memory, cross, hidden, logits: logits == 44,
        ),
    ],
}

FIELDS = {
    "ex-one-page-count": (7, 28, 6, 44),
    "ex-one-page-logs": 4 * ({*LINES},),
}
