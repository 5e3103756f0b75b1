"""Properties of the answers to the exercises on the big picture."""

from collections.abc import Callable

from chapters.exercises import Property

WORDS = ["deux", "cent", "six"]
LONG = list("abcdefghij")
TWICE = ["vingt", "et", "vingt", "vingt"]  # a word may stand again
LONGER = ["très", *LONG, "très"] * 7
IDS = [4, 0, 17]  # a token may be a number, and no word
NAMES = ("begin", "end")
OTHERS = ("<s>", "</s>")


def shifted(
    shift: Callable, words: list, names: tuple[str, str] = NAMES
) -> tuple[list, list]:
    """Return what a decoder reads and says, as lists."""
    read, said = shift(list(words), *names)
    return list(read), list(said)


def dictate(
    words: list[str], heard: list | None = None, names: tuple[str, str] = NAMES
) -> Callable:
    """Return a model that writes these words and an end, if it gets all that is there.

    Args:
        words: What it writes.
        heard: Where to keep what it was shown.
        names: What it calls begin and end.
    """

    def next_token(written: list[str]) -> str:
        written = list(written)
        if heard is not None:
            heard.append(written)
        full = [names[0], *words, names[1]]
        place = len(written)
        known = written == full[:place] and place < len(full)
        return full[place] if known else "lost"

    return next_token


def shown(
    write: Callable, words: list[str], limit: int, names: tuple[str, str] = NAMES
) -> list[list[str]]:
    """Return what the model was shown at each step."""
    heard: list[list[str]] = []
    write(dictate(words, heard, names), *names, limit)
    return heard


def starts(
    words: list[str], count: int, names: tuple[str, str] = NAMES
) -> list[list[str]]:
    """Return what the model must be shown when it is asked so many times."""
    return [[names[0], *words[:written]] for written in range(count)]


def names_city(answers: tuple, number: int, city: str) -> bool:
    """Return whether an answer is this city, in whatever letters."""
    return str(answers[number - 1]).strip().strip(".").lower() == city.lower()


EXERCISES = {
    "ex-big-picture-swap": [
        Property(
            "give five answers, each Rome or Madrid.",
            lambda *answers: (
                len(answers) == 5
                and all(
                    names_city(answers, number, "Rome")
                    or names_city(answers, number, "Madrid")
                    for number in range(1, 6)
                )
            ),
        ),
        Property(
            "in (1), has the country left its own column by layer 10?",
            lambda *answers: names_city(answers, 1, "Rome"),
        ),
        Property(
            "in (2), the last step reads the column of *is*; whose country is in it?",
            lambda *answers: names_city(answers, 2, "Madrid"),
        ),
        Property(
            "in (3), can a token see a country that comes after it?",
            lambda *answers: names_city(answers, 3, "Rome"),
        ),
        Property(
            "in (4), after layer 24, both columns come from Spain.",
            lambda *answers: names_city(answers, 4, "Madrid"),
        ),
        Property(
            "in (5), has the country left its own column by layer 15?",
            lambda *answers: names_city(answers, 5, "Rome"),
        ),
    ],
    "ex-big-picture-scores": [
        Property(
            "each of the 5 source tokens looks at all 5.",
            lambda encoder, causal, cross, total: encoder == 25,
        ),
        Property(
            "the decoder reads begin and three words; masked scores are computed too.",
            lambda encoder, causal, cross, total: causal == 16,
        ),
        Property(
            "in cross-attention each token that the decoder reads looks at the source.",
            lambda encoder, causal, cross, total: cross == 20,
        ),
        Property(
            "each layer of a stack has 4 heads, and each stack 2 layers.",
            lambda encoder, causal, cross, total: total == 8 * (25 + 16 + 20),
        ),
    ],
    "ex-big-picture-shift": [
        Property(
            "both rows must be of one length: what is read at a place, is answered.",
            lambda shift: len({len(row) for row in shifted(shift, WORDS)}) == 1,
        ),
        Property(
            "the decoder must read the begin first, to say the first word.",
            lambda shift: all(
                shifted(shift, WORDS, names)[0][:1] == [names[0]]
                for names in (NAMES, OTHERS)
            ),
        ),
        Property(
            "the last thing to say is the end.",
            lambda shift: (
                all(
                    shifted(shift, WORDS, names)[1][-1:] == [names[1]]
                    for names in (NAMES, OTHERS)
                )
                and shifted(shift, [])[1][-1:] == ["end"]
            ),
        ),
        Property(
            "what is said at a place must be read at the next one.",
            lambda shift: all(
                (rows := shifted(shift, words))[1][:-1] == rows[0][1:] == words
                for words in (WORDS, LONG, TWICE, ["un"], LONGER, IDS, [])
            ),
        ),
    ],
    "ex-big-picture-write": [
        Property(
            "the model must be shown all that is written so far, from the begin on.",
            lambda write: all(
                shown(write, words, 99, names) == starts(words, len(words) + 1, names)
                for words in (WORDS, LONG, TWICE, LONGER)
                for names in (NAMES, OTHERS)
            ),
        ),
        Property(
            "the result must be the words, without begin and end.",
            lambda write: all(
                list(write(dictate(words), "begin", "end", 20)) == words
                for words in (WORDS, LONG, TWICE)
            ),
        ),
        Property(
            "the first thing that the model says may be the end: then nothing is "
            "written, and nothing more asked.",
            lambda write: (
                list(write(dictate([]), "begin", "end", 20)) == []
                and shown(write, [], 20) == starts([], 1)
            ),
        ),
        Property(
            "a model that never says the end must be stopped after `limit` words, and "
            "with limit 0 it is not asked at all.",
            lambda write: all(
                list(write(dictate(LONG), "begin", "end", limit)) == LONG[:limit]
                and shown(write, LONG, limit) == starts(LONG, limit)
                for limit in (1, 4, 0)
            ),
        ),
    ],
    "ex-big-picture-double": [
        Property(
            "answer with five numbers, each a factor.",
            lambda *factors: (
                len(factors) == 5 and all(isinstance(f, int | float) for f in factors)
            ),
        ),
        Property(
            "in a recurrent layer, each state waits for the one before.",
            lambda recurrent, attention, scores, parameters, passes: recurrent == 2,
        ),
        Property(
            "in a layer of attention, does any position wait for another?",
            lambda recurrent, attention, scores, parameters, passes: attention == 1,
        ),
        Property(
            "each token meets each token.",
            lambda recurrent, attention, scores, parameters, passes: scores == 4,
        ),
        Property(
            "do the matrices of a layer know how many tokens come?",
            lambda recurrent, attention, scores, parameters, passes: parameters == 1,
        ),
        Property(
            "how many tokens come out of one pass when the model writes by itself?",
            lambda recurrent, attention, scores, parameters, passes: passes == 2,
        ),
    ],
}

FIELDS = {
    "ex-big-picture-swap": 5 * ({"Rome", "Madrid"},),
    "ex-big-picture-scores": (25, 16, 20, 488),
    "ex-big-picture-double": (2, 1, 4, 1, 2),
}
