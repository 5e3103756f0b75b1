"""Properties of the answers to the exercises on tokens and embeddings."""

import torch
from torch import Tensor
from torch.nn.functional import cosine_similarity

from chapters.exercises import Property
from chapters.forms import form_of_rows, right_where, shaped
from chapters.start import gaussian

WORDS = {"grows", "stays", "shrinks"}
SEQUENCES = [[5, 7], [0, 3, 0], [4]]  # a real token may have the id of padding
ENDING_IN_PADS = [[7, 0], [0, 3, 0], [0], [4, 0, 0, 0], [5, 7]]  # and be the last one


def gradient(answer, ids: list[int], size: int, width: int = 3) -> Tensor:
    """Return what an answer makes of ids and random gradients."""
    return answer(torch.tensor(ids), gaussian(len(ids), width, seed=0), size)


def expected(ids: list[int], size: int, width: int = 3) -> Tensor:
    """Return the right gradient of a table."""
    rows = torch.zeros(size, width, dtype=torch.float64)
    for id, upstream in zip(ids, gaussian(len(ids), width, seed=0), strict=True):
        rows[id] += upstream
    return rows


def padded(answer, sequences: list[list[int]], pad_id: int) -> tuple[Tensor, Tensor]:
    """Return what an answer makes of copies of sequences, which it may change."""
    return answer([list(ids) for ids in sequences], pad_id)


def are_whole(ids: object) -> bool:
    """Return whether ids are whole numbers, in a tensor, in tensors or in tuples.

    A list of numbers is judged as the tensor that it is read as, where floats stay.
    """
    if isinstance(ids, Tensor):
        return not ids.is_floating_point()
    if isinstance(ids, tuple):
        return all(isinstance(id, int) or are_whole(id) for id in ids)
    return isinstance(ids, list) and all(
        isinstance(row, Tensor) and are_whole(row) for row in ids
    )


def is_boolean(mask: object) -> bool:
    """Return whether all that a mask holds is True or False, and no number."""
    if isinstance(mask, list | tuple):
        return all(map(is_boolean, mask))
    if isinstance(mask, Tensor):
        return mask.dtype == torch.bool
    return isinstance(mask, bool)


def odd_one(rows: Tensor) -> int:
    """Return the place of the row with the lowest mean cosine with the others."""
    cosines = cosine_similarity(rows[:, None], rows[None], dim=-1)
    return int(cosines.sum(dim=1).argmin())


def with_an_odd_one(place: int, lengths: list[float]) -> Tensor:
    """Return five rows of which all but one point about the same way.

    Args:
        place: Where the other one stands.
        lengths: By how much each row is multiplied.
    """
    rows = torch.ones(5, 4) + 0.1 * gaussian(5, 4, seed=place)
    rows[place] = torch.tensor([1.0, -1.0, 1.0, -1.0]) + 0.2
    return rows * torch.tensor(lengths)[:, None]


EXERCISES = {
    "ex-embeddings-by-hand": [
        Property(
            "count each pair with the frequency of its word: which comes most often?",
            lambda first, second, slots, lost: first == "lo",
        ),
        Property(
            "replace the first pair everywhere, then count the pairs again.",
            lambda first, second, slots, lost: second == "lot",
        ),
        Property(
            "into how many pieces do the two merges leave 'slots'?",
            lambda first, second, slots, lost: slots == 3,
        ),
        Property(
            "the word 'lost' does not hold the second piece; which one does it hold?",
            lambda first, second, slots, lost: lost == 3,
        ),
    ],
    "ex-embeddings-gradient-code": [
        Property(
            "the result must have a row for each token of the vocabulary.",
            lambda answer: all(
                gradient(answer, [1, 4], 5, width).shape == (5, width)
                for width in (3, 4)
            ),
        ),
        Property(
            "rows that no id names must be zero.",
            lambda answer: not gradient(answer, [1, 4], 5)[[0, 2, 3]].any(),
        ),
        Property(
            "where all ids differ, each row must hold the gradient of its position.",
            lambda answer: all(
                torch.allclose(gradient(answer, *sizes), expected(*sizes))
                for sizes in (([1, 4], 5), ([0, 6], 7, 4))
            ),
        ),
        Property(
            "where an id stands several times, its gradients must add up.",
            lambda answer: all(
                torch.allclose(gradient(answer, ids, 6), expected(ids, 6))
                for ids in ([1, 5, 1, 1], [*[2] * 30, 0, *[4] * 7])
            ),
        ),
    ],
    "ex-embeddings-pad-code": [
        Property(
            "the ids must form one matrix, as wide as the longest sequence.",
            lambda answer: padded(answer, SEQUENCES, 0)[0].shape == (3, 3),
        ),
        Property(
            "the ids must be whole numbers, which a table can look up.",
            lambda answer: (
                isinstance(found := padded(answer, SEQUENCES, 0), tuple | list)
                and are_whole(found[0])
            ),
        ),
        Property(
            "padding must follow each sequence.",
            lambda answer: (
                padded(answer, SEQUENCES, 9)[0].tolist()
                == [[5, 7, 9], [0, 3, 0], [4, 9, 9]]
            ),
        ),
        Property(
            "the mask must be Boolean: `~` does not turn zeros and ones around.",
            lambda answer: is_boolean(padded(answer, SEQUENCES, 9)[1]),
        ),
        Property(
            "the mask must be True where a token was given, False where it was not.",
            lambda answer: (
                padded(answer, SEQUENCES, 9)[1].tolist()
                == [[True, True, False], [True] * 3, [True, False, False]]
            ),
        ),
        Property(
            "a real token that has the id of padding must stay real.",
            lambda answer: all(
                row == [place < len(ids) for place in range(len(row))]
                for given in (SEQUENCES, ENDING_IN_PADS)
                for row, ids in zip(
                    padded(answer, given, 0)[1].tolist(), given, strict=True
                )
            ),
        ),
    ],
    "ex-embeddings-think": [
        Property(
            "answer with 'grows', 'stays' or 'shrinks'.",
            lambda *words: len(words) == 4 and set(words) <= WORDS,
        ),
        Property(
            "what is the size of an entry drawn with std 1 / sqrt(d)?",
            lambda table, scaled, logits, step: table == "shrinks",
        ),
        Property(
            "by what is the entry multiplied on its way in?",
            lambda table, scaled, logits, step: scaled == "stays",
        ),
        Property(
            "a logit is a sum of d products: how large is each, and how do they add?",
            lambda table, scaled, logits, step: logits == "stays",
        ),
        Property(
            "an entry moves by the learning rate of Adam; what then multiplies it?",
            lambda table, scaled, logits, step: step == "grows",
        ),
    ],
    "ex-embeddings-odd-one-out": [
        Property(
            "return the place of one row, counting from 0.",
            lambda answer: int(answer(gaussian(3, 4, seed=1))) in range(3),
        ),
        Property(
            "find the row that points another way, wherever it stands.",
            lambda answer: all(
                int(answer(with_an_odd_one(place, [1.0] * 5))) == place
                for place in range(5)
            ),
        ),
        Property(
            "only directions may count: does a long row win or lose by its length?",
            lambda answer: all(
                int(answer(with_an_odd_one(place, lengths))) == place
                for place in range(5)
                for lengths in ([9.0, 1.0, 0.2, 1.0, 4.0], [0.1, 5.0, 7.0, 0.3, 1.0])
            ),
        ),
        Property(
            "take the mean of the cosines of a row with all the others.",
            lambda answer: all(
                odd_one(rows) == int(answer(rows))
                for seed in range(20)
                for sizes in ((6, 5), (4, 3), (8, 3))
                for rows in (gaussian(*sizes, seed=seed),)
            ),
        ),
    ],
}

GRADIENT = [[0, 3], [0, 0], [5, 5]]  # tokens 2, 0, 2
BY_HAND = {
    "ex-embeddings-gradient-code": [
        Property(
            "give a row for each of the three tokens of the vocabulary, two numbers "
            "each.",
            shaped(GRADIENT),
        ),
        Property(
            "token 1 was never read, so nothing pulls at its row.",
            right_where(GRADIENT, lambda row, feature: row == 1),
        ),
        Property(
            "token 0 was read once: at which position, and what came back there?",
            right_where(GRADIENT, lambda row, feature: row == 0),
        ),
        Property(
            "token 2 was read twice, and both positions pull at the same row.",
            right_where(GRADIENT),
        ),
    ],
}

FIELDS = {
    "ex-embeddings-gradient-code": form_of_rows(GRADIENT),
    "ex-embeddings-by-hand": ("lo", "lot", 3, 3),
    "ex-embeddings-think": 4 * (WORDS,),
}
