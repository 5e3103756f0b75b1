"""Corrupt files and flags: each is refused with a sentence, none with a traceback."""

import io
import json
import re
import shutil

from bookkit.checking.facts import facts
from transformer.commands.folder import Run

CHECKPOINT, NEWEST = "checkpoints/step-00000600", "checkpoints/step-00000008"


def edit(**changes):
    """Return what changes entries of a JSON file."""

    def change(path):
        old = json.loads(path.read_text())
        path.write_text(json.dumps({**old, **changes}))

    return change


def cut(path):
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def flip(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 255
    path.write_bytes(data)


def fill(data):
    return lambda path: path.write_bytes(data)


def remove(path):
    shutil.rmtree(path) if path.is_dir() else path.unlink()


SPOILED = {
    "no settings": ("settings.json", remove, "must hold the settings of a training"),
    "settings cut": ("settings.json", cut, "cannot be read"),
    "settings empty": ("settings.json", fill(b""), "cannot be read"),
    "settings of bytes": ("settings.json", fill(b"\xff\x00"), "cannot be read"),
    "settings of a list": ("settings.json", fill(b"[]"), "settings of this version"),
    "settings of null": ("settings.json", fill(b"null"), "settings of this version"),
    "settings of another version": ("settings.json", edit(wings=2), "'wings'"),
    "settings out of range": ("settings.json", edit(heads=0), "--heads must be at"),
    "settings of a wrong type": ("settings.json", edit(d_ff="x"), "--d-ff must be a"),
    "no tokenizer": ("tokenizer.json", remove, "must hold the tokenizer"),
    "tokenizer cut": ("tokenizer.json", cut, "must hold the tokenizer"),
    "tokenizer of a list": ("tokenizer.json", fill(b"[1]"), "must hold the tokenizer"),
    "tokenizer of null": ("tokenizer.json", fill(b"null"), "must hold the tokenizer"),
    "tokenizer unknown": ("tokenizer.json", edit(kind="bird"), "must hold the tok"),
    "tokenizer of others": ("tokenizer.json", edit(pieces=["un"]), "must hold the tok"),
    "no checkpoints": ("checkpoints", remove, "must hold a checkpoint, got none"),
    "no model": (f"{CHECKPOINT}/model.safetensors", remove, "cannot be read"),
    "model cut": (f"{CHECKPOINT}/model.safetensors", cut, "changed or cut off"),
    "model flipped": (f"{CHECKPOINT}/model.safetensors", flip, "changed or cut off"),
    "model empty": (f"{CHECKPOINT}/model.safetensors", fill(b""), "changed or cut"),
    "moments cut": (f"{CHECKPOINT}/training.safetensors", cut, "changed or cut off"),
    "no state": (f"{CHECKPOINT}/state.json", remove, "the folder of a checkpoint"),
    "state cut": (f"{CHECKPOINT}/state.json", cut, "the folder of a checkpoint"),
    "state foreign": (f"{CHECKPOINT}/state.json", edit(format=1), "must say format"),
    "state without sums": (f"{CHECKPOINT}/state.json", edit(checksums=0), "checksums"),
    "model unknown": (f"{CHECKPOINT}/state.json", edit(model="x"), "must describe a"),
    "config empty": (f"{CHECKPOINT}/state.json", edit(config={}), "must describe a"),
    "config null": (f"{CHECKPOINT}/state.json", edit(config=None), "must describe a"),
}


@facts("name, spoil, message", SPOILED.values(), ids=[*SPOILED])
def test_a_spoiled_training_is_refused(
    trained, tmp_path, command, name, spoil, message
):
    folder = tmp_path / "run"
    shutil.copytree(trained, folder)
    spoil(folder / name)
    code, out, errors = command("translate", "--run", folder, "one")
    assert (code, out) == (2, "")
    assert errors.startswith("transformer: ")
    assert message in errors
    assert len(errors.splitlines()) == 1


RESUMED = {
    "moments cut": (f"{NEWEST}/training.safetensors", cut, "cannot go on"),
    "no log": (f"{NEWEST}/state.json", edit(log=None), "cannot go on"),
    "log of words": (f"{NEWEST}/state.json", edit(log={"a": 1}), "cannot go on"),
    "no optimizer": (f"{NEWEST}/state.json", edit(optimizer=[]), "cannot go on"),
    "other sizes": (f"{NEWEST}/state.json", edit(config={"d_ff": 9}), "d_ff 9"),
    "no scaler": (f"{NEWEST}/state.json", edit(scaler=7), "cannot go on"),
}


@facts("name, spoil, message", RESUMED.values(), ids=[*RESUMED])
def test_a_spoiled_training_does_not_go_on(
    short_training, tmp_path, command, name, spoil, message
):
    begun, words = short_training
    folder = tmp_path / "run"
    shutil.copytree(begun, folder)
    spoil(folder / name)
    code, out, errors = command(*words, "--output", folder)
    assert code == 2
    assert message in errors
    assert "saved" not in out
    assert len(errors.splitlines()) == 1


TRANSLATE = {
    "unknown words": (["six rabbits"], "got 'rabbits'"),
    "two numbers": (["seven seven"], "must make one number below 1000000, got 'sev"),
    "numbers in digits": (["497 12"], "which holds several numbers; put each on a"),
    "a million": (["one", "million"], "the number must be below 1000000, got 'one m"),
    "a large number": (["1000000"], "the number must be below 1000000, got '1000000'"),
    "no threads": (["--threads=0", "one"], "--threads must be at least 1, got 0"),
    "an empty text": ([""], "a text must have words, got an empty one"),
    "spaces": (["  \t "], "a text must have words"),
    "a long text": (["one " * 200], "at most 101 tokens, got 200 in 'one one"),
    "no beams": (["--beam-width=0", "one"], "--beam-width must be at least 1, got 0"),
    "no temperature": (
        ["--sample", "--temperature=0", "one"],
        "--temperature must be above 0, got 0; leave out --sample, and the likeliest",
    ),
    "top-k 0": (["--sample", "--top-k=0", "one"], "--top-k must be at least 1"),
    "top-p 2": (["--sample", "--top-p=2", "one"], "--top-p must be at most 1, got 2"),
    "top-k alone": (["--top-k=3", "one"], "--top-k must come with --sample"),
    "two ways": (["--sample", "--beam-width=2", "one"], "must be one way of decoding"),
    "a figure of two": (
        ["--attention=a.svg", "one", "two"],
        "must have one TEXT, got 2",
    ),
    "a figure of words": (["--attention=a.txt", "one"], "must end in .svg, .png or"),
    "a figure nowhere": (["--attention=no/a.svg", "one"], "make the folder no, or n"),
    "a seed below 0": (["--sample", "--seed=-1", "one"], "--seed must be at least 0"),
    "a figure of a page of TeX": (["--attention=a.pgf", "one"], "must end in .svg"),
    "a device without numbers": (["--device=meta", "one"], "got 'meta'; pass cpu"),
    "a beam for the moon": (["--beam-width=100000000000", "one"], "not enough memory"),
    "a device that is not here": (["--device=abacus", "one"], "got 'abacus'; pass cpu"),
    "a flag that is none": (["--fast", "one"], "unrecognized arguments: --fast"),
    "a word for a number": (["--beam-width=two", "one"], "invalid int value: 'two'"),
}


@facts("flags, message", TRANSLATE.values(), ids=[*TRANSLATE])
def test_translate_refuses(trained, command, flags, message):
    code, out, errors = command("translate", "--run", trained, *flags)
    assert (code, out.strip()) in {(2, ""), (2, "un")}
    assert message in errors
    assert "Traceback" not in errors


STDIN = {
    "nothing": ("", "there must be a TEXT, or lines"),
    "bytes": ("one\n\udcff\n", "got bytes that are not"),
}


@facts("text, message", STDIN.values(), ids=[*STDIN])
def test_lines_that_are_no_texts_are_refused(
    trained, command, monkeypatch, text, message
):
    data = io.BytesIO(text.encode("utf-8", "surrogateescape"))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(data, encoding="utf-8"))
    code, out, errors = command("translate", "--run", trained)
    assert (code, out) == (2, "")
    assert message in errors


def test_lines_that_are_not_understood_do_not_stop_the_others(
    trained, command, monkeypatch
):
    lines = io.StringIO("one\n\nsix rabbits\nseven hundred\none and\n")
    monkeypatch.setattr("sys.stdin", lines)
    code, out, errors = command("translate", "--run", trained)
    assert (code, out) == (2, "un\n\n\nsept cents\n\n")
    _, third, fifth = errors.splitlines()
    assert re.search("^text 3: .*got 'rabbits' in 'six rabbits'", third)
    assert re.search("^text 5: .*got 'one and'", fifth)


@facts(
    "lines, places", [("\nzebra\n", [2]), ("zebra\n\none\n", [1]), ("one\nzebra", [2])]
)
def test_a_fault_is_told_by_its_line_wherever_it_stands(
    lines, places, trained, command, monkeypatch
):
    monkeypatch.setattr("sys.stdin", io.StringIO(lines))
    code, out, errors = command("translate", "--run", trained)
    assert (code, out.count("\n")) == (2, len(lines.splitlines()) * ("one" in lines))
    assert re.findall(r"^text (\d+): ", errors, re.MULTILINE) == list(map(str, places))


def test_a_blank_line_is_answered_by_a_blank_line(trained, command, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("one\n\n \nseven hundred\n"))
    assert command("translate", "--run", trained) == (0, "un\n\n\nsept cents\n", "")


def test_a_number_too_long_for_the_model_is_refused(tmp_path, command, small):
    flags = [*small, "--steps=4", "--max-length=5", "--examples=150"]
    assert command("train", *flags, f"--output={tmp_path}")[0] == 0
    code, out, errors = command("translate", f"--run={tmp_path}", "1497")
    assert (code, out) == (2, "")
    assert "at most 6 tokens, got 7 in 'one thousand four hundred and " in errors


@facts("flags", [["--attention=no/a.svg"], ["--sample", "--top-k=0"], ["--top-k=3"]])
def test_flags_are_checked_before_the_model_is_loaded(command, flags, monkeypatch):
    monkeypatch.setattr(Run, "load", None)
    assert command("translate", "one", *flags)[0] == 2


def test_a_terminal_is_told_that_lines_are_awaited(trained, command, monkeypatch):
    terminal = io.StringIO("one\n")
    terminal.isatty = lambda: True
    monkeypatch.setattr("sys.stdin", terminal)
    code, out, errors = command("translate", "--run", trained)
    assert (code, out) == (0, "un\n")
    assert errors == "reading texts, one a line; Ctrl-D ends them.\n"


def test_no_standard_input_is_refused(trained, command, monkeypatch):
    monkeypatch.setattr("sys.stdin", None)
    code, _, errors = command("translate", "--run", trained)
    assert code == 2
    assert "there must be a TEXT" in errors


TRAIN = {
    "no steps": (["--steps=0"], "--steps must be at least 1, got 0"),
    "few examples": (["--examples=9"], "train must be at least 105"),
    "heads that do not divide": (["--heads=5"], "--heads must divide --d-model, got"),
    "a size of no subwords": (["--vocab-size=100"], "got --tokenizer words; add it"),
    "two texts": (["--pairs=a", "--corpus=tatoeba-en-fr"], "got --corpus and --pairs"),
    "a task and pairs": (["--task=numbers", "--pairs={pairs}"], "--task and --pairs"),
    "a task and a corpus": (
        ["--task=reversal", "--corpus=tatoeba-en-fr"],
        "got --task and --corpus; leave one out",
    ),
    "a long warm-up": (["--warmup=30"], "--warmup must be below --steps 30, got 30"),
    "settings before a device": (["--device=abacus", "--warmup=99"], "30, got 99"),
    "settings before a file": (["--pairs=no.tsv", "--warmup=99"], "30, got 99"),
    "a file before a device": (["--device=abacus", "--pairs=no.tsv"], "no.tsv; check"),
    "a pair again and again": (["--pairs={same}"], "49 left out, duplicate"),
    "a third column": (["--pairs={same}"], "50 with columns after the second, not"),
    "no file": (["--pairs=no.tsv"], "no.tsv; check the name"),
    "a folder": (["--pairs=."], "got the folder"),
    "short texts only": (["--max-length=1", "--pairs={pairs}"], "--max-length must"),
    "a file without tabs": (["--pairs={words}"], "line"),
    "an empty file": (["--pairs={empty}"], "at least one"),
    "bytes": (["--pairs={bytes}"], "not UTF-8"),
    "two pairs": (["--pairs={two}"], "at least 3 different sources that can be"),
    "a word for a seed": (["--seed=luck"], "invalid int value: 'luck'"),
    "an unknown choice": (["--norm-placement=side"], "invalid choice: 'side'"),
    "a loss that explodes": (["--learning-rate=1e30", "--warmup=0"], "must have a fin"),
}


@facts("flags, message", TRAIN.values(), ids=[*TRAIN])
def test_train_refuses(tmp_path, command, small, flags, message):
    files = {
        "pairs": b"a b c\tx y z\n"
        + b"\n".join(b"a %d b\tx y %d" % (i, i) for i in range(9)),
        "words": b"one\ntwo\n",
        "empty": b"",
        "bytes": b"\xff\xfe\tx\n" * 3,
        "two": b"a\tb\nc\td\n",
        "same": b"a\tb\tc\n" * 50,
    }
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    places = {name: tmp_path / name for name in files}
    said = [flag.format(**places) for flag in flags]
    output = f"--output={tmp_path / 'run'}"
    code, out, errors = command("train", *small, "--steps=30", output, *said)
    assert code == 2
    assert message in errors
    assert "Traceback" not in errors
    assert "saved" not in out


def test_a_folder_of_something_else_is_not_touched(tmp_path, command):
    (tmp_path / "thesis.txt").write_text("mine")
    code, _, errors = command("train", f"--output={tmp_path}")
    assert code == 2
    assert "must be empty or the folder of a training, got other files" in errors
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_foreign_folder_is_not_overwritten(tmp_path, command, small):
    (tmp_path / "settings.json").write_text('{"editor": 1}')
    code, _, errors = command("train", *small, f"--output={tmp_path}", "--overwrite")
    assert code == 2
    assert "must be that of a training to be replaced" in errors
    assert (tmp_path / "settings.json").read_text() == '{"editor": 1}'


def test_an_overwrite_that_fails_keeps_the_old_training(tmp_path, command, small):
    flags = ["train", *small, f"--output={tmp_path}"]
    command(*flags, "--steps=4")
    before = sorted(path.name for path in tmp_path.rglob("*"))
    assert command(*flags, "--overwrite", "--pairs=no.tsv")[0] == 2
    assert sorted(path.name for path in tmp_path.rglob("*")) == before


def test_a_text_that_has_changed_is_not_mixed_in(tmp_path, command, small):
    text, run = tmp_path / "mine.tsv", tmp_path / "run"
    text.write_text("".join(f"w{n}\tx{n}\n" for n in range(40)))
    flags = ["train", *small, f"--pairs={text}", f"--output={run}", "--steps=5"]
    command(*flags, "--checkpoint-every=4")
    shutil.rmtree(run / "checkpoints" / "step-00000005")
    text.write_text("".join(f"z{n}\tx{n}\n" for n in range(40)))
    for call in ([*flags, "--checkpoint-every=4"], ["evaluate", f"--run={run}"]):
        code, _, errors = command(*call)
        assert code == 2
        assert "the text must be the one that the training has begun with" in errors


def test_two_trainings_do_not_share_a_folder(tmp_path, command, small):
    with Run(tmp_path).locked():
        code, _, errors = command("train", *small, f"--output={tmp_path}")
    assert code == 2
    assert "must be used by one training at a time" in errors


def test_other_settings_are_not_mixed_in(trained, command):
    code, _, errors = command("train", f"--output={trained}", "--seed=7")
    assert code == 2
    assert "other settings: --seed 7 instead of 0" in errors


def test_a_full_disk_is_said(tmp_path, command, small, monkeypatch):
    def full(*arguments, **options):
        raise OSError(28, "No space left on device", "model.safetensors")

    monkeypatch.setattr("safetensors.torch.save_file", full)
    output = f"--output={tmp_path / 'run'}"
    code, _, errors = command("train", *small, "--steps=4", output)
    assert code == 2
    assert "a file cannot be read or written: [Errno 28] No space left" in errors
