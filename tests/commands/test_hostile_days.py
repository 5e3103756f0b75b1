"""Hostile days: each ends in one sentence, and nothing that was saved is lost."""

import io
import json
import os
import shutil
import sys
from pathlib import Path

import pytest
import safetensors
import torch
from safetensors.torch import load_file, save_file

from bookkit.checking.facts import facts
from transformer.commands.folder import Run
from transformer.files import checksum
from transformer.training import list_checkpoints, load_checkpoint

STEPS = ["--steps=8", "--checkpoint-every=2"]
NEWEST = "checkpoints/step-00000008"


def copied(short_training, place):
    """A short training in a folder of its own, and the words that train it."""
    folder, words = short_training
    shutil.copytree(folder, place / "run")
    return place / "run", [*words, f"--output={place / 'run'}"]


@pytest.fixture
def begun(short_training, tmp_path):
    return copied(short_training, tmp_path)


def contents(folder):
    """Return the bytes of all files below a folder, by name."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def refused(result, said):
    """Check that a command ended in one sentence, without a result."""
    code, out, errors = result
    assert code == 2
    assert errors.startswith("transformer: ")
    assert said in errors
    assert len(errors.splitlines()) == 1
    return out


def full(*arguments, **options):
    """Write as safetensors does on a full disk."""
    raise safetensors.SafetensorError("I/O error: No space left (os error 28)")


def test_after_a_full_disk_the_training_goes_on_to_the_same_end(
    tmp_path, small, command, monkeypatch
):
    write, written = safetensors.torch.save_file, []

    def fill(tensors, path):
        written.append(path)
        full() if len(written) == 6 else write(tensors, path)

    words = ["train", *small, *STEPS, f"--output={tmp_path / 'run'}"]
    with monkeypatch.context() as patch:
        patch.setattr("safetensors.torch.save_file", fill)
        out = refused(command(*words), "[Errno 28] No space left on device: '")
    assert "saved in" not in out
    saved = [x.name for x in list_checkpoints(tmp_path / "run/checkpoints")]
    assert saved == ["step-00000002", "step-00000004"]
    code, out, _ = command(*words)
    assert (code, "going on after step 4 of 8" in out) == (0, True)
    assert command(*words[:-1], f"--output={tmp_path / 'other'}")[0] == 0
    found, straight = (
        load_checkpoint(tmp_path / name / NEWEST).model for name in ("run", "other")
    )
    assert all(torch.equal(found[name], straight[name]) for name in straight)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")
def test_a_disk_that_takes_no_more_is_said_by_every_library(tmp_path, small, command):
    words = ["train", *small, *STEPS, f"--output={tmp_path / 'run'}"]
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, before[1]))
    try:
        said = command(*words)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    out = refused(said, "File too large: '")
    assert "saved in" not in out
    assert list_checkpoints(tmp_path / "run/checkpoints") == []


@facts("call", ["mkdir", "open", "replace"])
def test_a_folder_where_one_must_not_write_stays_as_it_was(
    short_training, tmp_path, command, monkeypatch, call
):
    folder, words = copied(short_training, tmp_path)
    before = contents(folder)

    def forbid(*arguments, **options):
        raise PermissionError(13, "Permission denied", str(folder))

    words = [*words, "--steps=12"]
    with monkeypatch.context() as patch:
        patch.setattr(os if call == "replace" else Path, call, forbid)
        refused(command(*words), "[Errno 13] Permission denied: '")
    kept = {name: x for name, x in contents(folder).items() if ".part" not in name}
    assert kept == before
    assert command(*words)[0] == 0


@facts("inside", ["", "run"])
def test_a_file_in_the_way_of_the_folder_is_named(tmp_path, small, command, inside):
    (tmp_path / "way").write_text("mine")
    words = ["train", *small, *STEPS, f"--output={tmp_path / 'way' / inside}"]
    refused(command(*words), "a file cannot be read or written: [")
    assert (tmp_path / "way").read_text() == "mine"


def test_a_closed_standard_output_is_refused_before_anything_is_done(
    begun, command, monkeypatch
):
    folder, words = begun
    before = contents(folder)
    monkeypatch.setattr("sys.stdout", None)
    for call in (["translate", f"--run={folder}", "one"], [*words, "--steps=12"]):
        refused(command(*call), "the standard output must be open, got a closed one")
    assert contents(folder) == before


def test_a_closed_standard_error_does_not_stop_a_training(
    tmp_path, small, command, monkeypatch
):
    monkeypatch.setattr("sys.stderr", None)
    words = ["train", *small, *STEPS, f"--output={tmp_path}"]
    code, out, _ = command(*words)
    sys.stderr.close()
    assert (code, f"saved in {tmp_path}" in out) == (0, True)


@facts("name", ["no \udcff", "no \0"])
def test_a_folder_whose_name_is_no_text_is_refused(tmp_path, small, command, name):
    for word in ("train", "translate"):
        flags = [*small, *STEPS] if word == "train" else ["one"]
        said = command(word, *flags, f"--run={tmp_path / name}")
        refused(said, "the folder of a training must have a name in UTF-8, got '")
    assert list(tmp_path.iterdir()) == []


def test_letters_that_the_output_cannot_show_are_named(trained, command, monkeypatch):
    output = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr("sys.stdout", output)
    said = command("translate", f"--run={trained}", "zero")
    refused(said, "must take every letter, got ascii, which has no 'é'; set the var")


def test_bytes_that_are_no_letters_are_not_read_as_halves_of_some(
    trained, command, monkeypatch
):
    said = "must be text, got bytes that are not ('utf-8' codec can't decode byte 0xe9"
    for words in (["translate", f"--run={trained}"], ["write"]):
        refused(command(*words, "one", "d\udce9j"), f"transformer: TEXT {said}")
        lines = io.TextIOWrapper(
            io.BytesIO(b"one\nd\xe9j\n"), "utf-8", "surrogateescape"
        )
        monkeypatch.setattr("sys.stdin", lines)  # as in the C locale
        refused(command(*words), f"transformer: the standard input {said}")


@facts("depth", [51, 1_000, 100_000])
@facts("name", ["settings", "text", "tokenizer", f"{NEWEST}/state"])
def test_a_file_that_nests_without_end_is_refused(
    short_training, tmp_path, command, name, depth
):
    folder, words = copied(short_training, tmp_path)
    (folder / f"{name}.json").write_text("[" * depth + "]" * depth)
    word = ["evaluate"] if name == "text" else ["translate", "one"]
    refused(command(*word, f"--run={folder}"), "it is nested too deep")
    before = contents(folder / "checkpoints")
    refused(command(*words, "--steps=12"), "it is nested too deep")
    assert contents(folder / "checkpoints") == before


def change_tensors(path, change, name="training.safetensors"):
    """Change the tensors of a checkpoint, and its checksum with them."""
    tensors = load_file(path / name)
    change(tensors)
    save_file(tensors, path / name)
    state = json.loads((path / "state.json").read_text())
    state["checksums"][name] = checksum(path / name)
    (path / "state.json").write_text(json.dumps(state))


FOREIGN = {
    "no random state": (lambda x: x.pop("random/cpu/0"), "as random/cpu/0, got none"),
    "another random state": (
        lambda x: x.update({"random/cpu/0": torch.zeros(10, dtype=torch.uint8)}),
        "as random/cpu/0, got ((10,), torch.uint8)",
    ),
    "a moment gone": (
        lambda x: x.pop(next(name for name in x if name.endswith("_sq"))),
        "exp_avg_sq nothing instead of ((",
    ),
    "a moment of others": (
        lambda x: x.update({"optimizer/wing/exp_avg": torch.ones(1)}),
        "optimizer/wing/exp_avg ((1,), torch.float32) instead of nothing",
    ),
}


@facts("change, said", FOREIGN.values(), ids=[*FOREIGN])
def test_a_state_that_is_foreign_or_partly_missing_does_not_go_on(
    short_training, tmp_path, command, change, said
):
    folder, words = copied(short_training, tmp_path)
    change_tensors(folder / NEWEST, change)
    before = contents(folder / "checkpoints")
    out = refused(command(*words, "--steps=12"), said)
    assert "saved in" not in out
    assert contents(folder / "checkpoints") == before
    assert command("translate", f"--run={folder}", "one")[0] == 0
    shutil.rmtree(folder / NEWEST)  # then the older one serves
    assert command(*words, "--steps=12")[0] == 0


def test_odd_files_beside_the_checkpoints_are_left_alone(begun, command):
    folder, words = begun
    place = folder / "checkpoints"
    (place / "step-00000009").write_text("no folder")
    (place / "step-00000010.removed").write_text("no folder")
    digits = "\u0660" * 7 + "\u0669"  # of another script
    for name in ("step-notes.unfinished", "step-notes.removed", f"step-{digits}"):
        (place / name).mkdir()
    if sys.platform != "win32":  # where not everybody may make a link
        (place / "step-00000099").symlink_to("step-00000008")
    odd = {path.name for path in place.iterdir()} - {"step-00000006", "step-00000008"}
    assert command(*words, "--steps=12")[0] == 0
    assert command("translate", f"--run={folder}", "one")[0] == 0
    assert command(*words, "--overwrite")[0] == 0
    kept = {path.name for path in place.iterdir()}
    assert kept == odd | {"step-00000006", "step-00000008"}


@facts("flags", [[], ["--beam-width=3"], ["--sample", "--top-p=0.5", "--seed=1"]])
def test_weights_that_are_no_numbers_do_not_translate(
    short_training, tmp_path, command, flags
):
    folder, _ = copied(short_training, tmp_path)
    change_tensors(
        folder / NEWEST,
        lambda x: x.update({name: y * torch.nan for name, y in x.items()}),
        "model.safetensors",
    )
    said = command("translate", f"--run={folder}", "one", *flags)
    assert refused(said, "must give finite scores to the tokens that may fol") == ""


def test_a_training_whose_last_step_went_too_far_says_so_and_is_saved(
    tmp_path, small, command
):
    far = ["--steps=1", "--schedule=constant", "--warmup=0", "--learning-rate=1e38"]
    said = command("train", *small, *far, f"--output={tmp_path}")
    out = refused(said, "must give finite scores to the tokens that may follow, got ")
    assert f"saved in {tmp_path}" in out


HUGE = "1" + 400 * "0"
LARGE = {
    "a size": ("--d-ff", HUGE, "--d-ff must be at most 9223372036854775807, got one"),
    "a size of 64 bits": ("--d-model", str(2**63), "--d-model must be at most 922337"),
    "a size of 63 bits": ("--d-model", str(2**62), "there is not enough memory"),
    "a length": ("--max-length", str(2**63 - 1), "max_len must be at most 92233720"),
    "a rate": ("--learning-rate", HUGE, "must be finite and above 0, got inf"),
    "a share": ("--dropout", HUGE, "must be at least 0 and below 1, got inf"),
    "examples": ("--examples", "1000001", "must be at most 1000000 each, got 1000001"),
    "threads": ("--threads", "1025", "--threads must be at most 1024, got 1025"),
}


@facts("flag, value, said", LARGE.values(), ids=[*LARGE])
def test_numbers_too_large_are_refused(tmp_path, small, command, flag, value, said):
    words = ["train", *small, "--steps=8", f"--output={tmp_path / 'run'}"]
    refused(command(*words, f"{flag}={value}"), said)


@facts("name", ["learning_rate", "dropout", "d_ff"])
def test_settings_with_a_number_too_large_for_a_float_are_refused(
    short_training, tmp_path, command, name
):
    folder, _ = copied(short_training, tmp_path)
    path = folder / "settings.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), name: 10**400}))
    said = f"--{name.replace('_', '-')} must be "
    refused(command("translate", f"--run={folder}", "one"), said)


@facts("more", [[], ["--overwrite"], ["--steps=12"]])
def test_a_second_training_leaves_the_folder_of_the_first_alone(
    short_training, tmp_path, command, more
):
    folder, words = copied(short_training, tmp_path)
    before = contents(folder)
    with Run(folder).locked():
        refused(command(*words, *more), "must be used by one training at a time")
    assert contents(folder) == before


def test_without_a_home_the_variable_of_the_cache_is_told(command, monkeypatch):
    def homeless():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("TRANSFORMER_CACHE", raising=False)
    monkeypatch.setattr(Path, "home", homeless)
    refused(command("train", "--corpus=tatoeba-en-fr"), "set the variable TRANSFORMER_")
