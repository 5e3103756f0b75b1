"""The fields of Gemma 3 are read or refused; `test_decoders` compares the models."""

import torch
from transformers import Gemma3ForCausalLM, Gemma3TextConfig

from bookkit.checking.facts import facts
from transformer.models import DecoderOnlyTransformer
from transformer.zoo import gemma3

SIZES = {
    "vocab_size": 23,
    "hidden_size": 16,  # a square: theirs rounds its root to float32
    "num_hidden_layers": 5,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "intermediate_size": 28,
    "max_position_embeddings": 13,
    "head_dim": 6,
    "sliding_window": 3,
    "query_pre_attn_scalar": 11,
    "bos_token_id": 1,
    "eos_token_id": 1,
    "pad_token_id": None,
    "sliding_window_pattern": 2,
}


def tiny(**choices):
    return Gemma3TextConfig(**SIZES | choices)


def test_a_stretched_rotation_leaves_the_windows_alone(batch, reference, parity):
    rope = {
        "full_attention": {"rope_type": "linear", "factor": 8.0, "rope_theta": 500.0},
        "sliding_attention": {"rope_type": "default", "rope_theta": 50.0},
    }
    theirs = reference(Gemma3ForCausalLM, tiny(rope_parameters=rope))
    ours = gemma3.from_hugging_face(theirs)
    fields = ("rotary_base", "local_rotary_base", "rotary_scaling", "rotary_factor")
    found = tuple(getattr(ours.config, name) for name in fields)
    assert found == (500.0, 50.0, "linear", 8.0)
    expected = theirs(**batch.theirs).logits[batch.real]
    logits = ours(**batch.ours)[batch.real]
    parity(ours, theirs).values(logits, expected, rtol=1e-5, atol=1e-5)


# As published with the weights, in the older spelling.
SMALLEST = {
    "model_type": "gemma3_text",
    "vocab_size": 262_144,
    "hidden_size": 1152,
    "intermediate_size": 6912,
    "num_hidden_layers": 26,
    "num_attention_heads": 4,
    "num_key_value_heads": 1,
    "head_dim": 256,
    "hidden_activation": "gelu_pytorch_tanh",
    "max_position_embeddings": 32_768,
    "rms_norm_eps": 1e-6,
    "rope_theta": 1_000_000,
    "rope_local_base_freq": 10_000,
    "rope_scaling": None,
    "sliding_window": 512,
    "sliding_window_pattern": 6,
    "query_pre_attn_scalar": 256,
    "attn_logit_softcapping": None,
    "final_logit_softcapping": None,
    "attention_bias": False,
}


def test_a_published_configuration_has_the_parameters_of_the_reference(count_on_meta):
    config = gemma3.config_from_hugging_face(SMALLEST)
    found = count_on_meta(lambda: DecoderOnlyTransformer(config))
    with torch.device("meta"):
        theirs = Gemma3ForCausalLM(Gemma3TextConfig(**SMALLEST))
    assert found == sum(x.numel() for x in theirs.parameters()) == 999_885_952


def test_older_configurations_mean_the_same():
    config = gemma3.config_from_hugging_face(SMALLEST)
    newer = Gemma3TextConfig(**SMALLEST).to_dict()
    assert newer["rope_parameters"]["sliding_attention"]["rope_theta"] == 10_000
    assert config == gemma3.config_from_hugging_face(newer)
    assert config.window == (512, 512, 512, 512, 512, None)
    assert (config.rotary_base, config.local_rotary_base) == (1e6, 1e4)
    left_out = ("rope_theta", "rope_local_base_freq", "sliding_window_pattern")
    rest = {name: x for name, x in SMALLEST.items() if name not in left_out}
    assert gemma3.config_from_hugging_face(rest) == config


def test_each_field_is_read():
    config = tiny(
        hidden_activation="silu",
        attention_bias=True,
        tie_word_embeddings=False,
        attention_dropout=0.3,
        rms_norm_eps=1e-3,
        query_pre_attn_scalar=25,
        rope_parameters={
            "full_attention": {"rope_type": "default", "rope_theta": 500.0},
            "sliding_attention": {"rope_type": "default", "rope_theta": 50.0},
        },
    )
    assert gemma3.config_from_hugging_face(config) == gemma3.preset(
        vocab_size=23,
        max_len=13,
        num_decoder_layers=5,
        d_model=16,
        d_ff=28,
        num_heads=4,
        num_kv_heads=2,
        d_head=6,
        activation="silu",
        attention_bias=True,
        attention_scale=0.2,
        tie_embeddings=False,
        norm_eps=1e-3,
        attention_dropout=0.3,
        rotary_base=500.0,
        local_rotary_base=50.0,
        window=(3, None),
    )


def said(**choices):
    return gemma3.config_from_hugging_face(tiny().to_dict() | choices)


BAD_INPUTS = {
    "capped scores": (
        lambda: said(attn_logit_softcapping=50.0),
        ValueError,
        "the configuration.*got attn_logit_softcapping=50.0 instead of None",
    ),
    "capped logits": (
        lambda: said(final_logit_softcapping=30.0),
        ValueError,
        "the configuration.*got final_logit_softcapping=30.0 instead of None",
    ),
    "both directions": (
        lambda: said(use_bidirectional_attention=True),
        ValueError,
        "the configuration.*got use_bidirectional_attention=True instead of False",
    ),
    "stretched windows": (
        lambda: said(
            rope_parameters={
                "sliding_attention": {"rope_type": "linear", "factor": 2.0},
                "full_attention": {"rope_type": "default"},
            }
        ),
        ValueError,
        "the configuration.*got rotary_scaling='linear' instead of 'none'",
    ),
    "a rotation told by text": (
        lambda: said(rope_parameters={"full_attention": "yarn"}),
        ValueError,
        "the configuration.*got full_attention='str' instead of 'dict'",
    ),
    "images": (
        lambda: gemma3.config_from_hugging_face({"model_type": "gemma3"}),
        ValueError,
        "config must have model_type 'gemma3_text', got 'gemma3'",
    ),
}


@facts("case", BAD_INPUTS.values(), ids=[*BAD_INPUTS])
def test_bad_input_is_refused_with_what_to_do(case, refuses):
    refuses(*case)
