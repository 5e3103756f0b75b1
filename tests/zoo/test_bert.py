"""BERT equals the reference, with each of its heads."""

from functools import partial

import pytest
import torch
from transformers import BertConfig, BertForMaskedLM, BertModel

from bookkit.checking.facts import facts
from transformer.models import EncoderOnlyTransformer
from transformer.zoo import bert
from transformer.zoo.family import choose_head


def tiny(**choices):
    return BertConfig(
        vocab_size=23,
        hidden_size=20,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=28,
        max_position_embeddings=13,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        **choices,
    )


@pytest.fixture
def batch(batch):
    """The batch of all families, in two segments."""
    segments = torch.randint(0, 2, batch.tokens.shape)
    batch.ours["segments"] = batch.theirs["token_type_ids"] = segments
    return batch


@facts("activation", ["gelu", "gelu_new", "relu"])
def test_logits_and_gradients_equal_the_reference(
    activation, batch, reference, assert_parity, dtype, tolerance
):
    theirs = reference(BertForMaskedLM, tiny(hidden_act=activation), dtype)
    ours = bert.from_hugging_face(theirs)
    layout = bert.layout(ours.config, "masked_language_model")
    assert_parity(ours, theirs, batch, layout, tolerance)


def test_the_pooler_and_its_gradients_equal_the_reference(
    batch, reference, assert_same_gradients, dtype, tolerance, parity
):
    theirs = reference(BertModel, tiny(), dtype)
    ours = bert.from_hugging_face(theirs)
    found, expected = ours(**batch.ours), theirs(**batch.theirs).pooler_output
    parity(ours, theirs).values(found, expected, rtol=tolerance, atol=tolerance)
    direction = torch.randn_like(found)
    for output in (found, expected):
        (output * direction).sum().backward()
    assert_same_gradients(ours, theirs, bert.layout(ours.config, "pooler"), tolerance)


def test_without_a_head_the_hidden_states_come_out(batch, reference, parity):
    theirs = reference(BertModel, tiny())
    expected = theirs(**batch.theirs).last_hidden_state[batch.real]
    for source in (theirs, theirs.state_dict()):
        ours = bert.from_hugging_face(source, config=theirs.config, head=None)
        found = ours(**batch.ours)[batch.real]
        parity(ours, theirs).values(found, expected, rtol=1e-5, atol=1e-5)


def test_padding_is_found_by_its_id(batch, reference):
    ours = bert.from_hugging_face(reference(BertForMaskedLM, tiny()))
    masked = ours(**batch.ours)
    del batch.ours["mask"]
    assert torch.equal(ours(**batch.ours), masked)


def test_bfloat16(batch, reference, assert_bfloat16):
    theirs = reference(BertForMaskedLM, tiny(), torch.bfloat16)
    assert_bfloat16(bert.from_hugging_face(theirs), theirs, batch)


def test_the_head_follows_what_is_stored(reference):
    lacking = BertModel(tiny(), add_pooling_layer=False)
    kinds = [
        type(bert.from_hugging_face(model).head).__name__
        for model in (BertForMaskedLM(tiny()), BertModel(tiny()), lacking)
    ]
    assert kinds == ["MaskedLanguageModelHead", "Pooler", "Identity"]


def test_the_head_is_found_behind_the_name_of_the_body():
    stored = {f"bert.{name}": x for name, x in BertModel(tiny()).state_dict().items()}
    ours = bert.from_hugging_face(stored, config=tiny())
    assert type(ours.head).__name__ == "Pooler"


def test_a_published_file_loads_for_either_head(reference):
    """In 2018 it held both heads, norms called gamma and beta, and constants."""
    theirs = reference(BertForMaskedLM, tiny())
    stored = {}
    for name, tensor in theirs.state_dict().items():
        name = name.replace("LayerNorm.weight", "LayerNorm.gamma")
        stored[name.replace("LayerNorm.bias", "LayerNorm.beta")] = tensor
    stored["bert.pooler.dense.weight"] = torch.eye(20)
    stored["bert.pooler.dense.bias"] = torch.ones(20)
    stored["cls.seq_relationship.weight"] = torch.ones(2, 20)
    stored["bert.embeddings.position_ids"] = torch.arange(13)[None]
    ours = bert.from_hugging_face(stored, config=theirs.config)
    assert type(ours.head).__name__ == "MaskedLanguageModelHead"
    pooled = bert.from_hugging_face(stored, config=theirs.config, head="pooler")
    assert torch.equal(pooled.head.projection.weight, torch.eye(20))


@facts(
    "name, head, count",
    [
        ("bert-base-uncased", "pooler", 109_482_240),
        ("bert-base-uncased", None, 108_891_648),
        ("bert-base-uncased", "masked_language_model", 109_514_298),
        ("bert-large-uncased", "pooler", 335_141_888),
        ("all-MiniLM-L6-v2", "pooler", 22_713_216),
    ],
)
def test_presets_have_the_published_number_of_parameters(
    name, head, count, count_on_meta
):
    build = partial(EncoderOnlyTransformer, bert.CONFIGS[name], head=head)
    assert count_on_meta(build) == count


def test_each_field_is_read():
    config = tiny(
        hidden_act="relu", type_vocab_size=3, layer_norm_eps=1e-3, pad_token_id=5
    )
    config.hidden_dropout_prob, config.attention_probs_dropout_prob = 0.2, 0.3
    assert bert.config_from_hugging_face(config) == bert.preset(
        vocab_size=23,
        max_len=13,
        num_segments=3,
        num_encoder_layers=2,
        d_model=20,
        d_ff=28,
        num_heads=4,
        activation="relu",
        norm_eps=1e-3,
        dropout=0.2,
        attention_dropout=0.3,
        pad_id=5,
    )


@facts(
    "part, partner",
    [
        ("weight", "embeddings.word_embeddings.weight"),
        ("bias", "cls.predictions.bias"),
    ],
)
def test_a_tied_head_may_be_missing_but_no_other(part, partner, reference, refuses):
    theirs = reference(BertForMaskedLM, tiny())
    name = f"cls.predictions.decoder.{part}"
    stored = theirs.state_dict()
    other = stored | {name: torch.ones_like(stored[name])}
    refuses(
        lambda: bert.from_hugging_face(other, config=theirs.config),
        ValueError,
        rf"the tensors .*\n  different \(1\): {name}, which is tied to {partner}\n",
    )
    del stored[name]
    ours = bert.from_hugging_face(stored, config=theirs.config)
    assert torch.equal(
        getattr(ours.head.output.projection, part),
        getattr(theirs.cls.predictions.decoder, part),
    )


BAD_INPUTS = {
    "a decoder": (
        lambda: bert.config_from_hugging_face(tiny(is_decoder=True)),
        ValueError,
        "the configuration.*got is_decoder=True instead of False.*load",
    ),
    "another family": (
        lambda: bert.config_from_hugging_face({"model_type": "gpt2"}),
        ValueError,
        "config.*got 'gpt2'.*let transformer.zoo",
    ),
    "half a configuration": (
        lambda: bert.config_from_hugging_face({"model_type": "bert", "vocab_size": 7}),
        ValueError,
        "the configuration.*got model_type, vocab_size.*pass the whole",
    ),
    "a head it does not have": (
        lambda: bert.from_hugging_face({}, config=tiny(), head="classifier"),
        ValueError,
        "head.*got 'cla",
    ),
    "a model without the head": (
        lambda: bert.from_hugging_face(BertModel(tiny()), head="masked_language_model"),
        ValueError,
        r"the tensors (?s:.*)missing \(5\): cls.predictions.transform.dense",
    ),
    "an unknown activation": (
        lambda: bert.config_from_hugging_face(tiny(hidden_act="mish")),
        ValueError,
        "the activation function.*got 'mish'",
    ),
}


@facts("case", BAD_INPUTS.values(), ids=[*BAD_INPUTS])
def test_bad_input_is_refused_with_what_to_do(case, refuses):
    refuses(*case)


def test_a_part_of_the_body_that_is_named_like_a_head_is_none():
    tensors = {"bert.adapter.pooler.dense.weight": torch.zeros(1)}
    assert choose_head(bert.HEADS, "bert.", "stored", tensors) is None
