"""What a training begins with, and what its processes have in common."""

from types import SimpleNamespace

import pytest
import torch

from bookkit.checking.facts import facts
from transformer.commands.folder import Run
from transformer.commands.job import build_trainer
from transformer.commands.settings import Settings
from transformer.commands.texts import fit_tokenizer, read_splits
from transformer.data import WordTokenizer
from transformer.training import World

SMALL = {"layers": 1, "d_model": 8, "d_ff": 11, "heads": 2, "dropout": 0.3}


@pytest.fixture
def begin(monkeypatch):
    """Begin a training as one of three processes would."""
    monkeypatch.setattr(
        "transformer.commands.job.distribute", lambda model, world, **_: model
    )

    def build(rank, seed=0):
        settings = Settings(**SMALL, seed=seed)
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
