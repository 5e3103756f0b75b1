"""Tests of trainings that several processes share."""

import shutil
import signal
import time

import psutil
import torch
from torch.testing import assert_close

from bookkit.checking.facts import NIGHT, facts
from transformer.commands.folder import Run
from transformer.training import load_checkpoint

ENDLESS = ["--steps=1000000", "--checkpoint-every=5", "--output=run"]
FLAGS = ["--steps=12", "--validate-every=12", "--checkpoint-every=6"]


def newest(folder):
    return load_checkpoint(Run(folder).newest)


def finish(process):
    out, errors = process.communicate()
    assert process.returncode == 0, errors
    return out


def wait_for_a_checkpoint(process, folder):
    """Wait as long as a training goes on, however slow the machine is."""
    while Run(folder).newest is None:
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)


@facts("kind", [[], ["--shard"], *([["--accumulate=2"]] if NIGHT else [])], ids=str)
def test_two_processes_learn_what_one_learns(tmp_path, small, command, launch, kind):
    one, two = tmp_path / "one", tmp_path / "two"
    # Batches of 12 out of 150: the last one of an epoch has 6, and 3 for each process.
    flags = ["train", *small, *FLAGS]
    out = launch(2, *flags, *kind, "--output=two", cwd=tmp_path)
    assert out.count("12 steps in") == out.count("step 12: loss ") == 1
    assert command(*flags, f"--output={one}")[0] == 0
    assert command("translate", f"--run={two}", "one")[0] == 0
    assert "now try: " in out
    ours, theirs = newest(two), newest(one)
    assert ours.step == theirs.step == 12
    whole = {name: ours.model[name] for name in theirs.model}
    assert_close(whole, dict(theirs.model), rtol=0, atol=1e-6)
    logs = [torch.tensor(point.state["log"]["steps"]) for point in (ours, theirs)]
    assert_close(*logs, rtol=1e-4, atol=1e-5)
    validations = [point.state["log"]["validations"] for point in (ours, theirs)]
    assert_close(*map(torch.tensor, validations), rtol=1e-5, atol=1e-5)


def test_two_processes_go_on_as_if_they_had_never_stopped(tmp_path, small, launch):
    flags = ["train", *small, "--dropout=0.3", "--steps=8", "--checkpoint-every=4"]
    whole = tmp_path / "whole"
    launch(2, *flags, "--output=whole", cwd=tmp_path)
    expected = newest(whole)
    shutil.rmtree(Run(whole).newest)
    assert newest(whole).step == 4
    out = launch(2, *flags, "--output=whole", cwd=tmp_path)
    assert "going on after step 4 of 8" in out
    found = newest(whole)
    states = [found.training[f"random/cpu/{rank}"] for rank in (0, 1)]
    assert not torch.equal(*states)  # each has dropped values of its own
    assert_close(dict(found.model), dict(expected.model), rtol=0, atol=0)
    assert_close(dict(found.training), dict(expected.training), rtol=0, atol=0)


def test_a_batch_smaller_than_the_processes_is_learned(tmp_path, small, launch):
    flags = ["--batch-size=1", "--steps=4", "--validate-every=2"]
    launch(2, "train", *small, *flags, "--output=run", cwd=tmp_path)
    assert newest(tmp_path / "run").step == 4


def test_ctrl_c_ends_all_processes_after_one_step(tmp_path, small, torchrun):
    process = torchrun(2, "train", *small, *ENDLESS, cwd=tmp_path)
    wait_for_a_checkpoint(process, tmp_path / "run")
    process.send_signal(signal.SIGINT)  # to torchrun, which tells the processes
    _, errors = process.communicate()
    assert process.returncode != 0
    step = newest(tmp_path / "run").step
    assert 0 < step < 1_000_000
    assert errors.count(f"step {step} is saved in") == 1
    assert errors.count("transformer: ") == 1
    go_on = "-m torch.distributed.run --nproc-per-node 2 -m transformer train"
    assert f"{go_on} --examples=150" in errors


def test_a_lost_process_ends_the_training_and_it_can_go_on(tmp_path, small, torchrun):
    process = torchrun(2, "train", *small, *ENDLESS, cwd=tmp_path)
    wait_for_a_checkpoint(process, tmp_path / "run")
    workers = psutil.Process(process.pid).children()
    [second] = [worker for worker in workers if worker.environ().get("RANK") == "1"]
    second.kill()
    process.communicate()
    assert process.returncode != 0
    assert 0 < newest(tmp_path / "run").step < 1_000_000
