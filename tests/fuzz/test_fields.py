"""Fields of configurations: what fits is used, what does not is refused."""

from dataclasses import fields

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from bookkit.checking.facts import facts
from transformer.commands.flags import SettingsError
from transformer.commands.settings import Settings
from transformer.config import CHOICES, TransformerConfig
from transformer.models import (
    DecoderOnlyTransformer,
    EncoderOnlyTransformer,
    Transformer,
)
from transformer.zoo.families import FAMILIES

fuzz = settings.get_profile("fuzz")
SIZES = {
    **{"vocab_size": 11, "d_model": 12, "d_ff": 7, "num_heads": 3, "max_len": 13},
    **{"num_encoder_layers": 1, "num_decoder_layers": 1, "norm_placement": "pre"},
}
SMALL = st.sampled_from([0, 1, 2, 3, 4, 5, 6, 8, 12])
SHARES = st.sampled_from([0.0, 0.25, 0.5, 0.58, 1.0, 1.5, 3.0, 1e-300, 1e300])
BERT = {
    "model_type": "bert",
    **{"vocab_size": 11, "max_position_embeddings": 13, "type_vocab_size": 2},
    **{"num_hidden_layers": 1, "hidden_size": 12, "intermediate_size": 7},
    **{"num_attention_heads": 3, "hidden_act": "gelu", "layer_norm_eps": 1e-12},
    **{"hidden_dropout_prob": 0.1, "attention_probs_dropout_prob": 0.1},
    **{"pad_token_id": 0, "initializer_range": 0.02},
}
LLAMA = {
    "model_type": "llama",
    **{"vocab_size": 11, "max_position_embeddings": 13, "num_hidden_layers": 1},
    **{"hidden_size": 12, "intermediate_size": 7, "num_attention_heads": 3},
    **{"num_key_value_heads": 3, "hidden_act": "silu", "rms_norm_eps": 1e-6},
    **{"tie_word_embeddings": False, "attention_bias": False, "mlp_bias": False},
    **{"rope_parameters": {"rope_type": "llama3", "rope_theta": 1e4, "factor": 8}},
    **{"attention_dropout": 0.0, "initializer_range": 0.02, "pad_token_id": None},
}


def values_of(field, anything):
    """Values of a field: some that may fit, and anything else."""
    fitting = [SMALL, SHARES, st.booleans(), st.none()]
    choices = CHOICES.get(field.name) or (field.metadata or {}).get("choices")
    if choices:
        fitting.append(st.sampled_from(choices))
    return st.one_of(*fitting, anything)


def some_of(data, kind, anything):
    """Draw some fields of a configuration."""
    chosen = data.draw(st.lists(st.sampled_from(fields(kind)), max_size=6))
    return {x.name: data.draw(values_of(x, anything)) for x in chosen}


@fuzz
@given(data=st.data())
def test_a_configuration_is_made_or_refused(data, anything, answer):
    said = {"vocab_size": 11, **some_of(data, TransformerConfig, anything)}
    config = answer(lambda: TransformerConfig(**said), TypeError, ValueError)
    if config is not None:
        assert TransformerConfig(**vars(config)) == config


@fuzz
@given(data=st.data())
def test_the_settings_of_a_training_are_made_or_refused(data, anything, answer):
    said = some_of(data, Settings, anything)
    found = answer(lambda: Settings(**said), SettingsError)
    if found is not None:
        assert found.to_json()
        assert found.learning_rate_at(1) >= 0


@fuzz
@given(data=st.data())
def test_what_a_configuration_allows_computes(data, answer):
    said = dict(SIZES)
    chosen = st.lists(st.sampled_from(fields(TransformerConfig)), max_size=8)
    for field in data.draw(chosen):
        if field.type is bool:
            said[field.name] = data.draw(st.booleans())
        elif field.name in CHOICES:
            said[field.name] = data.draw(st.sampled_from(CHOICES[field.name]))
        else:
            said[field.name] = data.draw(SHARES if field.type is float else SMALL)
    config = answer(lambda: TransformerConfig(**said), TypeError, ValueError)
    if config is None:
        return
    kind = Transformer
    if not config.num_encoder_layers:
        kind = DecoderOnlyTransformer
    elif not config.num_decoder_layers:
        kind = EncoderOnlyTransformer
    model = answer(lambda: kind(config), TypeError, ValueError)
    if model is None:
        return
    tokens = torch.randint(0, config.vocab_size, (2, min(5, config.max_len)))
    inputs = [tokens, tokens] if kind is Transformer else [tokens]
    logits = answer(lambda: model.eval()(*inputs), ValueError)
    if logits is not None:
        assert logits.shape == (*tokens.shape, config.vocab_size)


@facts("known", [BERT, LLAMA], ids=["bert", "llama"])
@fuzz
@given(data=st.data())
def test_a_configuration_of_others_is_read_or_refused(known, data, change, answer):
    said = known
    for _ in range(data.draw(st.integers(0, 3))):
        said = change(data, said)
    if not isinstance(said, dict):
        return
    read = FAMILIES[known["model_type"]].config_from_hugging_face
    found = answer(lambda: read(said), TypeError, ValueError)
    assert found is None or isinstance(found, TransformerConfig)
