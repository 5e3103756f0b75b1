"""Answers to the exercises on the big picture, right ones and wrong ones."""


def shift(tokens, begin, end):
    """The right answer."""
    return [begin, *tokens], [*tokens, end]


def write(look=lambda written: written, keep=lambda words, end: words, extra=0):
    """The right answer, or one that differs in a part."""

    def answer(next_token, begin, end, limit):
        written = [begin]
        while len(written) <= limit + extra:
            word = next_token(look(written))
            if word == end:
                break
            written.append(word)
        return keep(written[1:], end)

    return answer


def asking_once_too_often(next_token, begin, end, limit):
    words = write(extra=1)(next_token, begin, end, limit)
    return words[:limit]


def asking_after_the_end(next_token, begin, end, limit):
    words = write()(next_token, begin, end, limit)
    next_token([begin, *words])
    return words


def asking_always(next_token, begin, end, limit):
    written = [begin]
    for _ in range(limit):
        written.append(next_token(written))
    return written[1 : written.index(end)] if end in written else written[1:]


def stopping_at(most):
    def answer(next_token, begin, end, limit):
        return write()(next_token, begin, end, min(limit, most))

    return answer


def stopping_early(next_token, begin, end, limit):
    return write(extra=-1)(next_token, begin, end, limit)


def shift_of_the_chapter(tokens, begin, end):
    """The two names are never read."""
    return ["begin", *tokens], [*tokens, "end"]


def shift_the_other_way(tokens, begin, end):
    return [*tokens, end], [begin, *tokens]


def shift_within(tokens, begin, end):
    return [begin, *tokens[:-1]], tokens


def shift_with_both(tokens, begin, end):
    return [begin, *tokens, end], [begin, *tokens, end]


def shift_by_looking_up(tokens, begin, end):
    """What follows a word is what followed it first."""
    read, full = [begin, *tokens], [begin, *tokens, end]
    return read, [full[full.index(word) + 1] for word in read]


def shift_what_is_true(tokens, begin, end):
    """A token 0 goes lost."""
    kept = [token for token in tokens if token]
    return [begin, *kept], [*kept, end]


def shift_three(tokens, begin, end):
    return [begin, *tokens[:3]], [*tokens[:3], end]


def shift_fifty(tokens, begin, end):
    return [begin, *tokens[:50]], [*tokens[:50], end]


def shift_by_the_first_word(tokens, begin, end):
    """Without a word there is neither begin nor end."""
    return ([begin, *tokens], [*tokens, end]) if tokens else ([begin], [begin])


def end_of_the_chapter(next_token, begin, end, limit):
    """Neither name is read."""
    return write()(next_token, "begin", "end", limit)


def stopping_at_a_repeat(next_token, begin, end, limit):
    written = [begin]
    while len(written) <= limit:
        word = next_token(written)
        if word == end or word in written:
            break
        written.append(word)
    return written[1:]


def stopping_at_the_fourth(next_token, begin, end, limit):
    """Takes a word that comes again and again for a loop."""
    written = [begin]
    while len(written) <= limit:
        word = next_token(written)
        if word == end or written.count(word) == 3:
            break
        written.append(word)
    return written[1:]


def counting_afterwards(next_token, begin, end, limit):
    """Looks at the limit when a word is written, and never before the first."""
    written = [begin]
    while (word := next_token(written)) != end:
        written.append(word)
        if len(written) > limit:
            break
    return written[1:]


def first_word_unseen(next_token, begin, end, limit):
    """Writes first, and asks whether that was the end from the second word on."""
    written = [begin, next_token([begin])]
    while len(written) <= limit:
        word = next_token(written)
        if word == end:
            break
        written.append(word)
    return written[1:]


RIGHT = [
    ("ex-big-picture-swap", ("Rome", "Madrid", "Rome", "Madrid", "Rome")),
    ("ex-big-picture-swap", ("rome", "MADRID", " Rome", "madrid ", "Rome.")),
    ("ex-big-picture-scores", (25, 16, 20, 488)),
    ("ex-big-picture-shift", (shift,)),
    ("ex-big-picture-write", (write(),)),
    ("ex-big-picture-write", (lambda *asked: tuple(write()(*asked)),)),
    ("ex-big-picture-write", (write(look=tuple),)),
    ("ex-big-picture-double", (2, 1, 4, 1, 2)),
]

WRONG = [
    ("ex-big-picture-swap", ("Rome",) * 5, "(2)"),
    ("ex-big-picture-swap", ("Madrid",) * 5, "(1)"),
    ("ex-big-picture-swap", ("Rome", "Madrid"), "five answers"),
    (
        "ex-big-picture-swap",
        ("Rome", "Madrid", "Rome", "Madrid", "Spain"),
        "five answers",
    ),
    ("ex-big-picture-swap", ("Rome", "Madrid", "Madrid", "Madrid", "Rome"), "(3)"),
    ("ex-big-picture-swap", ("Rome", "Madrid", "Rome", "Rome", "Rome"), "(4)"),
    ("ex-big-picture-swap", ("Rome", "Madrid", "Rome", "Madrid", "Madrid"), "(5)"),
    ("ex-big-picture-swap", ("Madrid", "Rome", "Madrid", "Rome", "Madrid"), "(1)"),
    ("ex-big-picture-scores", (16, 16, 20, 488), "looks at all 5"),
    ("ex-big-picture-scores", (25, 10, 20, 488), "masked scores"),
    ("ex-big-picture-scores", (25, 16, 25, 488), "cross-attention"),
    ("ex-big-picture-scores", (25, 16, 20, 61), "4 heads"),
    ("ex-big-picture-scores", (20, 16, 20, 488), "looks at all 5"),
    ("ex-big-picture-scores", (15, 16, 20, 488), "looks at all 5"),
    ("ex-big-picture-scores", (25, 9, 20, 488), "masked scores"),
    ("ex-big-picture-scores", (25, 25, 25, 488), "masked scores"),
    ("ex-big-picture-scores", (25, 16, 16, 488), "cross-attention"),
    ("ex-big-picture-scores", (25, 16, 15, 488), "cross-attention"),
    ("ex-big-picture-scores", (25, 16, 20, 122), "4 heads"),
    ("ex-big-picture-scores", (25, 16, 20, 244), "4 heads"),
    ("ex-big-picture-scores", (25, 16, 20, 976), "4 heads"),
    ("ex-big-picture-shift", (lambda t, b, e: ([b, *t], t),), "one length"),
    ("ex-big-picture-shift", (lambda t, b, e: (t, t),), "begin first"),
    ("ex-big-picture-shift", (lambda t, b, e: ([b, *t], [b, *t]),), "is the end"),
    (
        "ex-big-picture-shift",
        (lambda t, b, e: ([b, *t], [*t[::-1], e]),),
        "read at the next one",
    ),
    ("ex-big-picture-shift", (shift_of_the_chapter,), "begin first"),
    ("ex-big-picture-shift", (shift_the_other_way,), "begin first"),
    ("ex-big-picture-shift", (shift_within,), "is the end"),
    ("ex-big-picture-shift", (shift_with_both,), "read at the next one"),
    ("ex-big-picture-shift", (shift_by_looking_up,), "read at the next one"),
    ("ex-big-picture-shift", (shift_three,), "read at the next one"),
    ("ex-big-picture-shift", (shift_fifty,), "read at the next one"),
    ("ex-big-picture-shift", (shift_what_is_true,), "read at the next one"),
    ("ex-big-picture-shift", (shift_by_the_first_word,), "is the end"),
    ("ex-big-picture-write", (write(look=lambda w: w[-1:]),), "all that is written"),
    ("ex-big-picture-write", (write(keep=lambda w, end: [*w, end]),), "without begin"),
    ("ex-big-picture-write", (write(extra=1),), "after `limit` words"),
    ("ex-big-picture-write", (write(look=lambda w: w[-8:]),), "all that is written"),
    ("ex-big-picture-write", (write(look=lambda w: w[:8]),), "all that is written"),
    ("ex-big-picture-write", (write(look=lambda w: w[-12:]),), "all that is written"),
    ("ex-big-picture-write", (stopping_at_the_fourth,), "all that is written"),
    ("ex-big-picture-write", (first_word_unseen,), "may be the end"),
    ("ex-big-picture-write", (asking_once_too_often,), "after `limit` words"),
    ("ex-big-picture-write", (asking_after_the_end,), "all that is written"),
    ("ex-big-picture-write", (asking_always,), "all that is written"),
    ("ex-big-picture-write", (stopping_at(3),), "all that is written"),
    ("ex-big-picture-write", (stopping_early,), "after `limit` words"),
    ("ex-big-picture-write", (counting_afterwards,), "with limit 0"),
    ("ex-big-picture-write", (end_of_the_chapter,), "all that is written"),
    ("ex-big-picture-write", (stopping_at_a_repeat,), "all that is written"),
    ("ex-big-picture-double", ("more", 1, 4, 1, 2), "five numbers"),
    ("ex-big-picture-double", (1, 1, 4, 1, 2), "waits for the one before"),
    ("ex-big-picture-double", (2, 2, 4, 1, 2), "wait for another"),
    ("ex-big-picture-double", (2, 1, 2, 1, 2), "meets each token"),
    ("ex-big-picture-double", (2, 1, 4, 2, 2), "the matrices"),
    ("ex-big-picture-double", (2, 1, 4, 1, 1), "one pass"),
    ("ex-big-picture-double", (2, 1, 4, 4, 2), "the matrices"),
    ("ex-big-picture-double", (2, 1, 4, 1, 4), "one pass"),
]
