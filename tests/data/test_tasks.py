"""Tasks: disjoint splits, the same everywhere, and no word that cannot be learned."""

from hypothesis import given
from hypothesis import strategies as st

from bookkit.checking.facts import facts
from transformer.data import (
    TASKS,
    WordTokenizer,
    english,
    french,
    number_words,
    read_english,
    reversal,
)
from transformer.data.tasks import ESSENTIAL, LETTERS, all_letters

SMALL = {"train": 113, "validation": 7, "test": 11}
# What seed 0 draws, whatever the machine and the version of Python.
VALIDATION_NUMBER = "sept cent quarante-cinq"
TEST_NUMBER = "ten thousand nine hundred and fifteen"
VALIDATION_ROW = "g b h d g h g"
TEST_ROW = "d e i g d h d a"


def test_the_few_essential_numbers_hold_every_word_of_all():
    known = set()
    for number in ESSENTIAL:
        known |= {*english(number).split(), *french(number).split()}
    for thousands in range(1000):
        for number in (thousands, 1000 * thousands, 1000 * thousands + 80):
            assert known.issuperset(english(number).split()), number
            assert known.issuperset(french(number).split()), number


@given(
    seed=st.integers(0, 2**63),
    below=st.sampled_from([151, 211, 1009, 100_003, 1_000_000]),
)
def test_no_token_occurs_only_where_it_cannot_be_learned(seed, below):
    splits = number_words(below=below, seed=seed, **SMALL)
    for side in range(2):
        tokenizer = WordTokenizer.fit(pair[side] for pair in splits.train)
        for pair in splits.validation + splits.test:
            assert tokenizer.unknown(pair[side]) == []


@facts("task", TASKS.values(), ids=[*TASKS])
def test_splits_have_their_sizes_and_share_no_pair(task):
    splits = task(**SMALL)
    assert [len(split) for split in splits] == [113, 7, 11]
    for side in range(2):
        train, *held_out = ({pair[side] for pair in split} for split in splits)
        assert [len(texts) for texts in held_out] == [7, 11]
        assert not held_out[0] & held_out[1]
        assert not train & (held_out[0] | held_out[1])


@facts("task", TASKS.values(), ids=[*TASKS])
def test_the_seed_decides_everything(task):
    assert task(seed=3, **SMALL) == task(seed=3, **SMALL)
    assert task(seed=3, **SMALL) != task(seed=4, **SMALL)


def test_the_numbers_of_seed_0_are_the_same_on_each_machine():
    splits = number_words(**SMALL)
    assert splits.validation[0].target == VALIDATION_NUMBER
    assert splits.test[-1].source == TEST_NUMBER


def test_the_rows_of_seed_0_are_the_same_on_each_machine():
    splits = reversal(**SMALL)
    assert splits.validation[0].source == VALIDATION_ROW
    assert splits.test[-1].target == TEST_ROW


def test_numbers_are_translated():
    splits = number_words(below=137, train=307, validation=7, test=10)
    pairs = {pair for split in splits for pair in split}
    assert pairs <= {(english(n), french(n)) for n in range(137)}
    assert len(pairs) > 120


@facts("below", [101, 102, 137, 200, 201, 1000, 1001, 80_000, 80_001])
def test_all_numbers_are_smaller_than_the_limit(below):
    pairs = number_words(below=below, train=150, validation=0, test=0).train
    assert max(read_english(pair.source) for pair in pairs) < below


def test_short_and_round_numbers_come_more_often_than_among_all():
    sources = [english(n) for n in range(1000)]
    train = number_words().train
    short = sum(pair.source in sources for pair in train)
    rounded = sum(pair.source.endswith(("thousand", "hundred")) for pair in train)
    assert 0.2 < short / len(train) < 0.35  # among all: 0.001
    assert 0.03 < rounded / len(train) < 0.05  # among all: 0.01
    assert len(set(train)) > 8000


def test_the_default_sizes_are_those_of_the_book():
    for task in TASKS.values():
        assert [len(split) for split in task()] == [12_000, 500, 1_000]


def test_rows_are_reversed_within_their_lengths():
    splits = reversal(symbols=3, min_len=5, max_len=7, train=101, validation=2, test=3)
    for split in splits:
        for source, target in split:
            assert source.split() == target.split()[::-1]
            assert 5 <= len(source.split()) <= 7
            assert set(source.split()) <= set("abc")


@given(
    seed=st.integers(0, 2**63),
    symbols=st.integers(2, 26),
    max_len=st.integers(7, 29),
)
def test_each_letter_occurs_in_the_training_split(seed, symbols, max_len):
    sizes = {"train": 5, "validation": 3, "test": 3}
    splits = reversal(symbols=symbols, max_len=max_len, seed=seed, **sizes)
    letters = {letter for source, _ in splits.train for letter in source.split()}
    assert len(letters) == symbols


@facts("number, length", [(8, 7), (3, 2), (26, 5), (5, 13)])
def test_a_few_rows_hold_all_letters(number, length):
    rows = [row.split() for row in all_letters(LETTERS[:number], length)]
    assert {letter for row in rows for letter in row} == {*LETTERS[:number]}
    assert [len(row) for row in rows] == [length] * -(-number // length)


BAD_INPUTS = [
    (lambda: number_words(below=1_000_001), ValueError, "below.*got 1000001"),
    (
        lambda: number_words(below=131, train=120, validation=7, test=8),
        ValueError,
        "validation and test.*got 15.*ask for fewer",
    ),
    (lambda: number_words(train=104), ValueError, "train.*got 104"),
    (lambda: number_words(train=1e4), TypeError, "train.*got 10000.0"),
    (lambda: reversal(seed=-1), ValueError, "seed.*got -1"),
    (lambda: reversal(symbols=27), ValueError, "symbols.*got 27"),
    (lambda: reversal(symbols=1), ValueError, "symbols.*got 1"),
    (lambda: reversal(min_len=0), ValueError, "min_len.*got 0"),
    (lambda: reversal(min_len=5, max_len=4), ValueError, "max_len.*got 4"),
    (
        lambda: reversal(
            symbols=2, min_len=3, max_len=3, train=4, validation=1, test=0
        ),
        ValueError,
        "^train, validation and test.*got 5.*ask for fewer",
    ),
    (
        lambda: number_words(train=1_000_001),
        ValueError,
        "train, validation and test.*got 1000001, ",
    ),
    (
        lambda: reversal(max_len=30, test=10**12),
        ValueError,
        "train, validation and test.*got 12000, 500 and",
    ),
    (
        lambda: reversal(symbols=11, min_len=2, max_len=4, train=2),
        ValueError,
        "train.*got 2",
    ),
]


@facts("call, error, message", BAD_INPUTS)
def test_bad_input_is_refused_with_what_to_do(call, error, message, refuses):
    refuses(call, error, message)
