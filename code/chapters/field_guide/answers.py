"""Properties of the answers to the exercises of the field guide to positions."""

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from chapters.exercises import Property
from chapters.start import gaussian


def shaw(query: Tensor, vectors: Tensor) -> Tensor:
    """Return the score of each query with the clipped distance to each key."""
    clip = len(vectors) // 2
    time = torch.arange(len(query), device=query.device)
    distances = (time - time[:, None]).clamp(-clip, clip)
    return torch.einsum("td,tsd->ts", query, vectors[distances + clip])


def from_shaw(answer, time: int = 7, clip: int = 2) -> Tensor:
    """Return what an answer makes of a few queries and a clip."""
    return answer(gaussian(time, 3, seed=1), gaussian(2 * clip + 1, 3, seed=2))


def xl(query: Tensor, key: Tensor, back: Tensor, u: Tensor, v: Tensor) -> Tensor:
    """Return the scores of Transformer-XL, one pair at a time."""
    scores = torch.zeros(len(query), len(key), dtype=query.dtype, device=query.device)
    for t in range(len(query)):
        for s in range(t + 1):
            scores[t, s] = (query[t] + u) @ key[s] + (query[t] + v) @ back[t - s]
    return scores


def agrees(answer, *, u: float, v: float) -> bool:
    """Return whether an answer has the scores of Transformer-XL, up to the diagonal."""
    for time, d in ((6, 4), (3, 5)):
        inputs = [gaussian(time, d, seed=seed) for seed in (3, 4, 5)]
        inputs += [u * gaussian(d, seed=6), v * gaussian(d, seed=7)]
        expected = xl(*inputs)  # an answer may change what it is given
        if not torch.allclose(answer(*inputs).tril(), expected):
            return False
    return True


def read_twice(words: Sequence[int], known: int) -> Tensor:
    """Return what is left of words after two layers that weigh all keys alike."""
    one_hot = torch.zeros(len(words), known)
    one_hot[torch.arange(len(words)), torch.tensor(words)] = 1
    means = torch.ones(len(words), len(words)).tril()
    means = means / means.sum(dim=1, keepdim=True)
    return (means @ means @ one_hot)[-1]


def finds(answer, words: Sequence[int], known: int) -> bool:
    """Return whether an answer finds words in the order in which they were read."""
    return [int(word) for word in answer(read_twice(words, known))] == list(words)


EXERCISES = {
    "ex-alibi-by-hand": [
        Property(
            "the slope of the first of h heads is 2 to the power -8/h.",
            lambda slope, bias, ratio: math.isclose(slope, 0.25),
        ),
        Property(
            "the bias is minus the slope times the distance.",
            lambda slope, bias, ratio: math.isclose(bias, -1.5),
        ),
        Property(
            "two weights of one row have the ratio e to the difference of their "
            "scores.",
            lambda slope, bias, ratio: abs(ratio - math.exp(-1)) < 6e-3,
        ),
    ],
    "ex-shaw-code": [
        Property(
            "the scores must have a row for each query and a column for each key.",
            lambda answer: from_shaw(answer).shape == (7, 7),
        ),
        Property(
            "at distance 0 the middle vector counts.",
            lambda answer: torch.allclose(
                from_shaw(answer).diagonal(), from_shaw(shaw).diagonal()
            ),
        ),
        Property(
            "a key before the query and one after it must not share a vector.",
            lambda answer: torch.allclose(
                from_shaw(answer)[3, 2:5], from_shaw(shaw)[3, 2:5]
            ),
        ),
        Property(
            "distances beyond the clip must share the outermost vectors.",
            lambda answer: all(
                torch.allclose(from_shaw(answer, *sizes), from_shaw(shaw, *sizes))
                for sizes in ((7, 2), (8, 3), (5, 1), (3, 5), (15, 6))
            ),
        ),
    ],
    "ex-xl-code": [
        Property(
            "without u and v, the query must meet the key and the distance.",
            lambda answer: agrees(answer, u=0, v=0),
        ),
        Property(
            "u must meet the keys, whoever asks.",
            lambda answer: agrees(answer, u=1, v=0),
        ),
        Property(
            "v must meet the vectors of the distances, whoever asks.",
            lambda answer: agrees(answer, u=1, v=1),
        ),
    ],
    "ex-met-before": [
        Property(
            "answer with five words, each 'met' or 'new'.",
            lambda *words: len(words) == 5 and set(words) <= {"met", "new"},
        ),
        Property(
            "a table has a row for each position that it was trained on.",
            lambda *words: words[0] == "new",
        ),
        Property(
            "does the angle of a rotation stop growing?",
            lambda *words: words[1] == "new",
        ),
        Property(
            "does the penalty of ALiBi stop growing?",
            lambda *words: words[2] == "new",
        ),
        Property(
            "what happens to distances beyond the last border or the clip?",
            lambda *words: words[3:] == ("met", "met"),
        ),
    ],
    "ex-unscramble": [
        Property(
            "of dog (0) bites (1) man (2) it must find 0, 1, 2: which of the three "
            "numbers is the largest?",
            lambda answer: finds(answer, [0, 1, 2], 3),
        ),
        Property(
            "of man (2) bites (1) dog (0) it must find 2, 1, 0, the first word first.",
            lambda answer: finds(answer, [2, 1, 0], 3),
        ),
        Property(
            "words that were not read have the number 0 and no place in the answer.",
            lambda answer: finds(answer, [4, 1], 6) and finds(answer, [5, 0, 3, 2], 7),
        ),
        Property(
            "in a text of 40 words the last one has less than 0.001, and counts.",
            lambda answer: finds(answer, [(17 * n) % 41 for n in range(40)], 50),
        ),
        Property(
            "in a text of 300 words the last one has about 0.00001, and counts too.",
            lambda answer: finds(answer, [(17 * n) % 307 for n in range(300)], 310),
        ),
    ],
}

FIELDS = {
    "ex-alibi-by-hand": (0.25, -1.5, math.exp(-1)),
    "ex-met-before": 5 * ({"met", "new"},),
}
