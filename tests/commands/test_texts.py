"""What is learned, what is held out, and what is too long for either."""

from bookkit.checking.facts import facts
from transformer.commands.flags import SettingsError
from transformer.commands.settings import Settings
from transformer.commands.texts import fit_tokenizer, fitting_pairs, split
from transformer.data import Pair, Splits, WordTokenizer, encode_pairs
from transformer.data.batches import Batch
from transformer.data.read_report import ReadReport
from transformer.models import Transformer

REPORT = ReadReport("mine.tsv")


def pairs(sources, translations=1):
    """So many sources with so many translations each, one after the other."""
    return [
        Pair(f"s{number}", f"t{number} {turn}")
        for turn in range(translations)
        for number in range(sources)
    ]


def divided(given, seed=0):
    return split(given, Settings(pairs="mine.tsv", seed=seed), REPORT)


@facts("seed", [0, 1, 13])
@facts("translations", [1, 2, 5])
@facts("sources", [3, 7, 41])
def test_no_source_is_in_two_splits_and_none_is_lost(sources, translations, seed):
    given = pairs(sources, translations)
    splits = divided(given, seed)
    assert sorted(pair for part in splits for pair in part) == sorted(given)
    apart = [{pair.source for pair in part} for part in splits]
    assert sum(map(len, apart)) == sources
    assert all(apart)


@facts(
    "sources, held_out",
    # a twentieth, rounded, but one at least
    [(3, 1), (10, 1), (29, 1), (31, 2), (49, 2), (51, 3), (211, 11)],
)
def test_a_twentieth_is_held_out_for_validation_and_as_much_for_the_test(
    sources, held_out
):
    splits = divided(pairs(sources))
    sizes = (sources - 2 * held_out, held_out, held_out)
    assert tuple(map(len, splits)) == sizes


def test_the_seed_decides_the_split():
    given = pairs(41, 2)
    assert divided(given, 7) == divided(given, 7) != divided(given, 8)


def test_translations_of_two_sources_are_too_few(refuses):
    message = "--pairs.*got 2.*add some"
    refuses(lambda: divided(pairs(2, 7)), SettingsError, message)


def long_pair(*lengths):
    return Pair(*(" ".join(["a"] * length) for length in lengths))


LIMIT = 5
SETTINGS = Settings(max_length=LIMIT, layers=1, d_model=8, d_ff=8, heads=2)
TOKENIZER = WordTokenizer(["a"])


@facts(
    "lengths, fits",
    [
        *(((LIMIT, LIMIT), True), ((LIMIT, 1), True), ((1, LIMIT), True)),
        *(((LIMIT + 1, 1), False), ((1, LIMIT + 1), False)),
    ],
)
def test_texts_of_the_greatest_length_are_kept_and_longer_ones_are_not(lengths, fits):
    given, told = [long_pair(1, 1), long_pair(*lengths)], []
    kept = fitting_pairs(SETTINGS, given, TOKENIZER, told.append)
    assert kept == (given if fits else given[:1])
    lines = [f"left out 1 of 2 pairs with more than {LIMIT} tokens"]
    assert told == ([] if fits else lines)


def test_nothing_but_longer_texts_is_refused(refuses):
    given = [long_pair(LIMIT + 1, 1)]
    message = "--max-length.*got 5 and only longer ones"
    call = lambda: fitting_pairs(SETTINGS, given, TOKENIZER, print)  # noqa: E731
    refuses(call, SettingsError, message)


@facts("position", ["sinusoidal", "rotary", "relative", "alibi"])
def test_the_model_has_room_for_texts_of_the_greatest_length(position):
    settings = Settings(**{**vars(SETTINGS), "position": position})
    model = Transformer(settings.model_config(TOKENIZER.vocab_size))
    batch = Batch.of(encode_pairs([long_pair(LIMIT, LIMIT)], TOKENIZER))
    assert model(*batch.inputs).shape == (1, LIMIT + 1, TOKENIZER.vocab_size)


def test_a_tokenizer_knows_both_sides_of_what_is_learned_and_nothing_else():
    splits = Splits([Pair("a b", "c")], [Pair("d", "e")], [Pair("f", "g")])
    tokenizer = fit_tokenizer(SETTINGS, splits.train)
    assert tokenizer.unknown("a b c d e f g") == ["d", "e", "f", "g"]
