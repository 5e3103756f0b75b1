"""Tests of the files of a checkpoint."""

import json
import os
import sys

import pytest
import torch
from safetensors import SafetensorError
from torch.testing import assert_close

from bookkit.checking.facts import facts
from transformer.files import checksum
from transformer.training import (
    Checkpoint,
    CheckpointError,
    list_checkpoints,
    load_checkpoint,
    save_checkpoint,
)
from transformer.training.checkpoints import remove_leftovers


def checkpoint(step=7):
    return Checkpoint(
        step=step,
        model={"weight": torch.randn(3, 5)},
        training={"moment": torch.randn(2), "random": torch.arange(9).byte()},
        state={"rate": 0.1 + 0.2, "names": ["a", "b"]},
    )


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_what_is_written_is_read(tmp_path):
    written = checkpoint()
    path = save_checkpoint(tmp_path / "new" / "folder", written)
    read = load_checkpoint(path)
    assert path.name == "step-00000007"
    assert read.step == 7
    assert_close(read.model, dict(written.model), rtol=0, atol=0)
    assert_close(read.training, dict(written.training), rtol=0, atol=0)
    assert written.state.items() <= read.state.items()


def test_only_the_newest_are_kept(tmp_path):
    for step in (2, 30, 4, 500):
        save_checkpoint(tmp_path, checkpoint(step), keep=2)
    assert names(tmp_path) == ["step-00000030", "step-00000500"]
    assert list_checkpoints(tmp_path)[-1].name == "step-00000500"


def test_a_step_can_be_written_again(tmp_path):
    first, second = checkpoint(), checkpoint()
    save_checkpoint(tmp_path, first)
    path = save_checkpoint(tmp_path, second)
    assert_close(load_checkpoint(path).model, dict(second.model), rtol=0, atol=0)


def test_steps_are_sorted_as_numbers(tmp_path):
    for step in (100_000_000, 99_999_999):
        save_checkpoint(tmp_path, checkpoint(step))
    assert load_checkpoint(list_checkpoints(tmp_path)[-1]).step == 100_000_000


def test_a_step_that_was_being_written_again_comes_back(tmp_path):
    path = save_checkpoint(tmp_path, checkpoint())
    path.rename(path.with_suffix(".removed"))
    path.with_suffix(".unfinished").mkdir()
    assert list_checkpoints(tmp_path) == []
    remove_leftovers(tmp_path)
    assert names(tmp_path) == ["step-00000007"]
    load_checkpoint(path)


@facts("message", ["I/O error: full (os error 28)", "no header"])
def test_what_safetensors_says_of_a_disk_is_an_error_of_the_system(
    tmp_path, monkeypatch, message
):
    def fail(*arguments):
        raise SafetensorError(message)

    monkeypatch.setattr("safetensors.torch.save_file", fail)
    kind = OSError if "28" in message else SafetensorError
    with pytest.raises(kind) as caught:
        save_checkpoint(tmp_path, checkpoint())
    if kind is OSError:
        assert caught.value.errno == 28
        assert caught.value.filename.endswith("model.safetensors")


@facts("ending", ["", ".unfinished", ".removed"])
@facts("name", ["step-notes", "step-7", "a step-00000007", "link"])
def test_what_is_not_named_by_a_step_is_left_alone(tmp_path, name, ending):
    (tmp_path / "mine").mkdir()
    odd = tmp_path / f"{name}{ending}"
    if name == "link" and sys.platform != "win32":  # where not everybody may link
        odd = tmp_path / f"step-00000009{ending}"
        odd.symlink_to("mine")
    else:
        odd.mkdir()
    (tmp_path / f"step-00000008{ending}").write_text("a file")
    path = save_checkpoint(tmp_path, checkpoint(), keep=1)
    remove_leftovers(tmp_path)
    assert list_checkpoints(tmp_path) == [path]
    assert names(tmp_path) == sorted(
        ["mine", path.name, odd.name, f"step-00000008{ending}"]
    )


def test_a_folder_that_is_not_there_has_no_checkpoints(tmp_path):
    assert list_checkpoints(tmp_path / "nothing") == []


@facts("stage", ["save_file", "fsync", "replace"])
@facts("keep", [1, 2, 3])
def test_a_write_that_breaks_off_leaves_the_older_checkpoints(
    tmp_path, monkeypatch, stage, keep
):
    older = [save_checkpoint(tmp_path, checkpoint(i), keep=keep) for i in range(keep)]
    broken = {"save_file": sys.modules["safetensors.torch"]}.get(stage, os)

    def fail(*arguments, **options):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(broken, stage, fail)
        with pytest.raises(OSError, match="No space left"):
            save_checkpoint(tmp_path, checkpoint(7), keep=keep)
    assert list_checkpoints(tmp_path) == older
    assert [load_checkpoint(path).step for path in older] == list(range(keep))
    newest = save_checkpoint(tmp_path, checkpoint(7), keep=keep)
    assert list_checkpoints(tmp_path) == [*older[1:], newest]
    assert names(tmp_path) == [path.name for path in (*older[1:], newest)]


def cut(path):
    path.write_bytes(path.read_bytes()[:-5])


def flip(path):
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)


def edit(**changes):
    def change(path):
        path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))

    return change


SPOILED = {
    "model cut": (
        "model.safetensors",
        cut,
        "it was changed or cut off; delete .* and take an older checkpoint",
    ),
    "model flipped": ("model.safetensors", flip, "it was changed or cut off"),
    "model gone": ("model.safetensors", os.remove, "must hold model.safetensors"),
    "training cut": ("training.safetensors", cut, "it was changed or cut off"),
    "training gone": ("training.safetensors", os.remove, "take an older checkpoint"),
    "state cut": ("state.json", cut, "must be the folder of a checkpoint"),
    "state gone": ("state.json", os.remove, "name another folder"),
    "state empty": ("state.json", lambda p: p.write_text(""), "cannot be read"),
    "state a list": (
        "state.json",
        lambda p: p.write_text("[]"),
        r"the format .* got \[\]",
    ),
    "binary": ("state.json", lambda p: p.write_bytes(b"\xff\xfe"), "cannot be read"),
    "foreign": ("state.json", edit(format="other"), "got .*'other'"),
    "no step": ("state.json", edit(step=None), "the step of its folder .*changed"),
    "other step": ("state.json", edit(step=8), "the step of its folder .*moved"),
    "no sums": ("state.json", edit(checksums={}), "two checksums"),
}


@facts("name, spoil, message", SPOILED.values(), ids=[*SPOILED])
def test_a_spoiled_checkpoint_is_refused(tmp_path, name, spoil, message):
    path = save_checkpoint(tmp_path, checkpoint())
    spoil(path / name)
    with pytest.raises(CheckpointError, match=message):
        load_checkpoint(path)


def test_a_folder_of_something_else_is_refused(tmp_path):
    with pytest.raises(CheckpointError, match="must be the folder of a checkpoint"):
        load_checkpoint(tmp_path)


def test_the_folder_of_a_saved_model_leads_to_what_loads_it(tmp_path):
    (tmp_path / "config.json").touch()
    said = r"\); it is that of a saved model, which transformer\.load_model loads\.$"
    with pytest.raises(CheckpointError, match=said):
        load_checkpoint(tmp_path)


def test_at_least_one_is_kept(tmp_path, refuses):
    refuses(
        lambda: save_checkpoint(tmp_path, checkpoint(), keep=0),
        ValueError,
        "keep.*got 0",
    )


@facts("package", ["safetensors", "safetensors.torch"])
def test_a_package_that_reading_needs_is_named(tmp_path, monkeypatch, package):
    path = save_checkpoint(tmp_path, checkpoint())
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=r"^checkpoints need safetensors, which is"):
        load_checkpoint(path)


def test_a_missing_package_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "safetensors.torch", None)
    with pytest.raises(
        ImportError, match=r'pip install "tested-transformer\[training\]"$'
    ):
        save_checkpoint(tmp_path, checkpoint())


@facts("name", ["model.safetensors", "training.safetensors"])
def test_a_pickle_with_the_right_checksum_is_refused_and_not_run(
    name, tmp_path, malicious_pickle
):
    content, trace = malicious_pickle
    path = save_checkpoint(tmp_path, checkpoint())
    (path / name).write_bytes(content)
    state = json.loads((path / "state.json").read_text())
    state["checksums"][name] = checksum(path / name)
    (path / "state.json").write_text(json.dumps(state))
    message = f"{name} must be a file of safetensors, and is not .*: it may hold code, "
    message += r"which is never run; take an older checkpoint\.$"
    with pytest.raises(CheckpointError, match=message):
        load_checkpoint(path)
    assert not trace.exists()


def test_a_state_that_nests_without_end_is_refused(tmp_path):
    path = save_checkpoint(tmp_path, checkpoint())
    (path / "state.json").write_text("[" * 100_000)
    with pytest.raises(CheckpointError, match="cannot be read"):
        load_checkpoint(path)
