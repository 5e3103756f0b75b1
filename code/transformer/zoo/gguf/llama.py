"""Llama in a GGUF file: its configuration in our words, its tensors in our model."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from torch import Tensor

from transformer.config import TransformerConfig
from transformer.layers.rotary_scaling import llama3_scaling, rotary_frequencies
from transformer.models import DecoderOnlyTransformer
from transformer.models.parameters import check_layers
from transformer.zoo.gguf.file import GGUFFile, read_gguf
from transformer.zoo.layout import Layout, layer_names
from transformer.zoo.llama import preset
from transformer.zoo.loading import load_model

ARCHITECTURE = "llama"
ROTATIONS = "rope_freqs.weight"  # by what Llama 3.1 divides each frequency
LLAMA_3_LEN = 8192  # positions that Llama 3 was trained on, which no field says
EMBEDDING = "token_embd.weight"
# Their fields, and ours.
NAMES = {
    "block_count": "num_decoder_layers",
    "context_length": "max_len",
    "embedding_length": "d_model",
    "feed_forward_length": "d_ff",
    "attention.head_count": "num_heads",
    "attention.layer_norm_rms_epsilon": "norm_eps",
    "attention.head_count_kv": "num_kv_heads",
    "attention.key_length": "d_head",
    "rope.freq_base": "rotary_base",
    "rope.scaling.type": "rotary_scaling",
    "rope.scaling.factor": "rotary_factor",
    "rope.scaling.original_context_length": "rotary_original_len",
}
NEEDED = tuple(NAMES)[:6]
# Fields that follow from others; what is not listed at all might change the model.
REPEATED = {
    "vocab_size": lambda config: config.vocab_size,
    "rope.dimension_count": lambda config: config.head_size,
    "attention.value_length": lambda config: config.head_size,
    "expert_count": lambda config: 0,
    "expert_used_count": lambda config: 0,
}

LAYER = {
    "self_attention.query_projection": "attn_q",
    "self_attention.key_projection": "attn_k",
    "self_attention.value_projection": "attn_v",
    "self_attention.output_projection": "attn_output",
    "self_attention_residual.norm": "attn_norm",
    "feed_forward.gate_projection": "ffn_gate",
    "feed_forward.up_projection": "ffn_up",
    "feed_forward.down_projection": "ffn_down",
    "feed_forward_residual.norm": "ffn_norm",
}


def load_llama(source: str | Path | GGUFFile) -> DecoderOnlyTransformer:
    """Return the model of a GGUF file of architecture llama, in float32.

    The file stores the rows of queries and keys so that neighbors are turned together:
    the interleaved layout of rotary embeddings.

    Args:
        source: The file, or what `read_gguf` returned for it.

    Raises:
        FileNotFoundError: If there is no such file.
        ValueError: If the file is damaged or of another architecture, asks for what
            this package does not have, or its tensors are not those of its
            configuration; one error names all that do not fit, nothing is loaded.
    """
    file = source if isinstance(source, GGUFFile) else read_gguf(source)
    config = config_of(file)
    check_layers(config, file.tensors)
    tensors = {name: file.weights(name) for name in file.tensors}
    return load_model(
        lambda: DecoderOnlyTransformer(config), tensors, layout(config, file)
    )


def config_of(file: GGUFFile) -> TransformerConfig:
    """Return our configuration for the fields of a file.

    Raises:
        ValueError: If the file is of another architecture, lacks a field, or asks for
            what this package does not have.
    """
    architecture = file.fields.get("general.architecture")
    if not isinstance(architecture, str) or architecture != ARCHITECTURE:
        raise ValueError(
            f"{file.path.name} must be of architecture '{ARCHITECTURE}', got "
            f"{architecture!r:.200}; load another file."
        )
    said = _read_fields(file)
    chosen = {ours: said[theirs] for theirs, ours in NAMES.items() if theirs in said}
    if ROTATIONS in file.tensors:
        chosen |= {
            "rotary_scaling": "llama3",
            "rotary_factor": file.weights(ROTATIONS).max().item(),
            "rotary_original_len": chosen.get("rotary_original_len", LLAMA_3_LEN),
        }
    config = preset(
        vocab_size=file.tensors[EMBEDDING].shape[0],
        rotary_layout="interleaved",
        tie_embeddings="output.weight" not in file.tensors,
        attention_bias="blk.0.attn_q.bias" in file.tensors,
        **chosen,
    )
    _check_repeated(file, said, config)
    return config


def layout(config: TransformerConfig, file: GGUFFile) -> Layout:
    """Return how a GGUF file stores Llama."""
    return Layout(
        source=f"{file.path.name}, a file of architecture {ARCHITECTURE},",
        names={
            "embedding.tokens.embedding": "token_embd",
            "decoder.norm": "output_norm",
            "head.projection": "output",
        }
        | layer_names("decoder.layers.{}", "blk.{}", LAYER),
        tables=_rotations(config) if ROTATIONS in file.tensors else {},
    )


def _rotations(config: TransformerConfig) -> dict[str, Tensor]:
    """Return by what Llama 3.1 divides the frequency of each pair of features."""
    frequencies = rotary_frequencies(config.head_size, base=config.rotary_base)
    slowed = llama3_scaling(
        frequencies,
        factor=config.rotary_factor,
        original_max_len=config.rotary_original_len,
    )
    return {ROTATIONS: frequencies / slowed.frequencies}


def _read_fields(file: GGUFFile) -> dict[str, Any]:
    """Return what a file says of a Llama: all that is needed, and no more."""
    said = file.fields_of(f"{ARCHITECTURE}.")
    missing = [name for name in NEEDED if name not in said]
    if EMBEDDING not in file.tensors:
        missing.append(f"the tensor {EMBEDDING}")
    surplus = {n: v for n, v in said.items() if n not in NAMES and n not in REPEATED}
    if missing or surplus:
        faults = [f"no {name}" for name in missing]
        faults += [f"{name}={value!r:.200}" for name, value in surplus.items()]
        raise ValueError(
            f"{file.path.name} must describe a Llama that this package can hold, got "
            f"{', '.join(faults)}; load another file."
        )
    return said


def _check_repeated(
    file: GGUFFile, said: Mapping[str, Any], config: TransformerConfig
) -> None:
    """Check that a file does not contradict itself."""
    for name, ours in REPEATED.items():
        if name not in said:
            continue
        value, found = ours(config), said[name]
        if not isinstance(found, int) or found != value:
            raise ValueError(
                f"{name} of {file.path.name} must be {value!r} for a Llama with its "
                f"other fields, got {found!r:.200}; load another file."
            )
