"""Files of a training: read, or refused in a sentence, and nothing else is changed."""

import json
from types import SimpleNamespace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from transformer.commands import main
from transformer.commands.flags import SettingsError
from transformer.commands.folder import Run
from transformer.commands.inference import translate
from transformer.commands.settings import read_settings
from transformer.commands.texts import read_splits
from transformer.commands.train import build_trainer, resume
from transformer.config import TransformerConfig
from transformer.data import TrainingBatches, encode_pairs
from transformer.files import checksum
from transformer.models import DecoderOnlyTransformer, load_model, save_model
from transformer.training import CheckpointError, TrainingError, World

fuzz = settings.get_profile("fuzz")
STEP = "checkpoints/step-00000002"
FLAGS = [
    *("--examples=105", "--layers=1", "--d-model=8", "--d-ff=8", "--heads=2"),
    *("--batch-size=4", "--max-length=20", "--steps=2", "--warmup=1"),
]


def contents(folder):
    """Return the bytes of all files below a folder, by name."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def write(folder, files):
    """Write files as they are."""
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)


@pytest.fixture(scope="module")
def training(tmp_path_factory):
    """A short training: its files, and what goes on with it."""
    folder = tmp_path_factory.mktemp("run")
    assert main(["train", *FLAGS, f"--output={folder}"]) == 0
    _, tokenizer, settings = Run(folder).load()
    splits = read_splits(settings, print)
    learned = encode_pairs(splits.train, tokenizer)
    batches = TrainingBatches(learned, batch_size=4, seed=0)

    def trainer():
        return build_trainer(settings, tokenizer, World())

    return SimpleNamespace(
        files=contents(folder),
        splits=splits,
        trainer=trainer,
        parameters=list(trainer().model.parameters()),
        batch=batches[2],
    )


def use(folder, training, answer):
    """Translate with a training, and go on with it."""
    run = Run(folder)
    before = contents(folder)
    loaded = answer(run.load, CheckpointError, SettingsError)
    if loaded is not None:
        model, tokenizer, _ = loaded
        answer(lambda: translate(model, tokenizer, ["one"]), FloatingPointError)
    answer(lambda: run.check_text(training.splits), SettingsError)
    answer(lambda: read_settings(folder / "settings.json"), SettingsError)
    trainer = training.trainer()
    done = answer(lambda: (resume(trainer, run), 1), CheckpointError)
    if done is None:
        assert trainer.steps == 0
        pairs = zip(trainer.model.parameters(), training.parameters, strict=True)
        assert all(torch.equal(x, y) for x, y in pairs)
    else:
        answer(lambda: trainer.step(training.batch), TrainingError)
    assert contents(folder) == before


def with_sums(folder):
    """Write the checksums of the tensors as they are now."""
    path = folder / STEP / "state.json"
    state = json.loads(path.read_bytes())
    state["checksums"] = {x: checksum(folder / STEP / x) for x in state["checksums"]}
    path.write_text(json.dumps(state))


@fuzz
@given(data=st.data())
def test_a_training_of_spoiled_bytes_is_used_or_refused(
    data, training, spoil, answer, tmp_path
):
    name = data.draw(st.sampled_from(sorted(set(training.files) - {".lock"})))
    spoiled = {name: spoil(data, training.files[name])}
    write(tmp_path, training.files | spoiled)
    if name.endswith(".safetensors"):
        with_sums(tmp_path)
    use(tmp_path, training, answer)


@fuzz
@given(data=st.data())
def test_a_training_of_other_json_is_used_or_refused(
    data, training, change, answer, tmp_path
):
    names = [name for name in training.files if name.endswith(".json")]
    name = data.draw(st.sampled_from(sorted(names)))
    said = json.loads(training.files[name])
    for _ in range(data.draw(st.integers(1, 3))):
        said = change(data, said)
    write(tmp_path, training.files | {name: json.dumps(said).encode()})
    use(tmp_path, training, answer)


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """The files of a saved model."""
    folder = tmp_path_factory.mktemp("saved")
    sizes = {"vocab_size": 11, "d_model": 8, "d_ff": 8, "num_heads": 2, "max_len": 16}
    config = TransformerConfig(**sizes, num_encoder_layers=0, num_decoder_layers=1)
    save_model(DecoderOnlyTransformer(config), folder)
    return contents(folder)


@fuzz
@given(data=st.data())
def test_a_saved_model_is_loaded_or_refused(
    data, saved, spoil, change, answer, tmp_path
):
    name = data.draw(st.sampled_from(sorted(saved)))
    if name == "config.json" and data.draw(st.booleans()):
        content = json.dumps(change(data, json.loads(saved[name]))).encode()
    else:
        content = spoil(data, saved[name])
    write(tmp_path, saved | {name: content})
    model = answer(lambda: load_model(tmp_path), ValueError)
    if model is not None:
        assert isinstance(model, torch.nn.Module)
