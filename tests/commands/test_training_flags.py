"""Tests of the flags of `train`: their groups, defaults and threads."""

import shutil
from dataclasses import fields

import pytest
import torch

from bookkit.checking.facts import facts
from transformer.commands.computing import set_threads
from transformer.commands.flags import SMALL
from transformer.commands.folder import Run
from transformer.commands.saved_settings import read_settings
from transformer.commands.settings import Settings
from transformer.commands.training_flags import GROUPS, as_flag
from transformer.training import load_checkpoint


def test_each_setting_is_in_one_group():
    grouped = [name for names in GROUPS.values() for name in names]
    assert sorted(grouped) == sorted(item.name for item in fields(Settings))


def test_the_help_shows_the_groups_and_each_default(command):
    _, out, _ = command("train", "--help")
    for title, names in GROUPS.items():
        block = out.split(f"\n{title}:\n")[1].split("\n\n")[0]
        assert all(f"\n  {as_flag(name)} " in f"\n{block}" for name in names)
    assert "(default: 600)" in out


@facts(
    "flags, warmup",
    [
        (["--steps=4"], 1),
        (["--steps=7"], 1),
        (["--steps=4", "--warmup=2"], 2),
        (["--steps=4", "--schedule=constant"], 50),
    ],
)
def test_a_short_training_warms_up_for_a_quarter_and_says_so(
    tmp_path, command, small, flags, warmup
):
    without = [flag for flag in small if "warmup" not in flag]
    code, out, _ = command("train", *without, *flags, f"--output={tmp_path}")
    assert code == 0
    assert read_settings(tmp_path / "settings.json").warmup == warmup
    said = f"warms up for 1 step, a quarter of {flags[0][-1]}, instead of 50" in out
    assert said == (warmup == 1)


@facts("steps", ["1 step", "3 steps"])
def test_a_training_too_short_for_a_warm_up_has_none(tmp_path, command, small, steps):
    without = [flag for flag in small if not flag.startswith(("--warmup", "--steps"))]
    flags = [f"--steps={steps[0]}", "--validate-every=0", f"--output={tmp_path}"]
    _, out, _ = command("train", *without, *flags)
    assert out.startswith(
        "the learning rate begins at its peak: there is no warm-up in " + steps + "\n"
    )


def test_what_is_missing_is_said_before_what_would_follow(tmp_path, command):
    path = tmp_path / "pairs.tsv"
    path.touch()
    flags = [f"--pairs={path}", "--steps=8", f"--output={tmp_path / 'run'}"]
    code, out, errors = command("train", *flags)
    assert code == 2
    assert "must hold at least one pair" in errors
    assert "warms up" not in out


@pytest.fixture
def threads(monkeypatch):
    """Two threads, as on a machine of two cores where nothing is set; one after."""
    for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)
    torch.set_num_threads(2)
    yield monkeypatch
    torch.set_num_threads(1)


@facts(
    "said, d_model, chosen, found",
    [
        (None, SMALL - 1, None, 1),
        (None, SMALL, None, 2),
        (None, SMALL - 1, "OMP_NUM_THREADS", 2),
        (None, SMALL - 1, "MKL_NUM_THREADS", 2),
        (3, SMALL - 1, "OMP_NUM_THREADS", 3),
        (3, SMALL, None, 3),
    ],
)
def test_small_models_take_one_thread_unless_told(
    threads, monkeypatch, said, d_model, chosen, found
):
    torch.set_num_threads(2)
    if chosen:
        monkeypatch.setenv(chosen, "2")
    set_threads(said, d_model=d_model)
    assert torch.get_num_threads() == found


@facts("name", ["train", "translate", "evaluate"])
def test_each_command_sets_the_threads(
    threads, short_training, tmp_path, command, name
):
    begun, (_, *words) = short_training
    folder = shutil.copytree(begun, tmp_path / "run")
    threads.setattr("transformer.commands.evaluate.scores", lambda *_, **__: {"x": 1})
    flags = {
        "train": [*words, f"--output={folder}"],
        "translate": ["one"],
        "evaluate": ["--json"],
    }
    run = [] if name == "train" else [f"--run={folder}"]
    assert command(name, *run, *flags[name])[0] == 0
    assert torch.get_num_threads() == 1
    assert command(name, *run, *flags[name], "--threads=2")[0] == 0
    assert torch.get_num_threads() == 2


def trained_for(command, folder, small, steps, *flags):
    code, out, errors = command(
        *("train", *small, *flags, f"--steps={steps}", f"--output={folder}")
    )
    assert (code, errors) == (0, "")
    return out, (Run(folder).newest / "model.safetensors").read_bytes()


@facts("schedule", ["constant", "noam"])
def test_an_extended_training_is_that_in_one_go(tmp_path, command, small, schedule):
    flags = [*small, f"--schedule={schedule}", "--dropout=0.2"]
    _, whole = trained_for(command, tmp_path / "whole", flags, 9)
    trained_for(command, tmp_path / "parts", flags, 4)
    out, extended = trained_for(command, tmp_path / "parts", flags, 9)
    assert "extending a training of 4 steps to 9: the weights will be those of 9" in out
    assert "going on after step 4 of 9" in out
    assert extended == whole
    assert read_settings(tmp_path / "parts" / "settings.json").steps == 9


def test_an_extended_cosine_goes_on_as_that_of_the_longer_training(
    tmp_path, command, small
):
    flags = [flag for flag in small if "warmup" not in flag]
    trained_for(command, tmp_path, flags, 8)
    out, _ = trained_for(command, tmp_path, flags, 16)
    assert "the weights will not be those of 16 steps in one go" in out
    log = load_checkpoint(Run(tmp_path).newest).state["log"]["steps"]
    short, long = (Settings(steps=n, warmup=n // 4) for n in (8, 16))
    expected = [short.learning_rate_at(n) for n in range(1, 9)]
    expected += [long.learning_rate_at(n) for n in range(9, 17)]
    assert [rate for _, _, rate, _ in log] == expected


@facts(
    "flags, message",
    [
        (["--steps=8"], "--steps 8 instead of 9"),
        (["--steps=20", "--seed=1"], "--steps 20 instead of 9, --seed 1 instead of 0"),
        (["--steps=20", "--warmup=4"], "--warmup 4 instead of 3"),
    ],
)
def test_nothing_but_more_steps_extends(tmp_path, command, small, flags, message):
    trained_for(command, tmp_path, small, 9)
    code, _, errors = command("train", *small, *flags, f"--output={tmp_path}")
    assert code == 2
    assert message in errors
    assert read_settings(tmp_path / "settings.json").steps == 9
