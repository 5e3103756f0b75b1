"""A language model on the command line: `train --text`, and what goes on from there."""

import json
import shutil

import pytest
import torch

from bookkit.checking.facts import facts
from transformer import load_training
from transformer.commands import write
from transformer.commands.flags import SettingsError
from transformer.commands.settings import Settings, read_settings
from transformer.commands.texts import split_texts
from transformer.data import CharacterTokenizer, SubwordTokenizer
from transformer.models import DecoderOnlyTransformer
from transformer.training import list_checkpoints, load_checkpoint

LINES = "".join(f"the {n}th line of {n % 7} words\n" for n in range(400))
SMALL = [
    "--vocab-size=300",
    "--max-length=16",
    "--layers=1",
    "--d-model=12",
    "--d-ff=10",
    "--heads=2",
    "--batch-size=3",
    "--steps=6",
    "--warmup=2",
    "--checkpoint-every=3",
    "--validate-every=3",
]


@pytest.fixture
def text(tmp_path):
    """A file of text."""
    path = tmp_path / "lines.txt"
    path.write_text(LINES, encoding="utf-8")
    return path


@pytest.fixture
def trained(command, text, tmp_path):
    """The folder of a training on that text, and what it has printed."""
    folder = tmp_path / "run"
    code, out, errors = command("train", "--text", text, *SMALL, f"--output={folder}")
    assert (code, errors) == (0, "")
    return folder, out


def test_a_training_ends_in_a_text_and_a_command_that_goes_on(trained):
    folder, out = trained
    assert f"saved in {folder}" in out
    assert "how it goes on" in out
    assert f"write --run={folder}" in out.splitlines()[-1]


def test_each_validation_is_told_beside_the_loss_of_the_steps_before_it(trained):
    folder, out = trained
    log = load_checkpoint(list_checkpoints(folder / "checkpoints")[-1]).state["log"]
    losses = [loss for _, loss, _, _ in log["steps"]]
    told = [line for line in out.splitlines() if line.startswith("step ")]
    assert told == [
        f"step {step}: loss {sum(losses[step - 3 : step]) / 3:.3f} in training, "
        f"{held_out:.3f} in validation"
        for step, held_out in log["validations"]
    ]
    assert len(told) == 2


def test_what_is_trained_is_a_small_llama_that_reads_windows(trained):
    model, tokenizer = load_training(trained[0])
    assert isinstance(model, DecoderOnlyTransformer)
    assert isinstance(tokenizer, SubwordTokenizer)
    config = model.config
    assert (config.position, config.norm, config.activation) == (
        "rotary",
        "rms",
        "silu",
    )
    assert (config.gated, config.bias, config.dropout) == (True, False, 0.1)
    assert (config.max_len, config.d_model, config.num_decoder_layers) == (16, 12, 1)


def test_a_training_that_was_interrupted_goes_on_to_the_same_weights(
    trained, command, text, tmp_path
):
    folder, other = trained[0], tmp_path / "other"
    shutil.copytree(folder, other)
    shutil.rmtree(other / "checkpoints" / "step-00000006")
    code, out, _ = command("train", "--text", text, *SMALL, f"--output={other}")
    assert code == 0
    assert "going on after step 3 of 6" in out
    for found, expected in zip(
        load_training(other)[0].parameters(),
        load_training(folder)[0].parameters(),
        strict=True,
    ):
        assert torch.equal(found, expected)


def test_write_goes_on_from_the_folder(trained, command):
    found = [
        command("write", f"--run={trained[0]}", "the 3th", "--seed=5") for _ in "ab"
    ]
    (code, out, errors), again = found
    assert code == 0
    assert out.startswith("the 3th")
    assert len(out) > 10
    assert " a second" in errors
    assert again[1] == out


def test_what_write_goes_on_with_begins_as_the_text_of_the_training(
    trained, command, monkeypatch
):
    def generate(model, tokens, **options):
        read.append(tokens.tolist())

    read = []
    monkeypatch.setattr(write, "generate", generate)
    assert command("write", f"--run={trained[0]}", "the 3th")[0] == 0
    _, tokenizer = load_training(trained[0])
    assert read == [[tokenizer.encode("\nthe 3th")]]


def test_evaluate_tells_bits_of_the_held_out_text(trained, command):
    code, out, _ = command("evaluate", f"--run={trained[0]}", "--json")
    found = json.loads(out)
    assert code == 0
    assert 0 < found["bits_per_character"] < 9
    assert found["perplexity"] > 1
    code, out, _ = command("evaluate", f"--run={trained[0]}", "--split=validation")
    assert "characters of the validation split" in out


def test_what_translates_does_not_take_it(trained, refused, short_training):
    folder = trained[0]
    refused("translate", f"--run={folder}", "one", words=["language model", "write"])
    other = short_training[0]
    refused("write", f"--run={other}", "one", words=["--text", "translate"])


def test_one_model_writes(trained, refused):
    run = f"--run={trained[0]}"
    refused("write", run, "--model=verses", "one", words=["--run and --model"])
    refused("write", run, "--chat", "one", words=["--chat", "goes on"])


def test_another_text_is_refused_in_the_same_folder(trained, refused, text):
    text.write_text(LINES.replace("line", "lime"), encoding="utf-8")
    words = ["SHA-256", "--overwrite"]
    folder = trained[0]
    refused("train", "--text", text, *SMALL, f"--output={folder}", words=words)


def test_letters_are_tokens_where_that_is_asked_for(command, text, tmp_path):
    flags = [flag for flag in SMALL if not flag.startswith("--vocab-size")]
    folder = tmp_path / "letters"
    flags += ["--tokenizer=characters", f"--output={folder}"]
    assert command("train", "--text", text, *flags)[0] == 0
    assert isinstance(load_training(folder)[1], CharacterTokenizer)


@facts("content, words", [("", ["got none"]), ("a b\n", ["--text", "short|hold out"])])
def test_a_text_that_is_too_short_is_refused(content, words, refused, tmp_path):
    path = tmp_path / "short.txt"
    path.write_text(content, encoding="utf-8")
    said = refused("train", "--text", path, *SMALL, words=[])
    assert any(word in said for word in "|".join(words).split("|"))


def test_files_that_are_not_there_are_named(refused, tmp_path):
    refused("train", "--text", tmp_path / "no.txt", *SMALL, words=["no.txt"])
    refused("train", "--text", tmp_path, *SMALL, words=["folder"])


def test_the_end_of_each_text_is_held_out():
    texts = [LINES, LINES.upper()]
    splits = split_texts(texts)
    assert ["".join(parts) for parts in zip(*splits, strict=True)] == texts
    for split in splits:
        assert all(part.endswith("\n") for part in split)
    assert len(splits.train[0]) == pytest.approx(0.9 * len(LINES), rel=0.01)
    assert len(splits.test[0]) == pytest.approx(0.05 * len(LINES), rel=0.1)


def test_a_text_of_one_line_is_cut_within_it():
    splits = split_texts(["x" * 1000 + "\n"])
    assert [len(part[0]) for part in splits] == [901, 50, 50]


def test_defaults_are_those_of_a_language_model(tmp_path):
    settings = Settings.of({"text": ["a.txt", "b.txt"], "d_ff": 7})
    assert (settings.d_ff, settings.d_model, settings.optimizer) == (7, 192, "muon")
    assert settings.name == "a"
    assert settings.made_task is None
    path = tmp_path / "settings.json"
    path.write_text(settings.to_json(), encoding="utf-8")
    assert read_settings(path) == settings


@facts(
    "said, words",
    [
        ({"text": ["a"], "pairs": "b"}, ["got --pairs and --text"]),
        ({"text": ["a"], "task": "numbers"}, ["got --task and --text"]),
        ({"text": ["a"], "examples": 3}, ["--examples", "got --text"]),
        ({"text": ["a"], "tokenizer": "words"}, ["--tokenizer", "got words"]),
        (
            {"text": ["a"], "tokenizer": "characters", "vocab_size": 300},
            ["--vocab-size", "got --tokenizer characters"],
        ),
    ],
)
def test_flags_that_do_not_fit_a_text_are_refused(refuses, said, words):
    refuses(lambda: Settings.of(said), SettingsError, *words)


@facts("text", ["a.txt", [], [3], 3])
def test_a_text_is_a_list_of_names(refuses, text):
    refuses(lambda: Settings(text=text), SettingsError, "--text", "names of files")
