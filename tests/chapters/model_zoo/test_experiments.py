"""Published files that the chapter on real models opens."""

import sys
from types import ModuleType

import pytest
import torch
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from bookkit.checking.facts import facts
from chapters.laboratory import published, tiny_models
from chapters.model_zoo import experiments as model_zoo
from transformer import zoo


@facts("name", tiny_models.REFERENCES)
def test_a_tiny_reference_is_drawn_from_its_seed_alone(name):
    first = tiny_models.tiny_reference(name).state_dict()
    torch.rand(5)
    again = tiny_models.tiny_reference(name).state_dict()
    assert all(torch.equal(first[key], again[key]) for key in first)


def test_without_the_reference_library_one_sentence_says_what_to_install(
    monkeypatch, refuses
):
    monkeypatch.setitem(sys.modules, "transformers", None)
    refuses(
        lambda: tiny_models.tiny_reference("BERT"),
        ImportError,
        "the comparison with Hugging Face needs transformers, which is not installed; "
        'run: pip install "tested-transformer\\[reference]"',
    )


def test_minilm_equals_the_reference_inside_a_sentence():
    tensors = published.minilm_tensors()
    ours, tokenizer = (
        model_zoo.open_minilm(tensors),
        model_zoo.open_tokenizer(published.MINILM),
    )
    sentence = "The python swallowed a frog."
    found = model_zoo.vectors_by_layer(ours, tokenizer, [sentence], "python")
    tokens = torch.tensor([tokenizer.encode(sentence).ids])
    theirs = model_zoo.reference_minilm(tensors)
    with torch.no_grad():
        states = theirs(tokens, output_hidden_states=True).hidden_states
    assert found.shape == (8, 1, 384)
    expected = torch.stack([state[0, 2] for state in states])
    assert (found[1:, 0] - expected).abs().max() < 1e-10
    looked_up = tensors["embeddings.word_embeddings.weight"][tokens[0, 2]]
    assert torch.equal(found[0, 0], looked_up.double())


@pytest.fixture
def hub(monkeypatch, tmp_path):
    """A stand-in for the hub: a tiny tokenizer, and what was asked for."""
    words = ["A", "textbook", "in", "which", "every", "number", "is", "checked"]
    tokenizer = Tokenizer(WordLevel({w: i for i, w in enumerate(words)}, "A"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    asked = []

    def download(repository, file, *, revision):
        asked.append((repository, file, revision))
        return str(tmp_path / file)

    stand_in = ModuleType("huggingface_hub")
    stand_in.hf_hub_download = download
    monkeypatch.setitem(sys.modules, "huggingface_hub", stand_in)
    return asked


def test_files_are_asked_for_at_their_pinned_revision(hub, monkeypatch):
    monkeypatch.setattr(published, "find_spec", lambda name: None)
    model_zoo.open_tokenizer(published.MINILM)
    address = zoo.ADDRESSES[published.MINILM]
    assert hub == [(address.repository, "tokenizer.json", address.revision)]
