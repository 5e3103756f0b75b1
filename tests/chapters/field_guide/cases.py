"""Answers to the exercises of the field guide to positions, right and wrong ones."""

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


RIGHT = [
    ("ex-alibi-by-hand", (0.25, -1.5, 0.37)),
    ("ex-shaw-code", (shaw,)),
    ("ex-xl-code", (xl,)),
    ("ex-met-before", ("new", "new", "new", "met", "met")),
]

WRONG = [
    ("ex-alibi-by-hand", (0.5, -1.5, 0.37), "first of H heads"),
    ("ex-alibi-by-hand", (0.25, 1.5, 0.37), "minus the slope"),
    ("ex-alibi-by-hand", (0.25, -1.5, 0.33), "ratio"),
    ("ex-shaw-code", (lambda query, vectors: query,), "a row for each query"),
    ("ex-shaw-code", (shaw_from_the_wrong_end,), "middle vector"),
    ("ex-shaw-code", (shaw_without_direction,), "before the query"),
    ("ex-shaw-code", (shaw_that_forgets_far_keys,), "outermost"),
    ("ex-xl-code", (xl_with(back=False),), "without u and v"),
    ("ex-xl-code", (xl_with(u=False),), "u must meet"),
    ("ex-xl-code", (xl_with(v=False),), "v must meet"),
    ("ex-met-before", ("new", "new", "new", "met"), "five words"),
    ("ex-met-before", ("met", "new", "new", "met", "met"), "a row for each"),
    ("ex-met-before", ("new", "met", "new", "met", "met"), "rotation"),
    ("ex-met-before", ("new", "new", "met", "met", "met"), "penalty"),
    ("ex-met-before", ("new", "new", "new", "new", "met"), "last border"),
]
