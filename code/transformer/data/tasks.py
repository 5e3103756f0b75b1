"""Tasks whose data are made here: nothing to download, and no end of it."""

from collections.abc import Callable
from random import Random

from transformer.checks.values import check_size
from transformer.data.numerals import LIMIT, english, french
from transformer.data.pairs import Pair, Splits

# All words occur in these: those below 100, "hundred", "cent" and "cents", "and",
# "thousand" and "mille", and "quatre-vingt" before "mille".
ESSENTIAL = (*range(100), 100, 101, 200, 1000, 80_000)
EVENLY = 0.5  # share of the numbers that are drawn evenly
ZEROS = 0.3  # share of zeros put into the others
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def number_words(
    *,
    below: int = LIMIT,
    train: int = 12_000,
    validation: int = 500,
    test: int = 1_000,
    seed: int = 0,
) -> Splits:
    """Translate numbers from English words to French ones.

    Half of the numbers are drawn evenly, half have any number of digits and many
    zeros: as in real text, short and round ones come more often than among all. The
    numbers of validation and test are all different, and no number is in two splits;
    the training split repeats some, and holds the few in which all words occur.

    Args:
        below: Numbers are smaller than this, a million at most.
        train: Number of pairs to learn from; at least those few, 105 for a million.
        validation: Number of pairs to choose by.
        test: Number of pairs to report on.
        seed: Which numbers are drawn, and in which order.

    Raises:
        ValueError: If an argument is out of range, or there are not enough numbers.
    """
    check_size("below", below)
    if below > LIMIT:
        raise ValueError(
            f"below must be at most {LIMIT}, got {below}; pass a smaller one."
        )
    essential = [number for number in ESSENTIAL if number < below]
    check_sizes(train, validation, test, seed)
    check_train(train, len(essential))
    # From more than half of them, drawing would find few numbers that are new.
    possible, wanted = (below - len(essential)) // 2, validation + test
    check_enough("validation and test", possible, wanted)
    random, known = Random(seed), set(essential)
    held_out: dict[int, None] = {}
    while len(held_out) < wanted:
        if (number := draw_number(random, below)) not in known:
            held_out[number] = None
    learned = essential
    while len(learned) < train:
        if (number := draw_number(random, below)) not in held_out:
            learned.append(number)
    random.shuffle(learned)
    drawn = [*learned, *held_out]
    return cut([Pair(english(n), french(n)) for n in drawn], train, validation)


def draw_number(random: Random, below: int) -> int:
    """Return any number, or one of any number of digits with many zeros."""
    if random.random() < EVENLY:
        return random.randrange(below)
    digits = random.randint(1, len(str(below - 1)))
    number = 0
    for _ in range(digits):
        digit = 0 if random.random() < ZEROS else random.randrange(10)
        number = 10 * number + digit
    return number if number < below else draw_number(random, below)


def reversal(
    *,
    symbols: int = 10,
    min_len: int = 4,
    max_len: int = 10,
    train: int = 12_000,
    validation: int = 500,
    test: int = 1_000,
    seed: int = 0,
) -> Splits:
    """Write a row of letters backward: "c a b b" becomes "b b a c".

    Each row is drawn once, so no pair of one split is in another; each letter occurs
    in the training split. There are spaces between the letters, so that each is a
    token for a tokenizer of words.

    Args:
        symbols: Number of letters to draw from, 26 at most.
        min_len: Number of letters of the shortest rows.
        max_len: Number of letters of the longest rows; each length is as likely.
        train: Number of pairs to learn from.
        validation: Number of pairs to choose by.
        test: Number of pairs to report on.
        seed: Which rows are drawn, and in which order.

    Raises:
        ValueError: If an argument is out of range, or there are not enough rows.
    """
    check_size("symbols", symbols, minimum=2)
    check_size("min_len", min_len)
    check_size("max_len", max_len, minimum=min_len)
    if symbols > len(LETTERS):
        raise ValueError(
            f"symbols must be at most {len(LETTERS)}, got {symbols}; pass a smaller "
            "number."
        )
    check_sizes(train, validation, test, seed)
    rows = dict.fromkeys(all_letters(LETTERS[:symbols], max_len))
    check_train(train, len(rows))
    possible = sum(symbols**length for length in range(min_len, max_len + 1))
    # From more than half of them, drawing would find few rows that are new.
    wanted = train + validation + test
    check_enough("train, validation and test", possible // 2, wanted)
    random = Random(seed)
    while len(rows) < wanted:
        length = random.randint(min_len, max_len)
        rows[" ".join(random.choices(LETTERS[:symbols], k=length))] = None
    return cut([Pair(row, row[::-1]) for row in rows], train, validation)


TASKS: dict[str, Callable[..., Splits]] = {
    "numbers": number_words,
    "reversal": reversal,
}


def all_letters(letters: str, length: int) -> list[str]:
    """Return a few rows of one length in which each letter occurs."""
    round_trip = letters * (1 + length // len(letters) + 1)
    starts = range(0, len(letters), length)
    return [" ".join(round_trip[start : start + length]) for start in starts]


def cut(pairs: list[Pair], train: int, validation: int) -> Splits:
    """Return three parts of the pairs, in order."""
    end = train + validation
    return Splits(pairs[:train], pairs[train:end], pairs[end:])


def check_sizes(train: int, validation: int, test: int, seed: int) -> None:
    """Check that sizes of splits and seed are whole numbers of at least 0."""
    check_size("train", train)
    check_size("validation", validation, minimum=0)
    check_size("test", test, minimum=0)
    if max(train, validation, test) > LIMIT:
        raise ValueError(
            f"train, validation and test must be at most {LIMIT} each, got {train}, "
            f"{validation} and {test}; ask for fewer pairs."
        )
    check_size("seed", seed, minimum=0, maximum=None)


def check_train(train: int, essential: int) -> None:
    """Check that the training split has room for every word."""
    if train < essential:
        raise ValueError(
            f"train must be at least {essential}, so that each word can be learned, "
            f"got {train}; pass a larger number."
        )


def check_enough(names: str, possible: int, wanted: int) -> None:
    """Check that there are enough different pairs for all splits."""
    if wanted > possible:
        raise ValueError(
            f"{names} must be {possible} together at most, got {wanted}; ask for fewer "
            "pairs or for a larger task."
        )
