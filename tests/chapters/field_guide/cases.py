"""Answers to the exercises of the field guide to positions, right and wrong ones."""

import torch

from chapters.field_guide.answers import shaw, xl


def shaw_without_direction(query, vectors):
    clip = len(vectors) // 2
    scores = shaw(query, vectors.clone())
    before = shaw(query, vectors.flip(0))
    return scores.tril() + before.triu(1) if clip else scores


def shaw_from_the_wrong_end(query, vectors):
    return shaw(query, vectors.roll(1, 0))


def shaw_that_forgets_far_keys(query, vectors):
    clip = len(vectors) // 2
    scores = shaw(query, vectors)
    return scores.tril(clip).triu(-clip)


def xl_with(*, u=True, v=True, back=True):
    """Transformer-XL, or what lacks a part of it."""
    return lambda query, key, distances, a, b: xl(
        query, key, distances if back else 0 * distances, u * a, v * b
    )


def shaw_of(distances_of, *, clip=None):
    """Relative keys with distances of another kind."""

    def answer(query, vectors):
        reach = len(vectors) // 2 if clip is None else clip
        time = torch.arange(len(query))
        distances = distances_of(time - time[:, None], reach)
        return torch.einsum("td,tsd->ts", query, vectors[distances])

    return answer


def shaw_clipped_at_two(query, vectors):
    """The number of vectors is never read."""
    time = torch.arange(len(query))
    distances = (time - time[:, None]).clamp(-2, 2)
    middle = len(vectors) // 2
    return torch.einsum("td,tsd->ts", query, vectors[distances + middle])


def shaw_transposed(query, vectors):
    return shaw(query, vectors).T


def shaw_scaled(query, vectors):
    return shaw(query, vectors) / query.size(-1) ** 0.5


def xl_moved(query, key, back, u, v):
    """The vectors start with distance 1."""
    return xl(query, key, back.roll(-1, 0), u, v)


def xl_not_shifted(query, key, back, u, v):
    """Row n of back meets position n, not the key n positions back."""
    return (query + u) @ key.T + (query + v) @ back.T


def xl_forward(query, key, back, u, v):
    return (query + u) @ key.T + ((query + v) @ back.T).flip(1)


def xl_both_for_both(query, key, back, u, v):
    return xl(query, key, back, u + v, u + v)


def xl_exchanged(query, key, back, u, v):
    return xl(query, key, back, v, u)


def xl_divided(query, key, back, u, v):
    return xl(query, key, back, u, v) / key.size(-1) ** 0.5


def xl_bias_of_the_query(query, key, back, u, v):
    """Each query meets u, instead of each key."""
    by_query = query @ u - key @ u
    return xl(query, key, back, u, v) + by_query[:, None]


def xl_of_four_features(query, key, back, u, v):
    """Reads four features of each query."""
    return xl(query[:, :4], key[:, :4], back[:, :4], u[:4], v[:4])


def xl_in_place(query, key, back, u, v):
    by_distance = xl(query, 0 * key, back, u, v)
    query += u
    return query @ key.T + by_distance


def in_order(mixture):
    """The words by falling weight, those that were read."""
    return mixture.argsort(descending=True)[: int((mixture > 0).sum())]


def in_order_by_hand(mixture):
    """The same as a list, the largest number taken out again and again."""
    numbers, found = mixture.tolist(), []
    while max(numbers) > 0:
        found.append(numbers.index(max(numbers)))
        numbers[found[-1]] = 0.0
    return found


def in_order_as_tuple(mixture):
    read = mixture.nonzero().flatten().tolist()
    return tuple(sorted(read, key=lambda word: -mixture[word]))


RIGHT = [
    ("ex-unscramble", (in_order,)),
    ("ex-unscramble", (in_order_by_hand,)),
    ("ex-unscramble", (in_order_as_tuple,)),
    ("ex-unscramble", (lambda mixture: in_order(mixture).numpy(),)),
    ("ex-alibi-by-hand", (0.25, -1.5, 0.37)),
    ("ex-shaw-code", (shaw,)),
    ("ex-xl-code", (xl,)),
    ("ex-xl-code", (xl_in_place,)),
    ("ex-met-before", ("new", "new", "new", "met", "met")),
]

WRONG = [
    ("ex-alibi-by-hand", (0.5, -1.5, 0.37), "first of h heads"),
    ("ex-alibi-by-hand", (0.25, 1.5, 0.37), "minus the slope"),
    ("ex-alibi-by-hand", (0.25, -1.5, 0.33), "ratio"),
    ("ex-alibi-by-hand", (1.0, -1.5, 0.37), "first of h heads"),
    ("ex-alibi-by-hand", (2**-0.5, -1.5, 0.37), "first of h heads"),
    ("ex-alibi-by-hand", (0.25, -1.25, 0.37), "minus the slope"),
    ("ex-alibi-by-hand", (0.25, -1.75, 0.37), "minus the slope"),
    ("ex-alibi-by-hand", (0.25, -6.25, 0.37), "minus the slope"),
    ("ex-alibi-by-hand", (0.25, -1.5, 0.22), "ratio"),
    ("ex-alibi-by-hand", (0.25, -1.5, 2.72), "ratio"),
    ("ex-alibi-by-hand", (0.25, -1.5, 0.36), "ratio"),
    ("ex-alibi-by-hand", (0.25, -1.5, -1.0), "ratio"),
    ("ex-shaw-code", (lambda query, vectors: query,), "a row for each query"),
    ("ex-shaw-code", (shaw_from_the_wrong_end,), "middle vector"),
    ("ex-shaw-code", (shaw_without_direction,), "before the query"),
    ("ex-shaw-code", (shaw_that_forgets_far_keys,), "outermost"),
    ("ex-shaw-code", (shaw_transposed,), "before the query"),
    ("ex-shaw-code", (shaw_scaled,), "middle vector"),
    ("ex-shaw-code", (shaw_clipped_at_two,), "outermost"),
    (
        "ex-shaw-code",
        (shaw_of(lambda there, clip: there.clamp(-min(clip, 4), min(clip, 4)) + clip),),
        "outermost",
    ),
    (
        "ex-shaw-code",
        (shaw_of(lambda there, clip: (there + clip) % (2 * clip + 1)),),
        "outermost",
    ),
    (
        "ex-shaw-code",
        (shaw_of(lambda there, clip: there.abs().clamp(max=clip) + clip),),
        "before the query",
    ),
    (
        "ex-shaw-code",
        (shaw_of(lambda there, clip: (clip - there).clamp(0, 2 * clip)),),
        "before the query",
    ),
    (
        "ex-shaw-code",
        (shaw_of(lambda there, clip: there.clamp(-clip, clip)),),
        "middle vector",
    ),
    ("ex-xl-code", (xl_with(back=False),), "without u and v"),
    ("ex-xl-code", (xl_with(u=False),), "u must meet"),
    ("ex-xl-code", (xl_with(v=False),), "v must meet"),
    ("ex-xl-code", (xl_moved,), "without u and v"),
    ("ex-xl-code", (xl_not_shifted,), "without u and v"),
    ("ex-xl-code", (xl_forward,), "without u and v"),
    ("ex-xl-code", (xl_divided,), "without u and v"),
    ("ex-xl-code", (xl_both_for_both,), "u must meet"),
    ("ex-xl-code", (xl_exchanged,), "u must meet"),
    ("ex-xl-code", (xl_of_four_features,), "without u and v"),
    ("ex-xl-code", (xl_bias_of_the_query,), "u must meet"),
    ("ex-met-before", ("new", "new", "new", "met"), "five words"),
    ("ex-met-before", ("met", "new", "new", "met", "met"), "a row for each"),
    ("ex-met-before", ("new", "met", "new", "met", "met"), "rotation"),
    ("ex-met-before", ("new", "new", "met", "met", "met"), "penalty"),
    ("ex-met-before", ("new", "new", "new", "new", "met"), "last border"),
    ("ex-met-before", ("new", "met", "met", "met", "met"), "rotation"),
    ("ex-met-before", ("new", "new", "new", "met", "new"), "last border"),
    ("ex-unscramble", (lambda mixture: in_order(mixture).flip(0),), "largest"),
    ("ex-unscramble", (lambda mixture: mixture.argmax()[None],), "largest"),
    ("ex-unscramble", (lambda mixture: mixture,), "largest"),
    ("ex-unscramble", (lambda mixture: mixture.nonzero().flatten(),), "the first word"),
    ("ex-unscramble", (lambda mixture: range(len(mixture)),), "the first word"),
    (
        "ex-unscramble",
        (lambda mixture: mixture.argsort(descending=True),),
        "were not read",
    ),
    ("ex-unscramble", (lambda mixture: in_order(mixture)[:3],), "were not read"),
    (
        "ex-unscramble",
        (lambda mixture: in_order(mixture)[: int((mixture > 0.01).sum())],),
        "40 words",
    ),
    (
        "ex-unscramble",
        (lambda mixture: in_order(mixture.round(decimals=2)),),
        "40 words",
    ),
    (
        "ex-unscramble",
        (lambda mixture: in_order(mixture)[: int((mixture > 1e-4).sum())],),
        "300 words",
    ),
]
