"""A training goes on with the text that it has begun with, and with no other."""

import pytest

from transformer.commands.folder import Run
from transformer.commands.settings import Settings, SettingsError
from transformer.data import Pair, Splits, WordTokenizer

SPLITS = Splits(
    train=[Pair("ab", "c"), Pair("d", "e")],
    validation=[Pair("f", "g"), Pair("h", "i")],
    test=[Pair("j", "k"), Pair("l", "m")],
)


@pytest.fixture
def begun(tmp_path):
    """A training that was begun with these texts."""
    run = Run(tmp_path)
    run.start(Settings(), WordTokenizer(["ab"]), SPLITS)
    return run


CHANGES = {
    "another source": lambda pairs: [Pair("x", pairs[0].target), pairs[1]],
    "another target": lambda pairs: [Pair(pairs[0].source, "x"), pairs[1]],
    "another order": lambda pairs: pairs[::-1],
    "one less": lambda pairs: pairs[:1],
    "one more": lambda pairs: [*pairs, Pair("x", "y")],
    "sides exchanged": lambda pairs: [Pair(*pairs[0][::-1]), pairs[1]],
    "a space more": lambda pairs: [Pair(pairs[0].source + " ", "c"), pairs[1]],
}


@pytest.mark.parametrize("split", Splits._fields)
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_text_that_has_changed_is_noticed_in_every_split(begun, split, change):
    other = SPLITS._replace(**{split: change(getattr(SPLITS, split))})
    with pytest.raises(SettingsError, match="the text must be the one that the train"):
        begun.check_text(other)


@pytest.mark.parametrize(
    "other",
    [
        SPLITS._replace(train=SPLITS.train[:1], validation=SPLITS.train[1:]),
        Splits(SPLITS.train, SPLITS.test, SPLITS.validation),
        SPLITS._replace(train=[Pair("a", "bc"), Pair("d", "e")]),
    ],
    ids=["a pair moved", "splits exchanged", "a letter moved"],
)
def test_the_same_letters_elsewhere_are_another_text(begun, other):
    with pytest.raises(SettingsError, match="the text must be the one that the train"):
        begun.check_text(other)


def test_the_same_text_goes_on(begun):
    begun.start(Settings(steps=700), WordTokenizer(["ab"]), SPLITS)
    begun.check_text(Splits(*(list(part) for part in SPLITS)))


def test_what_goes_on_does_not_forget_what_it_began_with(begun):
    other = SPLITS._replace(test=[])
    begun.start(Settings(steps=700), WordTokenizer(["ab"]), other)
    with pytest.raises(SettingsError, match="bring it back, or train again"):
        begun.check_text(other)
