"""The command `train`: what it begins with, how it goes on, what it tells."""

import shlex
import shutil
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import safetensors
import torch

from bookkit.checking.facts import facts
from transformer.commands.computing import set_threads
from transformer.commands.flags import RUN, SMALL, Computing
from transformer.commands.folder import Run
from transformer.commands.main import parser
from transformer.commands.settings import Settings
from transformer.commands.texts import fit_tokenizer, read_splits
from transformer.commands.train import build_trainer, sample_lines
from transformer.data import TASKS, Pair, WordTokenizer
from transformer.training import World, list_checkpoints, load_checkpoint

SIZES = {"layers": 1, "d_model": 8, "d_ff": 11, "heads": 2, "dropout": 0.3}


@pytest.fixture
def begin(monkeypatch):
    """Begin a training as one of three processes would."""
    monkeypatch.setattr(
        "transformer.training.distribute", lambda model, world, **_: model
    )

    def build(rank, seed=0):
        settings = Settings(**SIZES, seed=seed)
        world = World(rank=rank, size=3)
        trainer = build_trainer(settings, WordTokenizer(["a"]), world)
        # what the first layers of dropout will draw
        return SimpleNamespace(model=trainer.model, drawn=torch.rand(7).tolist())

    return build


@facts("kind", ["words", "subwords"])
def test_only_the_text_to_learn_from_gives_tokens(tmp_path, command, small, kind):
    (tmp_path / "mine.tsv").write_text(
        "".join(f"cat{n} sleeps\tchat{n} dort\n" for n in range(60, 100))
    )
    flags = [f"--pairs={tmp_path / 'mine.tsv'}", f"--tokenizer={kind}", "--steps=4"]
    assert command("train", *small, *flags, f"--output={tmp_path / 'run'}")[0] == 0
    _, tokenizer, settings = Run(tmp_path / "run").load()
    expected = fit_tokenizer(settings, read_splits(settings, print).train)
    assert tokenizer.to_dict() == expected.to_dict()


@facts("seed", [0, 13])
def test_all_processes_begin_with_the_same_parameters(begin, seed):
    first, *others = (begin(rank, seed).model.state_dict() for rank in range(3))
    for other in others:
        assert all(torch.equal(other[name], first[name]) for name in first)


@facts("seed", [0, 13])
def test_each_process_drops_values_of_its_own(begin, seed):
    drawn = [begin(rank, seed).drawn for rank in range(3)]
    assert len(set(map(tuple, drawn))) == 3
    assert begin(2, seed).drawn == drawn[2]


def test_the_seed_decides_parameters_and_dropout(begin):
    one, other = begin(0, 1), begin(0, 2)
    assert one.drawn != other.drawn
    name = "encoder.layers.0.self_attention.query_projection.weight"
    assert not torch.equal(one.model.state_dict()[name], other.model.state_dict()[name])


def test_the_same_command_goes_on(short_training, tmp_path, command):
    begun, words = short_training
    folder = shutil.copytree(begun, tmp_path / "run")
    whole = load_checkpoint(Run(folder).newest)
    shutil.rmtree(folder / "checkpoints" / "step-00000008")
    code, out, _ = command(*words, f"--run={folder}")  # the other name of --output
    assert code == 0
    assert "going on after step 6 of 8" in out
    assert "2 steps in" in out
    found = load_checkpoint(Run(folder).newest)
    for tensors, others in (
        (found.model, whole.model),
        (found.training, whole.training),
    ):
        assert all(torch.equal(tensors[name], others[name]) for name in others)
    out = command(*words, f"--output={folder}")[1]
    assert "this training was finished after 8 steps" in out


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
    assert (
        "extending a training of 4 steps to 9: the weights will be those of all" in out
    )
    assert "going on after step 4 of 9" in out
    assert extended == whole
    assert Run(tmp_path / "parts").load()[2].steps == 9


def test_an_extended_cosine_goes_on_as_that_of_the_longer_training(
    tmp_path, command, small
):
    flags = [flag for flag in small if "warmup" not in flag]
    out, _ = trained_for(command, tmp_path, flags, 8)
    assert "the warm-up takes 2 of the 8 steps, instead of 50" in out
    out, _ = trained_for(command, tmp_path, flags, 16)
    assert "the weights will not be those of all steps in one go; --overwrite" in out
    log = load_checkpoint(Run(tmp_path).newest).state["log"]["steps"]
    short, long = (Settings(steps=n, warmup=n // 4) for n in (8, 16))
    expected = [short.learning_rate_at(n) for n in range(1, 9)]
    expected += [long.learning_rate_at(n) for n in range(9, 17)]
    assert [rate for _, _, rate, _ in log] == expected


def test_after_a_full_disk_the_training_goes_on_to_the_same_end(
    tmp_path, short_training, command, monkeypatch
):
    straight, words = short_training
    write, written = safetensors.torch.save_file, []

    def fill(tensors, path):
        written.append(path)
        if len(written) == 6:
            raise safetensors.SafetensorError("No space left (os error 28)")
        write(tensors, path)

    with monkeypatch.context() as patch:
        patch.setattr("safetensors.torch.save_file", fill)
        code, out, errors = command(*words, f"--output={tmp_path}")
    assert (code, "saved in" in out) == (2, False)
    assert "cannot be read or written: [Errno 28] No space left" in errors
    saved = [x.name for x in list_checkpoints(tmp_path / "checkpoints")]
    assert saved == ["step-00000002", "step-00000004"]
    code, out, _ = command(*words, f"--output={tmp_path}")
    assert (code, "going on after step 4 of 8" in out) == (0, True)
    found, expected = (load_checkpoint(Run(x).newest) for x in (tmp_path, straight))
    assert all(torch.equal(x, expected.model[name]) for name, x in found.model.items())


def test_patience_ends_a_training(tmp_path, command, small):
    flags = ["--steps=99", "--validate-every=1", "--patience=1", "--learning-rate=9"]
    command("train", *small, *flags, f"--output={tmp_path}")
    assert 0 < load_checkpoint(Run(tmp_path).newest).step < 99


FILES = {
    "pairs": b"".join(b"a %d b\tx y %d\n" % (i, i) for i in range(9)),
    "words": b"one\ntwo\n",
    "bytes": b"\xff\xfe\tx\n" * 3,
    "two": b"a\tb\nc\td\n",
    "same": b"a\tb\tc\n" * 50,
}
REFUSED = {
    "few examples": (["--examples=9"], ["train", "105"]),
    "settings before a file": (["--pairs=no.tsv", "--warmup=99"], ["got 99"]),
    "a file before a device": (["--device=abacus", "--pairs=no.tsv"], ["no.tsv"]),
    "no file": (["--pairs=no.tsv"], ["no.tsv", "check the name"]),
    "short texts only": (["--max-length=1", "--pairs={pairs}"], ["--max-length"]),
    "a file without tabs": (["--pairs={words}"], ["line"]),
    "bytes": (["--pairs={bytes}"], ["not UTF-8"]),
    "two pairs": (["--pairs={two}"], ["--pairs", "3 different sources", "got 2"]),
    "one pair again and again": (["--pairs={same}"], ["49 left out, duplicate"]),
    "a loss that explodes": (["--learning-rate=1e30", "--warmup=0"], ["finite"]),
}


@facts("flags, words", REFUSED.values(), ids=[*REFUSED])
def test_what_cannot_be_learned_is_refused(tmp_path, command, small, flags, words):
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content)
    said = [flag.format(**{name: tmp_path / name for name in FILES}) for flag in flags]
    output = f"--output={tmp_path / 'run'}"
    code, out, errors = command("train", *small, "--steps=30", output, *said)
    assert (code, "saved in" in out) == (2, False)
    assert errors.startswith("transformer: ")
    assert all(word in errors for word in words)


@facts(
    "said, d_model, chosen, found",
    [
        (None, SMALL - 1, None, 1),
        (None, SMALL, None, 2),
        (None, SMALL - 1, "OMP_NUM_THREADS", 2),
        (None, SMALL - 1, "MKL_NUM_THREADS", 2),
        (3, SMALL - 1, "OMP_NUM_THREADS", 3),
    ],
)
def test_small_models_take_one_thread_unless_told(
    monkeypatch, said, d_model, chosen, found
):
    for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)
    if chosen:
        monkeypatch.setenv(chosen, "2")
    torch.set_num_threads(2)
    set_threads(Computing(threads=said), d_model=d_model)
    assert torch.get_num_threads() == found
    torch.set_num_threads(1)


@facts("name", ["train", "translate", "evaluate"])
def test_each_command_sets_the_threads(
    short_training, tmp_path, command, monkeypatch, name
):
    begun, (_, *words) = short_training
    folder = shutil.copytree(begun, tmp_path / "run")
    monkeypatch.setattr("transformer.commands.evaluate.scores", lambda *_, **__: {})
    flags = {"train": words, "translate": ["one"], "evaluate": ["--json"]}[name]
    assert command(name, f"--run={folder}", *flags, "--threads=2")[0] == 0
    assert torch.get_num_threads() == 2
    torch.set_num_threads(1)


def test_train_ends_with_samples_and_the_next_command(
    trained, said, command, monkeypatch
):
    sources, targets = zip(*TASKS["numbers"](seed=0).validation[:3], strict=True)
    run = Path("runs") / "numbers"
    *samples, python, last = said[said.index(f"saved in {run}") + 2 :]
    assert python == f"in Python: transformer.load_training({str(run)!r})"
    assert samples[::2] == [f"  {source}" for source in sources]
    assert samples[1::2] == [f"    -> {target} (right)" for target in targets]
    monkeypatch.chdir(trained.parents[1])
    start, _, *arguments = shlex.split(last.removeprefix("now try: "))
    assert (start, arguments[0]) == (sys.executable, "transformer")
    assert command(*arguments[1:])[1] == f"{targets[0]}\n"


@pytest.fixture
def told(monkeypatch):
    """Return what is told of a training, without a training."""

    def tell(folder, texts, unknown=(), found=()):
        tokenizer = SimpleNamespace(
            unknown=lambda text: [word for word in text.split() if word in unknown]
        )
        loaded = (torch.nn.Identity(), tokenizer, None)
        monkeypatch.setattr(Run, "load", lambda run: loaded)
        monkeypatch.setattr(
            "transformer.commands.train.translate", lambda *_: found or texts[:3]
        )
        pairs, device = [Pair(text, "x") for text in texts], torch.device("cpu")
        return list(sample_lines(Run(Path(folder)), pairs, device))

    return tell


@facts("text", ["- a b", "--help", "--run=x", "-1", "--", "a -b", "it's -- so"])
@facts("folder", [RUN, "-a folder"])
def test_the_next_command_reads_the_text_as_text(text, folder, told):
    words = shlex.split(told(folder, [text, "another"])[-1].removeprefix("now try: "))
    arguments = words[words.index("transformer") + 1 :]
    said = parser().parse_args(arguments)
    assert (said.texts, getattr(said, "run", RUN)) == ([text], folder)
    assert ("--" in arguments[:-1]) == text.startswith("-")  # only where it is needed


def test_the_next_command_has_a_text_whose_words_are_known(told):
    texts = ["a new cat", "a cat, new", "the new one", "an old cat", "a cat"]
    assert told(RUN, texts, unknown=["new"])[-1].endswith("translate 'an old cat'")
    assert "now try" not in told(RUN, texts[:3], unknown=["new"])[-1]


def test_samples_show_what_the_text_has_instead(told):
    lines = told(RUN, ["a", "b"], found=["", "x"])
    assert lines[2::2][:2] == ["    -> (nothing) (the text has: x)", "    -> x (right)"]
