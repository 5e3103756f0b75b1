"""The folder of a training: nothing is mixed in, and nothing foreign is touched."""

import json
import shutil

import pytest

from bookkit.checking.facts import facts
from transformer.commands.flags import SettingsError
from transformer.commands.folder import Run
from transformer.commands.settings import Settings
from transformer.data import Pair, Splits, WordTokenizer
from transformer.training import load_checkpoint

SPLITS = Splits(
    train=[Pair("ab", "c"), Pair("d", "e")],
    validation=[Pair("f", "g"), Pair("h", "i")],
    test=[Pair("j", "k"), Pair("l", "m")],
)
BEGUN = Settings(), WordTokenizer(["ab"]), SPLITS


@pytest.fixture
def begun(tmp_path):
    """A training that was begun with these texts."""
    run = Run(tmp_path)
    run.start(*BEGUN)
    return run


@pytest.fixture
def copied(short_training, tmp_path):
    """A short training in a folder of its own, and the words that train it."""
    folder, words = short_training
    shutil.copytree(folder, tmp_path / "run")
    return tmp_path / "run", [*words, f"--output={tmp_path / 'run'}"]


def contents(folder):
    """Return the bytes of all files below a folder, by name."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


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
    begun.check_text(Splits(*(list(part) for part in SPLITS)))
    other = SPLITS._replace(**{split: change(getattr(SPLITS, split))})
    with pytest.raises(SettingsError, match=r"text must be .*got .*--overwrite"):
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
    with pytest.raises(SettingsError, match=r"text must be .*got .*--overwrite"):
        begun.check_text(other)


def test_what_goes_on_does_not_forget_what_it_began_with(begun):
    other = SPLITS._replace(test=[])
    begun.start(Settings(steps=700), WordTokenizer(["de"]), other)
    assert json.loads((begun.folder / "settings.json").read_text())["steps"] == 700
    with pytest.raises(SettingsError, match="text must be"):
        begun.check_text(other)
    with pytest.raises(SettingsError, match=r"must be the tokenizer .*--overwrite"):
        begun.check_tokenizer(WordTokenizer(["de"]))
    begun.check_tokenizer(WordTokenizer(["ab"]))


def cut(path):
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def edit(**changes):
    def change(path):
        path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))

    return change


NEWEST = "checkpoints/step-00000008"
SPOILED = {
    "no settings": ("settings.json", lambda path: path.unlink(), "No such file"),
    "settings cut": ("settings.json", cut, "must hold the settings"),
    "settings out of range": ("settings.json", edit(heads=0), "--heads"),
    "no tokenizer": ("tokenizer.json", lambda path: path.unlink(), "the tokenizer"),
    "tokenizer of others": ("tokenizer.json", edit(pieces=["un"]), "the tokenizer"),
    "no checkpoints": ("checkpoints", shutil.rmtree, "a checkpoint, got none"),
    "model cut": (f"{NEWEST}/model.safetensors", cut, "cut off"),
    "state cut": (f"{NEWEST}/state.json", cut, "the folder of a checkpoint"),
}


@facts("name, spoil, word", SPOILED.values(), ids=[*SPOILED])
def test_a_spoiled_training_does_not_translate(
    short_training, tmp_path, refused, name, spoil, word
):
    folder = shutil.copytree(short_training[0], tmp_path / "run")
    spoil(folder / name)
    refused("translate", f"--run={folder}", "one", words=[word])


def test_a_spoiled_checkpoint_does_not_go_on(copied, command):
    folder, words = copied
    cut(folder / NEWEST / "training.safetensors")
    code, out, errors = command(*words, "--steps=12")
    assert (code, "saved in" in out) == (2, False)
    assert "cannot go on" in errors
    assert "With --overwrite it begins anew." in errors


@facts("name", ["thesis.txt", "settings.json"])
@facts("more", [[], ["--overwrite"]])
def test_a_folder_of_something_else_is_not_touched(tmp_path, refused, name, more):
    (tmp_path / name).write_text('{"mine": 1}')
    said = ["folder", "--output"] if name == "thesis.txt" else ["settings", "'mine'"]
    refused("train", f"--output={tmp_path}", *more, words=[str(tmp_path), *said])
    assert contents(tmp_path) == {name: b'{"mine": 1}'}


def test_what_was_left_before_the_settings_does_not_keep_a_training_out(
    tmp_path, command, small
):
    for name in (".lock", "settings.json.part"):
        (tmp_path / name).touch()
    assert command("train", *small, "--steps=4", f"--output={tmp_path}")[0] == 0


@facts("more", [[], ["--overwrite"], ["--steps=12"]])
def test_a_second_training_leaves_the_folder_of_the_first_alone(copied, command, more):
    folder, words = copied
    before = contents(folder)
    with Run(folder).locked():
        code, _, errors = command(*words, *more)
    assert (code, "one training at a time" in errors) == (2, True)
    assert contents(folder) == before


@facts(
    "flags, differences",
    [
        (["--steps=7"], "--steps 7 instead of 8"),
        (["--steps=20", "--seed=1"], "--steps 20 instead of 8, --seed 1 instead of 0"),
        (["--steps=20", "--warmup=4"], "--warmup 4 instead of 3"),
    ],
)
def test_nothing_but_more_steps_extends(copied, refused, flags, differences):
    folder, words = copied
    before = contents(folder)
    refused(*words, *flags, words=[differences, "--output", "--overwrite"])
    assert contents(folder) == before


def test_a_text_that_has_changed_is_not_mixed_in(tmp_path, command, small):
    text, run = tmp_path / "mine.tsv", tmp_path / "run"
    text.write_text("".join(f"w{n}\tx{n}\n" for n in range(40)))
    flags = ["train", *small, f"--pairs={text}", f"--output={run}", "--steps=5"]
    command(*flags, "--checkpoint-every=4")
    shutil.rmtree(run / "checkpoints" / "step-00000005")
    text.write_text("".join(f"z{n}\tx{n}\n" for n in range(40)))
    for call in ([*flags, "--checkpoint-every=4"], ["evaluate", f"--run={run}"]):
        code, _, errors = command(*call)
        assert (code, "text must be" in errors) == (2, True)


def test_overwrite_begins_anew_and_leaves_other_files_alone(copied, command):
    folder, words = copied
    (folder / "notes.txt").write_text("mine")
    assert command(*words, "--overwrite", "--steps=5", "--seed=3")[0] == 0
    assert load_checkpoint(Run(folder).newest).step == 5
    assert Run(folder).load()[2].seed == 3
    assert (folder / "notes.txt").read_text() == "mine"
    before = contents(folder)
    assert command(*words, "--overwrite", "--pairs=no.tsv")[0] == 2
    assert contents(folder) == before  # all else is looked at before
