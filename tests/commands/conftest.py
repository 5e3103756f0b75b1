"""A training as a reader starts it, and the command line called from within."""

import json
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import jaxtyping
import psutil
import pytest
from filelock import FileLock

from transformer.commands import main

SAID = "said.txt"  # what the training of `trained` has printed
SMALL = [
    "--examples=150",
    "--layers=1",
    "--d-model=16",
    "--d-ff=16",
    "--heads=2",
    "--batch-size=12",
    "--warmup=3",
]


@pytest.fixture(scope="session")
def trained(tmp_path_factory, worker_id):
    """The folder in which `train` without arguments has saved, once for all tests."""
    place = tmp_path_factory.getbasetemp()
    if worker_id != "master":
        place = place.parent  # which the processes of one run share
    run = place / "runs" / "numbers"
    with FileLock(place / "trained.lock"):
        if not run.exists():
            train(place)
    return run


def train(place):
    """Train in a folder as a reader does."""
    command = [sys.executable, "-m", "transformer", "train"]
    done = subprocess.run(command, cwd=place, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"saved in {Path('runs') / 'numbers'}" in done.stdout.splitlines()
    (place / "runs" / SAID).write_text(done.stdout, encoding="utf-8")


@pytest.fixture
def said(trained):
    """The lines that the training of `trained` has printed."""
    return (trained.parent / SAID).read_text(encoding="utf-8").splitlines()


@pytest.fixture
def small():
    """Flags of a training that takes a moment."""
    return SMALL


def call(arguments):
    """Run a command in this process, without the type checks of the tests."""
    jaxtyping.config.update("jaxtyping_disable", True)
    try:
        return main([str(argument) for argument in arguments])
    except SystemExit as exit:  # how the parser of arguments ends
        return exit.code
    finally:
        jaxtyping.config.update("jaxtyping_disable", False)


@pytest.fixture
def command(capsys):
    """Run a command in this process; return exit code, output and errors."""
    return lambda *arguments: (call(arguments), *capsys.readouterr())


@pytest.fixture
def refused(command):
    """Run a command that is refused, in one sentence with some words; return it."""

    def run(*arguments, words):
        code, out, errors = command(*arguments)
        assert (code, out.strip()) == (2, ""), errors
        assert errors.startswith("transformer: ")
        assert len(errors.splitlines()) == 1
        assert all(word in errors for word in words), (words, errors)
        return errors

    return run


@pytest.fixture(scope="session")
def short_training(tmp_path_factory):
    """A folder of 8 steps of training, to be copied, and the words that train it."""
    folder = tmp_path_factory.mktemp("short") / "run"
    words = ["train", *SMALL, "--steps=8", "--checkpoint-every=2"]
    assert call([*words, f"--output={folder}"]) == 0
    return folder, words


@pytest.fixture(scope="session")
def launcher():
    """What starts processes that have imported everything, for all tests."""
    program = [sys.executable, Path(__file__).with_name("launched.py")]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(program, **pipes) as process:
        yield process
        process.stdin.close()


@pytest.fixture
def launch(launcher):
    """Run a command in several processes to its end; return what they printed."""

    def run(processes, *arguments, cwd):
        asked = {"folder": str(cwd), "arguments": arguments, "processes": processes}
        print(json.dumps(asked), file=launcher.stdin, flush=True)
        codes, out, errors = json.loads(launcher.stdout.readline())
        assert codes == [0] * processes, errors
        return out

    return run


@pytest.fixture
def torchrun():
    """Start a command in several processes; return the process of `torchrun`."""
    started = []

    def start(processes, *arguments, cwd):
        process = subprocess.Popen(
            [
                *(sys.executable, "-m", "torch.distributed.run", "--standalone"),
                *("--nproc-per-node", str(processes), "-m", "transformer"),
                *map(str, arguments),
            ],
            cwd=cwd,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(psutil.Process(process.pid))
        return process

    yield start
    for process in started:  # of which a test that fails may leave some
        with suppress(psutil.NoSuchProcess):
            for each in [*process.children(recursive=True), process]:
                each.kill()
