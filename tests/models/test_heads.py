"""Heads read logits or one vector out of the last representations."""

from dataclasses import replace

import torch
from torch.testing import assert_close
from transformers import BertConfig
from transformers.models.bert.modeling_bert import BertLMPredictionHead, BertPooler

from bookkit.checking.facts import facts, refusals
from transformer.config import TransformerConfig
from transformer.layers import TokenEmbedding
from transformer.layers.activations import ACTIVATIONS
from transformer.models import (
    LanguageModelHead,
    MaskedLanguageModelHead,
    Pooler,
    mean_pooling,
)

CONFIG = TransformerConfig(
    vocab_size=7, d_model=6, num_heads=2, activation="gelu", norm_eps=1e-12
)
EMBEDDING = TokenEmbedding(7, 6)
X = torch.randn(2, 5, 6)


def test_tied_logits_are_dot_products_with_the_embeddings():
    head = LanguageModelHead(CONFIG, EMBEDDING)
    assert head.projection.weight is EMBEDDING.embedding.weight
    assert_close(head(X), X @ EMBEDDING.embedding.weight.T)


def test_tied_logits_are_scaled_if_asked_for():
    head = LanguageModelHead(replace(CONFIG, scale_tied_logits=True), EMBEDDING)
    assert_close(head(X), X @ EMBEDDING.embedding.weight.T / 6**0.5)


def test_the_bias_of_scaled_logits_is_added_as_it_is():
    config = replace(CONFIG, scale_tied_logits=True, logits_bias=True)
    head = LanguageModelHead(config, EMBEDDING)
    bias = head.projection.bias.data.normal_()
    assert_close(head(X), X @ EMBEDDING.embedding.weight.T / 6**0.5 + bias)


def test_untied_logits_have_weights_of_their_own_and_a_bias_if_asked_for():
    config = replace(CONFIG, tie_embeddings=False, logits_bias=True)
    head = LanguageModelHead(config, EMBEDDING)
    assert head.projection.weight is not EMBEDDING.embedding.weight
    assert not head.projection.bias.any()
    head.projection.bias.data.fill_(3.0)
    assert_close(head(X), X @ head.projection.weight.T + 3)


@facts("activation", ACTIVATIONS)
def test_the_head_for_masked_words_written_out(activation):
    config = replace(CONFIG, activation=activation)
    head = MaskedLanguageModelHead(config, EMBEDDING)
    hidden = head.norm(ACTIVATIONS[activation](head.transform(X)))
    assert_close(head(X), hidden @ EMBEDDING.embedding.weight.T)


HUGGING_FACE = BertConfig(vocab_size=7, hidden_size=6, num_attention_heads=2)


def same_with_gradient(compared, ours, theirs):
    x, y = (X.double().requires_grad_() for _ in range(2))
    mine, reference = ours.double()(x), theirs.double()(y)
    compared.values(mine, reference, rtol=0, atol=1e-12)
    direction = torch.randn_like(mine)
    for output in (mine, reference):
        output.backward(direction)
    compared.gradients(x.grad, y.grad, rtol=0, atol=1e-12)


def test_the_head_of_bert_equals_hugging_faces(parity):
    theirs = BertLMPredictionHead(HUGGING_FACE)
    ours = MaskedLanguageModelHead(
        replace(CONFIG, logits_bias=True), TokenEmbedding(7, 6)
    )
    pairs = [
        (ours.transform, theirs.transform.dense),
        (ours.norm, theirs.transform.LayerNorm),
        (ours.output.projection, theirs.decoder),
    ]
    theirs.bias.data.normal_()
    theirs.decoder.bias = theirs.bias
    for mine, other in pairs:
        mine.load_state_dict(other.state_dict())
    same_with_gradient(parity(ours, theirs), ours, theirs)


def test_the_pooler_of_bert_equals_hugging_faces(parity):
    theirs, ours = BertPooler(HUGGING_FACE), Pooler(CONFIG)
    ours.projection.load_state_dict(theirs.dense.state_dict())
    same_with_gradient(parity(ours, theirs), ours, theirs)


def test_mean_pooling_takes_real_positions_to_unit_length():
    real = torch.tensor([[True, True, False, False, False], [True] * 5])
    pooled = mean_pooling(X, real)
    for row, mean in zip(pooled, (X[0, :2].mean(0), X[1].mean(0)), strict=True):
        assert_close(row, mean / mean.norm())
    changed = X.clone()
    changed[0, 2:] = 1e3
    assert torch.equal(mean_pooling(changed, real), pooled)
    assert torch.equal(mean_pooling(X, real & False), torch.zeros(2, 6))
    lengths = mean_pooling(X.double(), real).norm(dim=-1)
    assert_close(lengths, torch.ones(2).double(), rtol=0, atol=1e-12)


@facts("dtype", [torch.float16, torch.bfloat16])
def test_mean_pooling_in_half_precision_is_rounded_once(dtype):
    x = (30 + torch.randn(2, 3001, 5)).to(dtype)  # the sum of a row is about 90,000
    real = torch.tensor([[True], [False]]).expand(2, 3001)
    pooled = mean_pooling(x, real)
    assert torch.equal(pooled, mean_pooling(x.float(), real).to(dtype))
    assert_close(pooled[0].norm().item(), 1.0, rtol=0, atol=0.01)  # two digits
    assert not pooled[1].any()


BAD_INPUTS = {
    TypeError: {
        "mask.*got torch.float32": lambda: mean_pooling(X, torch.ones(2, 5)),
    },
    ValueError: {
        r"the embedding.*=\(7, 6\), got \(5, 6\); build": lambda: LanguageModelHead(
            CONFIG, TokenEmbedding(5, 6)
        ),
        r"x.*\(batch, time, d_model\).*got \(5, 6\)": lambda: Pooler(CONFIG)(X[0]),
        r"x.*\(batch, time, d_model\).*got \(5, 6\); add": lambda: mean_pooling(
            X[0], torch.ones(1, 5).bool()
        ),
        r"mask.*\(2, 5\).*got \(2, 5\) on meta": lambda: mean_pooling(
            X, torch.ones(2, 5, device="meta").bool()
        ),
        r"mask.*\(2, 5\).*got \(2, 4\) on cpu; pass": lambda: mean_pooling(
            X, torch.ones(2, 4).bool()
        ),
    },
}


@refusals(BAD_INPUTS)
def test_bad_input_is_refused_with_what_to_do(error, words, call, refuses):
    refuses(call, error, words)
