"""Tiny references: a random Hugging Face model of each family, to compare ours with.

Each parameter is moved away from where it starts, norms, biases and scales as well,
since a gain of one or a bias of zero hides what is done with it.
"""

import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor, nn

from chapters.laboratory.fit import same_numbers
from chapters.laboratory.missing import unless_missing
from transformer.packages import need
from transformer.zoo import FAMILIES
from transformer.zoo.family import Model

BATCH, TIME, TARGET, VOCAB = 3, 11, 7, 23
SIDE = 10  # of an image
BOUND = 1e-5  # of what rounding in float32 does to logits of order 1
ENCODER_DECODERS = ("Marian", "T5 1.0", "T5 1.1")
# The class of a family and its configuration, then the fields of a tiny one.
SMALL = {
    "vocab_size": VOCAB,
    "hidden_size": 20,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 28,
    "max_position_embeddings": 13,
}
GROUPED = SMALL | {"num_key_value_heads": 2, "head_dim": 6}
NO_WINDOW = GROUPED | {"sliding_window": None}
T5 = {
    "vocab_size": VOCAB,
    "d_model": 20,
    "d_kv": 6,
    "d_ff": 28,
    "num_layers": 2,
    "num_heads": 4,
    "relative_attention_num_buckets": 8,
    "relative_attention_max_distance": 9,
}
GATED = {"feed_forward_proj": "gated-gelu", "tie_word_embeddings": False}
MARIAN = {
    f"{stack}_{name}": size
    for stack in ("encoder", "decoder")
    for name, size in (("layers", 2), ("ffn_dim", 28), ("attention_heads", 5))
}
MARIAN |= {
    "vocab_size": VOCAB,
    "d_model": 20,
    "max_position_embeddings": 13,
    "activation_function": "relu",
    "scale_embedding": True,
    "pad_token_id": 0,
    "eos_token_id": 1,
    "forced_eos_token_id": 1,
    "decoder_start_token_id": 0,
}
REFERENCES: dict[str, tuple[str, str, Mapping[str, object]]] = {
    "Marian": ("MarianMTModel", "MarianConfig", MARIAN),
    "BERT": ("BertForMaskedLM", "BertConfig", SMALL),
    "GPT-2": (
        "GPT2LMHeadModel",
        "GPT2Config",
        {"vocab_size": VOCAB, "n_embd": 20, "n_layer": 2, "n_head": 4}
        | {"n_positions": 13, "bos_token_id": 1, "eos_token_id": 1},
    ),
    "T5 1.0": ("T5ForConditionalGeneration", "T5Config", T5),
    "T5 1.1": ("T5ForConditionalGeneration", "T5Config", T5 | GATED),
    "Llama": ("LlamaForCausalLM", "LlamaConfig", GROUPED),
    "Mistral": ("MistralForCausalLM", "MistralConfig", NO_WINDOW),
    "GPT-NeoX": (
        "GPTNeoXForCausalLM",
        "GPTNeoXConfig",
        SMALL | {"hidden_size": 24, "num_attention_heads": 3},
    ),
}
# Families that the chapters do not compare; the tests do.
SEVEN = GROUPED | {"hidden_size": 16, "num_hidden_layers": 7}  # 16 is a square
NEWER: dict[str, tuple[str, str, Mapping[str, object]]] = {
    "Mistral, window": (
        "MistralForCausalLM",
        "MistralConfig",
        GROUPED | {"sliding_window": 4},
    ),
    "Qwen3": ("Qwen3ForCausalLM", "Qwen3Config", GROUPED),
    "Gemma 3": (
        "Gemma3ForCausalLM",
        "Gemma3TextConfig",
        SEVEN | {"sliding_window": 4, "query_pre_attn_scalar": 9},
    ),
    "DeepSeek-V3": (
        "DeepseekV3ForCausalLM",
        "DeepseekV3Config",
        SMALL
        | {"num_key_value_heads": 4, "q_lora_rank": 7, "kv_lora_rank": 9}
        | {"qk_nope_head_dim": 6, "qk_rope_head_dim": 4, "v_head_dim": 5}
        | {"moe_intermediate_size": 11, "n_routed_experts": 4, "n_group": 2}
        | {"topk_group": 1, "num_experts_per_tok": 2, "first_k_dense_replace": 1},
    ),
    "Mamba-2": (
        "Mamba2ForCausalLM",
        "Mamba2Config",
        {"vocab_size": VOCAB, "hidden_size": 12, "num_hidden_layers": 2}
        | {"num_heads": 6, "head_dim": 4, "state_size": 5, "n_groups": 2}
        | {"conv_kernel": 3, "chunk_size": 4, "residual_in_fp32": False},
    ),
    "gpt-oss": (
        "GptOssForCausalLM",
        "GptOssConfig",
        GROUPED
        | {"sliding_window": 4, "num_local_experts": 3, "num_experts_per_tok": 2},
    ),
    "ViT": (
        "ViTForImageClassification",
        "ViTConfig",
        {"image_size": SIDE, "patch_size": 2, "num_labels": 7, "hidden_size": 20}
        | {"num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 28},
    ),
}


def hugging_face(*names: str) -> list[Any]:
    """Return classes of the library that has the references.

    Args:
        names: Such as "BertModel".

    Raises:
        ImportError: If `transformers` is missing; the message says what to install.
    """
    with warnings.catch_warnings():  # its progress bars miss a part of Jupyter
        warnings.filterwarnings("ignore", message="IProgress not found")
        what = "the comparison with Hugging Face needs"
        library = need("transformers", what=what, extra="reference")
        return [getattr(library, name) for name in names]


def has_transformers() -> bool:
    """Return whether the library is there; a sentence says how to install it."""
    return unless_missing(hugging_face, ImportError) is not None


def tiny_reference(
    name: str, *, seed: int = 0, dtype: torch.dtype = torch.float32
) -> nn.Module:
    """Return a random Hugging Face model in evaluation mode, on the default device.

    Args:
        name: One of `REFERENCES` or `NEWER`.
        seed: Seed of the parameters.
        dtype: Of the parameters.

    Raises:
        ImportError: If `transformers` is missing; the message says what to install.
    """
    *names, fields = (REFERENCES | NEWER)[name]
    kind, config_of = hugging_face(*names)
    config = config_of(**fields)
    config._attn_implementation = "sdpa" if kind._supports_sdpa else "eager"
    config._experts_implementation = "eager"  # its kernels want sizes of their own
    with same_numbers(seed):
        model = kind(config)
        if name == "T5 1.1":  # published with output weights of its own
            shape = model.lm_head.weight.shape
            model.lm_head.weight = nn.Parameter(0.3 * torch.randn(shape))
        if name == "Marian":
            model.final_logits_bias.normal_()
        for parameter in model.parameters():
            if parameter.requires_grad:
                parameter.data += 0.1 * torch.randn(parameter.shape)
    return model.to(torch.get_default_device(), dtype).eval()


def reading(name: str, *, seed: int = 0) -> dict[str, Tensor]:
    """Return tokens of three lengths, padded at the end, and which of them are real.

    Args:
        name: One of `REFERENCES` or `NEWER`; an encoder-decoder gets a target as well,
            which starts with the padding id, and ViT gets images instead.
        seed: Seed of the tokens.
    """
    with same_numbers(seed):
        if name == "ViT":
            images = torch.randn(BATCH, 3, SIDE, SIDE)
            return {"images": images.to(torch.get_default_device())}
        given = _padded("tokens", TIME, (TIME, 7, 4))
        if name in ENCODER_DECODERS:
            given |= _padded("target", TARGET, (3, TARGET, 5))
            given["target"][:, 0] = 0
    device = torch.get_default_device()
    return {key: tensor.to(device) for key, tensor in given.items()}


def _padded(name: str, time: int, lengths: tuple[int, ...]) -> dict[str, Tensor]:
    """Draw token ids of some lengths and pad them with 0."""
    real = torch.arange(time) < torch.tensor(lengths)[:, None]
    tokens = torch.randint(1, VOCAB, (BATCH, time)).masked_fill(~real, 0)
    return {name: tokens, f"{name}_mask": real}


@torch.no_grad()
def logits_of(model: Any, given: Mapping[str, Tensor]) -> Tensor:
    """Return the logits of a model of ours or of Hugging Face at real positions.

    Those of images come as they are, shape (batch, labels).

    Args:
        model: The model.
        given: What `reading` returned.

    Shape:
        (real positions, vocab).
    """
    if "images" in given:
        found = model(given["images"].to(next(model.parameters()).dtype))
        return getattr(found, "logits", found)
    tokens, mask = given["tokens"], given["tokens_mask"]
    target, scored = given.get("target"), given.get("target_mask", mask)
    if not isinstance(model, Model):
        read = {"input_ids": tokens, "attention_mask": mask.long()}
        if target is not None:
            read["decoder_input_ids"] = target
            read["decoder_attention_mask"] = scored.long()
        return model(**read).logits[scored]
    if target is None:
        return model(tokens, mask=mask)[scored]
    return model(tokens, target, source_mask=mask, target_mask=scored)[scored]


def largest_difference(ours: Model, theirs: nn.Module, name: str) -> float:
    """Return the largest difference of the logits of two models, in float64.

    Args:
        ours: Our model.
        theirs: The reference.
        name: The family, one of `REFERENCES`.
    """
    given = reading(name)
    found, expected = (logits_of(model, given).double() for model in (ours, theirs))
    return (found - expected).abs().max().item()


def load_wrongly(theirs: nn.Module, **choices: object) -> Model:
    """Return our model with the weights of a reference and a wrong configuration.

    Args:
        theirs: The reference.
        choices: The fields of our configuration that are set wrongly.
    """
    family = FAMILIES[theirs.config.model_type]
    right = family.from_hugging_face(theirs).config
    return family.from_hugging_face(
        theirs.state_dict(), config=replace(right, **choices)
    )
