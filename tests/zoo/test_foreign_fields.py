"""What a configuration says is followed, or refused: every field, in every family."""

import inspect
import re
from dataclasses import replace
from pathlib import Path

import pytest
import torch
import transformers
from transformers import (
    BertConfig,
    BertForMaskedLM,
    DeepseekV3Config,
    DeepseekV3ForCausalLM,
    Gemma3ForCausalLM,
    Gemma3TextConfig,
    GPT2Config,
    GPT2LMHeadModel,
    GPTNeoXConfig,
    GPTNeoXForCausalLM,
    GptOssConfig,
    GptOssForCausalLM,
    LlamaConfig,
    LlamaForCausalLM,
    Mamba2Config,
    Mamba2ForCausalLM,
    MistralConfig,
    MistralForCausalLM,
    Qwen3Config,
    Qwen3ForCausalLM,
    T5Config,
    T5ForConditionalGeneration,
    ViTConfig,
    ViTForImageClassification,
)

from bookkit.checking.facts import facts
from transformer import zoo
from transformer.models import EncoderOnlyTransformer, ImageEncoder, Transformer
from transformer.zoo import bert

TOKENS = torch.tensor([[7, 3, 11, 5, 2, 13], [4, 9, 1, 6, 12, 8]])
IMAGES = torch.linspace(-1, 1, 2 * 3 * 6 * 6).sin().view(2, 3, 6, 6)
SIZES = {
    "vocab_size": 23,
    "hidden_size": 32,  # heads of 8, so that a half of one can be rotated
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 28,
    "max_position_embeddings": 17,
    "bos_token_id": 1,
    "eos_token_id": 1,
    "pad_token_id": None,
}
KEYS = {"head_dim": 8, "num_key_value_heads": 2}
FAMILIES = {
    "llama": (LlamaForCausalLM, LlamaConfig, SIZES),
    "mistral": (
        MistralForCausalLM,
        MistralConfig,
        SIZES | {"sliding_window": None, "num_key_value_heads": 2},
    ),
    "mistral with a window": (
        MistralForCausalLM,
        MistralConfig,
        SIZES | {"sliding_window": 3, "num_key_value_heads": 2},
    ),
    "qwen3": (Qwen3ForCausalLM, Qwen3Config, SIZES | KEYS),
    "qwen3 with windows": (
        Qwen3ForCausalLM,
        Qwen3Config,
        SIZES
        | KEYS
        | {"use_sliding_window": True, "sliding_window": 3}
        | {"max_window_layers": 1},
    ),
    "gemma3": (
        Gemma3ForCausalLM,
        Gemma3TextConfig,
        SIZES | KEYS | {"sliding_window": 3, "query_pre_attn_scalar": 11},
    ),
    "deepseek_v3": (
        DeepseekV3ForCausalLM,
        DeepseekV3Config,
        SIZES
        | {"num_key_value_heads": 4, "q_lora_rank": 7, "kv_lora_rank": 9}
        | {"qk_nope_head_dim": 6, "qk_rope_head_dim": 4, "v_head_dim": 5}
        | {"moe_intermediate_size": 11, "n_routed_experts": 8, "n_group": 2}
        | {"topk_group": 1, "num_experts_per_tok": 2, "first_k_dense_replace": 1},
    ),
    "mamba2": (
        Mamba2ForCausalLM,
        Mamba2Config,
        {"vocab_size": 23, "hidden_size": 12, "num_hidden_layers": 2}
        | {"num_heads": 6, "head_dim": 4, "state_size": 5, "n_groups": 2}
        | {"conv_kernel": 3, "chunk_size": 4},
    ),
    "gpt_oss": (
        GptOssForCausalLM,
        GptOssConfig,
        SIZES
        | KEYS
        | {"num_local_experts": 4, "num_experts_per_tok": 2, "sliding_window": 3},
    ),
    "gpt_neox": (GPTNeoXForCausalLM, GPTNeoXConfig, SIZES),
    "bert": (BertForMaskedLM, BertConfig, SIZES | {"pad_token_id": 0}),
    "gpt2": (
        GPT2LMHeadModel,
        GPT2Config,
        {"vocab_size": 23, "n_embd": 24, "n_layer": 2, "n_head": 4, "n_positions": 17}
        | {"bos_token_id": 1, "eos_token_id": 1},
    ),
    "vit": (
        ViTForImageClassification,
        ViTConfig,
        {"image_size": 6, "patch_size": 3, "hidden_size": 32, "num_hidden_layers": 2}
        | {"num_attention_heads": 4, "intermediate_size": 28, "num_labels": 7},
    ),
    "t5": (
        T5ForConditionalGeneration,
        T5Config,
        {"vocab_size": 23, "d_model": 24, "d_kv": 6, "d_ff": 28, "num_layers": 2}
        | {"num_heads": 4, "relative_attention_num_buckets": 8}
        | {"relative_attention_max_distance": 12, "decoder_start_token_id": 0},
    ),
}
ROTATIONS = [
    {"rope_parameters": {"rope_type": kind, "rope_theta": 100.0, **more}}
    for kind, more in (
        ("default", {"partial_rotary_factor": 0.5}),
        ("linear", {"factor": 2.0, "attention_factor": 1.5}),
        ("yarn", {"factor": 2.0, "attention_factor": 1.5}),
        ("yarn", {"factor": 2.0, "attention_factor": 1.0}),
        ("yarn", {"factor": 3.0, "mscale": 0.7, "mscale_all_dim": 1.3}),
        ("yarn", {"factor": 3.0, "mscale": 1.0, "mscale_all_dim": 1.0}),
        ("yarn", {"factor": 3.0, "mscale": 0.7}),
    )
]


def fields_read(kind):
    """All fields that the reference asks its configuration for, and our families."""
    found = set(
        re.findall(r"config\.(\w+)", inspect.getsource(inspect.getmodule(kind)))
    )
    for module in Path(zoo.__file__).parent.glob("*.py"):
        found |= set(re.findall(r'fields(?:\.get\(|\[)"(\w+)"', module.read_text()))
        found |= set(
            re.findall(r"(\w+)=\((?:None|False|True|\d+|\"\w+\"),", module.read_text())
        )
    return sorted(found - {"rope_parameters", "rope_scaling", "vocab_size", "to_dict"})


def others(value):
    """Values that a field might have instead."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [2 * value]
    if isinstance(value, float):
        return [0.5 * value + 0.25]
    if value is None:
        return [0.5, 2, True]
    return ["relu", "silu", "relative_key"] if isinstance(value, str) else []


def logits_of(model):
    if isinstance(model, ImageEncoder):
        return model(IMAGES)
    if isinstance(model, ViTForImageClassification):
        return model(IMAGES).logits
    if isinstance(model, Transformer):
        return model(TOKENS, TOKENS)
    if isinstance(model, EncoderOnlyTransformer):
        return model(TOKENS)
    if isinstance(model, T5ForConditionalGeneration):
        return model(input_ids=TOKENS, decoder_input_ids=TOKENS).logits
    if isinstance(model, transformers.PreTrainedModel):
        return model(input_ids=TOKENS).logits
    return model(TOKENS)


def compared(kind, config):
    """The difference to the reference; None where one of both refuses."""
    torch.manual_seed(0)
    config._attn_implementation = config._experts_implementation = "eager"
    try:
        theirs = kind(config).eval()
        with torch.no_grad():
            for parameter in theirs.parameters():
                parameter += 0.1 * torch.randn_like(parameter)
        expected = logits_of(theirs)
    except Exception:  # what the reference cannot build, nobody has to load
        return None
    try:
        ours = zoo.from_hugging_face(theirs.state_dict(), config=config.to_dict())
    except (TypeError, ValueError):
        return None
    return (logits_of(ours) - expected).abs().max().item()


def accepted(family, change):
    """Whether the reference takes a change, and ours does not refuse it."""
    _, make, sizes = FAMILIES[family]
    try:
        config = make(**(sizes | change)).to_dict()
        zoo.FAMILIES[config["model_type"]].config_from_hugging_face(config)
    except Exception:  # of either
        return False
    return True


def followed(family, changes):
    """How many changes the reference can build, and those that ours does not follow.

    All are made at once; where that makes a difference, halves of them are.
    """
    kind, make, sizes = FAMILIES[family]
    whole = {field: value for change in changes for field, value in change.items()}
    try:
        difference = compared(kind, make(**(sizes | whole)))
    except Exception:  # of changes that exclude each other there
        difference = None
    if difference is not None and difference < 1e-4:
        return len(changes), []
    if len(changes) == 1:
        return 0, [] if difference is None else changes
    middle = len(changes) // 2
    halves = [followed(family, half) for half in (changes[:middle], changes[middle:])]
    return sum(n for n, _ in halves), [
        change for _, wrong in halves for change in wrong
    ]


@pytest.mark.filterwarnings("ignore")  # of fields that the reference does not expect
@facts("family", FAMILIES)
@torch.no_grad()
def test_a_field_is_followed_as_the_reference_does_or_refused(family):
    kind, make, sizes = FAMILIES[family]
    base = make(**sizes).to_dict()
    built, wrong = 0, []
    for turn in range(3):  # one value of each field at a time
        values = {field: others(base.get(field))[turn:] for field in fields_read(kind)}
        changes = [{field: rest[0]} for field, rest in values.items() if rest]
        found = followed(family, [x for x in changes if accepted(family, x)])
        built, wrong = built + found[0], wrong + found[1]
    for rotation in ROTATIONS:
        if accepted(family, rotation):
            found = followed(family, [rotation])
            built, wrong = built + found[0], wrong + found[1]
    assert wrong == []
    assert built >= 60


@pytest.mark.filterwarnings("ignore")
@facts("family", FAMILIES)
def test_a_field_that_is_absent_has_the_value_that_the_reference_gives_it(family):
    _, make, sizes = FAMILIES[family]
    whole = make(**sizes).to_dict()
    read = next(
        f for f in zoo.FAMILIES.values() if whole["model_type"] in f.model_types
    )
    found = {}
    for name in sorted(whole.keys() - {"model_type"}):
        rest = {field: value for field, value in whole.items() if field != name}
        try:
            ours = read.config_from_hugging_face(rest)
            theirs = read.config_from_hugging_face(make.from_dict(rest).to_dict())
            same = {"d_head": theirs.head_size, "num_kv_heads": theirs.kv_heads}
            theirs = replace(theirs, **same)
        except (TypeError, ValueError):  # which is said, and nothing is loaded
            continue
        same = {"d_head": ours.head_size, "num_kv_heads": ours.kv_heads}
        if replace(ours, **same) != theirs:
            found[name] = (ours, theirs)
    assert found == {}


@facts("pad_id", [None, 0, 3])
def test_the_token_that_pads_is_the_one_that_is_told(pad_id):
    config = BertConfig(**{**SIZES, "pad_token_id": pad_id}).to_dict()
    assert bert.config_from_hugging_face(config).pad_id == pad_id
