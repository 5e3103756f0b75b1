"""Tests of trainings that are killed, and go on."""

import json
import subprocess
import sys
from pathlib import Path

import torch

from transformer.commands.folder import Run
from transformer.training import load_checkpoint

KILLED = Path(__file__).with_name("killed.py")
FLAGS = ["--steps=150", "--checkpoint-every=2", "--dropout=0.2", "--validate-every=7"]


def train(folder, kills, flags):
    command = [sys.executable, KILLED, folder, str(kills), *flags]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return [int(line) for line in done.stdout.split()]


def test_ten_kills_at_random_moments_change_no_bit(tmp_path, small):
    killed, whole = tmp_path / "killed", tmp_path / "whole"
    train(whole, 0, [*small, *FLAGS])
    reached = train(killed, 10, [*small, *FLAGS])
    assert len(reached) == 10
    assert reached == sorted(reached)
    assert 0 < reached[-1] < 150
    first, second = (load_checkpoint(Run(path).newest) for path in (whole, killed))
    assert first.step == second.step == 150
    for tensors, others in (
        (first.model, second.model),
        (first.training, second.training),
    ):
        assert tensors.keys() == others.keys()
        assert all(torch.equal(tensors[name], others[name]) for name in tensors)
    assert first.state["log"] == second.state["log"]


def test_a_training_that_was_killed_before_its_first_step_starts(
    tmp_path, small, command
):
    for name in ("tokenizer.json", "settings.json.part"):
        (tmp_path / name).write_text("{")
    code, out, _ = command("train", *small, "--steps=4", f"--output={tmp_path}")
    assert code == 0
    assert "4 steps" in out
    assert json.loads((tmp_path / "settings.json").read_text())["steps"] == 4


def test_a_file_that_is_gone_is_written_again(tmp_path, small, command):
    flags = ["train", *small, "--steps=4", f"--output={tmp_path}"]
    command(*flags)
    (tmp_path / "tokenizer.json").unlink()
    assert command(*flags)[0] == 0
    assert command("translate", f"--run={tmp_path}", "one")[0] == 0


def test_the_same_command_goes_on(tmp_path, small, command):
    flags = ["train", *small, "--steps=9", "--checkpoint-every=3"]
    command(*flags, f"--output={tmp_path}")
    checkpoints = sorted((tmp_path / "checkpoints").iterdir())
    assert [path.name[-1] for path in checkpoints] == ["6", "9"]
    for path in checkpoints[-1].iterdir():
        path.unlink()
    checkpoints[-1].rmdir()
    code, out, _ = command(*flags, f"--output={tmp_path}")
    assert code == 0
    assert "going on after step 6 of 9" in out
    assert "3 steps in" in out
    _, out, _ = command(*flags, f"--output={tmp_path}")
    assert "this training was finished: 9 steps were taken" in out
