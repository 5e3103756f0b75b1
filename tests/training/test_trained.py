"""A training that the command line has saved gives its model and its tokenizer."""

import json

import pytest
import torch

import transformer
from transformer.commands.folder import Run
from transformer.data import WordTokenizer
from transformer.models import save_model
from transformer.training import (
    CheckpointError,
    load_model,
    load_training,
    save_checkpoint,
    snapshot,
)

WORDS = WordTokenizer(list("abcdefghi"))  # and four special ones: the model has 13


@pytest.fixture
def folder(tmp_path, trainer, batches):
    """The folder of a training with two checkpoints."""
    (tmp_path / "tokenizer.json").write_text(json.dumps(WORDS.to_dict()))
    for step in range(2):
        trainer.step(batches[step])
        save_checkpoint(Run(tmp_path).checkpoints, snapshot(trainer))
    return tmp_path


def test_the_newest_model_comes_with_its_tokenizer(folder, trainer):
    model, tokenizer = load_training(str(folder))
    assert tokenizer.to_dict() == WORDS.to_dict()
    assert not model.training
    for name, numbers in trainer.model.state_dict().items():
        assert torch.equal(numbers, model.state_dict()[name]), name
    assert transformer.load_training is load_training


def test_loading_a_training_draws_no_random_numbers(folder, draws_nothing):
    with draws_nothing():
        load_training(folder)


def test_a_folder_without_a_training_is_refused(tmp_path, refuses):
    message = ".* must be the folder of a training, got none with checkpoints; pass the"
    for folder in (tmp_path, tmp_path / "none"):
        refuses(lambda folder=folder: load_training(folder), CheckpointError, message)


def test_a_tokenizer_that_is_missing_or_of_others_is_refused(folder, refuses):
    others = WordTokenizer(list("abcdefg"))
    (folder / "tokenizer.json").write_text(json.dumps(others.to_dict()))
    message = ".*step-00000002.*got .* for 13"
    refuses(lambda: load_training(folder), CheckpointError, message)
    (folder / "tokenizer.json").unlink()
    message = ".*tokenizer.json must hold the tokenizer of the training, but cannot"
    refuses(lambda: load_training(folder), CheckpointError, message)


def test_each_way_to_load_a_model_names_the_one_that_was_meant(
    folder, trainer, refuses
):
    training, newest = folder, Run(folder).newest
    saved = folder / "saved"
    save_model(trainer.model, saved)
    for load, place, error, message in (
        (transformer.load_model, training, FileNotFoundError, "transformer.load_train"),
        (
            transformer.load_model,
            newest,
            FileNotFoundError,
            "got a checkpoint; transformer.training.load_model loads",
        ),
        (load_model, training, CheckpointError, "transformer.load_training loads"),
        (load_model, saved, CheckpointError, "transformer.load_model loads"),
    ):
        refuses(lambda load=load, x=place: load(x), error, f"(?s:.*){message}")
