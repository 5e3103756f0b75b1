"""A training goes on with the text that it has begun with, and with no other."""

import json
import os

import pytest

from bookkit.checking.facts import facts
from transformer.commands.folder import Run
from transformer.commands.saved_settings import read_settings
from transformer.commands.settings import Settings, SettingsError
from transformer.data import Pair, Splits, WordTokenizer

SPLITS = Splits(
    train=[Pair("ab", "c"), Pair("d", "e")],
    validation=[Pair("f", "g"), Pair("h", "i")],
    test=[Pair("j", "k"), Pair("l", "m")],
)


BEGUN = Settings(), WordTokenizer(["ab"]), SPLITS
OTHER = Settings(seed=7), WordTokenizer(["de"]), SPLITS._replace(test=[])


def begun_in(folder):
    """A training that was begun with these texts."""
    run = Run(folder)
    run.start(*BEGUN)
    return run


@pytest.fixture
def begun(tmp_path):
    return begun_in(tmp_path)


@pytest.fixture
def killed(monkeypatch):
    """Kill what is called, before one of its changes of files."""

    def call(moment, change):
        left = [*range(moment)]

        def counted(whole):
            def counting(*arguments, **options):
                left.pop()  # raises where the kill falls
                return whole(*arguments, **options)

            return counting

        with monkeypatch.context() as patch:
            for name in ("unlink", "rmdir", "replace"):
                patch.setattr(os, name, counted(getattr(os, name)))
            with pytest.raises(IndexError):
                change()

    return call


@facts("moment", range(9))
def test_a_kill_while_a_training_is_replaced_leaves_one_of_both(
    tmp_path, killed, moment
):
    begun = begun_in(tmp_path)
    for step in (1, 2):
        (begun.checkpoints / f"step-0000000{step}").mkdir(parents=True)
        (begun.checkpoints / f"step-0000000{step}" / "state.json").touch()
    (begun.folder / "notes.txt").touch()

    def replace():
        begun.check(OTHER[0], overwrite=True)
        begun.remove()
        begun.start(*OTHER)

    def go_on(settings, tokenizer, splits):
        begun.check(settings)
        begun.start(settings, tokenizer, splits)
        begun.check_text(splits)
        written = json.loads((begun.folder / "tokenizer.json").read_text())
        assert written == tokenizer.to_dict()

    killed(moment, replace)
    assert begun.newest is None or (begun.folder / "text.json").is_file()
    kept = read_settings(begun.folder / "settings.json")
    go_on(*(BEGUN if kept == BEGUN[0] else OTHER))
    replace()
    go_on(*OTHER)
    assert begun.newest is None


CHANGES = {
    "another source": lambda pairs: [Pair("x", pairs[0].target), pairs[1]],
    "another target": lambda pairs: [Pair(pairs[0].source, "x"), pairs[1]],
    "another order": lambda pairs: pairs[::-1],
    "one less": lambda pairs: pairs[:1],
    "one more": lambda pairs: [*pairs, Pair("x", "y")],
    "sides exchanged": lambda pairs: [Pair(*pairs[0][::-1]), pairs[1]],
    "a space more": lambda pairs: [Pair(pairs[0].source + " ", "c"), pairs[1]],
}


@facts("split", Splits._fields)
@facts("change", CHANGES.values(), ids=[*CHANGES])
def test_a_text_that_has_changed_is_noticed_in_every_split(begun, split, change):
    other = SPLITS._replace(**{split: change(getattr(SPLITS, split))})
    with pytest.raises(SettingsError, match="the text must be the one that the train"):
        begun.check_text(other)


@facts(
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


@facts("pieces", [["de"], ["ab", "de"]])
def test_a_tokenizer_that_has_changed_is_noticed(tmp_path, pieces):
    begun = begun_in(tmp_path)
    begun.check_tokenizer(BEGUN[1])
    other = json.dumps(WordTokenizer(pieces).to_dict())
    (begun.folder / "tokenizer.json").write_text(other)
    with pytest.raises(SettingsError, match="must be the tokenizer that is made of"):
        begun.check_tokenizer(BEGUN[1])
