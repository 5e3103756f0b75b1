"""Tests of trainings that are killed, and go on."""

import shlex
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
import torch

from bookkit.checking.facts import facts
from transformer.commands.folder import Run
from transformer.commands.train import interruptible
from transformer.training import Trainer, TrainingError, load_checkpoint

KILLED = Path(__file__).with_name("killed.py")
FLAGS = ["--steps=150", "--checkpoint-every=2", "--dropout=0.2", "--validate-every=7"]


def train(folder, kills, flags):
    command = [sys.executable, KILLED, folder, str(kills), *flags]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return [int(line) for line in done.stdout.split()]


@pytest.fixture(autouse=True)
def heard():
    """Hear Ctrl-C, also where a shell has started the tests in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def ctrl_c(monkeypatch):
    """Press Ctrl-C in the middle of some steps."""

    def press(*steps):
        whole = Trainer._backward

        def pressed(trainer, batch):
            for step in steps:
                if trainer.steps + 1 == step:
                    signal.raise_signal(signal.SIGINT)
            return whole(trainer, batch)

        monkeypatch.setattr(Trainer, "_backward", pressed)

    return press


@facts("error", [None, KeyboardInterrupt, TrainingError, OSError])
def test_ctrl_c_is_given_back_however_a_training_ends(tmp_path, error):
    before = signal.getsignal(signal.SIGINT)
    with suppress(Exception, KeyboardInterrupt), interruptible(Run(tmp_path)) as asked:
        assert signal.getsignal(signal.SIGINT) == asked.ask
        if error is not None:
            raise error
    assert signal.getsignal(signal.SIGINT) is before


def test_ctrl_c_saves_its_step_and_says_how_to_go_on(
    tmp_path, small, command, ctrl_c, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    flags = [*small, "--steps=9", "--dropout=0.2", "--validate-every=2"]
    assert command("train", *flags, "--output=whole")[0] == 0
    ctrl_c(5)
    flags += ["--output=a run", "--checkpoint-every=50"]
    code, out, errors = command("train", *flags, "--overwrite")
    place = Run(Path("a run"))
    assert (code, place.newest.name) == (130, "step-00000005")
    assert "saved" not in out
    assert len(errors.splitlines()) == 1
    start, go_on = errors.split(" Go on with: ")
    assert start == (f"transformer: interrupted; step 5 is saved in {place.newest}.")
    python, _, _, *arguments = shlex.split(go_on)
    assert python == sys.orig_argv[0]
    assert "--overwrite" not in arguments
    code, out, _ = command(*arguments)
    assert code == 0
    assert "going on after step 5 of 9" in out
    newest = [Run(Path("whole")).newest, place.newest]
    one, other = ((path / "model.safetensors").read_bytes() for path in newest)
    assert one == other


def test_a_second_ctrl_c_breaks_the_step_off(tmp_path, small, command, ctrl_c):
    ctrl_c(5, 5)
    flags = ["train", *small, "--steps=9", f"--output={tmp_path}"]
    code, _, errors = command(*flags, "--checkpoint-every=3")
    assert code == 130
    assert Run(tmp_path).newest.name == "step-00000003"
    assert "step 3 is saved in" in errors


def test_ctrl_c_before_anything_is_saved_says_how_to_begin_again(
    tmp_path, small, command, ctrl_c
):
    ctrl_c(1, 1)
    flags = ["train", *small, "--steps=9", f"--output={tmp_path}"]
    code, _, errors = command(*flags)
    assert code == 130
    assert "interrupted; nothing is saved. Go on with: " in errors
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ctrl_c_in_the_last_step_ends_as_without(tmp_path, small, command, ctrl_c):
    ctrl_c(9)
    flags = ["train", *small, "--steps=9", f"--output={tmp_path}"]
    code, out, errors = command(*flags)
    assert (code, errors) == (0, "")
    assert "now try: " in out


@facts("rank, told", [(None, True), ("0", True), ("1", False)])
def test_ctrl_c_elsewhere_is_no_traceback_and_told_by_one_process(
    command, monkeypatch, rank, told
):
    def press(*arguments):
        signal.raise_signal(signal.SIGINT)

    monkeypatch.delenv("RANK", raising=False)
    if rank is not None:
        monkeypatch.setenv("RANK", rank)
    monkeypatch.setattr("transformer.commands.translate.read_lines", press)
    assert command("translate") == (130, "", "transformer: interrupted.\n" * told)


def test_ten_ends_at_random_moments_change_no_bit(tmp_path, small):
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


def test_a_translation_says_that_the_training_has_not_ended(
    tmp_path, small, command, ctrl_c
):
    ctrl_c(5)
    flags = ["train", *small, "--steps=9", f"--output={tmp_path}"]
    command(*flags)
    code, _, errors = command("translate", f"--run={tmp_path}", "one")
    assert (code, errors) == (0, "this training stands at step 5 of 9.\n")
    command(*flags)
    code, _, errors = command("translate", f"--run={tmp_path}", "one")
    assert (code, errors) == (0, "")
