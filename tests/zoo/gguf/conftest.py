"""Small GGUF files, written by the package `gguf` and by hand."""

import os

import gguf
import numpy as np
import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM

from transformer.zoo.installed import find_file

KINDS = gguf.GGMLQuantizationType
SIZES = {
    "vocab_size": 29,
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 37,
    "rms_norm_eps": 1e-3,
    "rope_parameters": {"rope_type": "default", "rope_theta": 100.0},
}
NAMES = {
    "model.embed_tokens": "token_embd",
    "model.norm": "output_norm",
    "lm_head": "output",
    "model.layers": "blk",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "input_layernorm": "attn_norm",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
    "post_attention_layernorm": "ffn_norm",
}


def their_name(name):
    """Return how a GGUF file calls a tensor of Hugging Face."""
    for old, new in NAMES.items():
        name = name.replace(old, new)
    return name


def interleave(rows, heads):
    """Move the rows of queries or keys so that neighbors are turned together."""
    size = len(rows) // heads
    halves = rows.reshape(heads, 2, size // 2, *rows.shape[1:])
    return halves.swapaxes(1, 2).reshape(rows.shape)


def fields_of(config):
    """Return what a file says of a Llama."""
    fields = {
        "block_count": config.num_hidden_layers,
        "context_length": config.max_position_embeddings,
        "embedding_length": config.hidden_size,
        "feed_forward_length": config.intermediate_size,
        "attention.head_count": config.num_attention_heads,
        "attention.head_count_kv": config.num_key_value_heads,
        "attention.key_length": config.head_dim,
        "attention.value_length": config.head_dim,
        "attention.layer_norm_rms_epsilon": config.rms_norm_eps,
        "rope.dimension_count": config.head_dim,
        "rope.freq_base": config.rope_parameters["rope_theta"],
        "vocab_size": config.vocab_size,
    }
    return {f"llama.{name}": value for name, value in fields.items()}


def tensors_of(model):
    """Return the tensors of a Llama as a file has them."""
    config, tensors = model.config, {}
    for name, tensor in model.state_dict().items():
        array = tensor.float().numpy()
        if "q_proj" in name:
            array = interleave(array, config.num_attention_heads)
        if "k_proj" in name:
            array = interleave(array, config.num_key_value_heads)
        if not (config.tie_word_embeddings and name == "lm_head.weight"):
            tensors[their_name(name)] = array
    return tensors


def pack(array, kind):
    """Return an array as a file has it: matrices packed, vectors as they are."""
    if array.ndim == 1 or kind == KINDS.F32:
        return array, KINDS.F32
    if kind == KINDS.F16:
        return array.astype(np.float16), kind
    return gguf.quantize(array, kind), kind


@pytest.fixture(scope="session")
def real_file():
    """Where pip has put SmolLM2; without it tests are skipped, but not in CI."""
    try:
        return find_file("smollm2-135m")
    except ImportError as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(error))


@pytest.fixture
def write(tmp_path):
    """Write a file; the value is its path."""

    def write_file(tensors, fields, kind=KINDS.F32, architecture="llama"):
        path = tmp_path / "small.gguf"
        writer = gguf.GGUFWriter(path, architecture)
        for name, value in fields.items():
            add = {bool: "bool", int: "uint32", float: "float32", str: "string"}
            if isinstance(value, list):
                writer.add_array(name, value)
            else:
                getattr(writer, f"add_{add[type(value)]}")(name, value)
        for name, array in tensors.items():
            data, packed = pack(array, kind)
            writer.add_tensor(name, data, raw_dtype=packed)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()
        return path

    return write_file


@pytest.fixture
def small():
    """Build a small Llama of Hugging Face."""

    def build(**choices):
        model = LlamaForCausalLM(LlamaConfig(**SIZES | choices)).eval()
        with torch.no_grad():
            for parameter in model.parameters():
                parameter += 0.1 * torch.randn_like(parameter)
        return model

    return build


@pytest.fixture
def stored(write):
    """Write a model of Hugging Face into a file; more of a field or tensor wins."""

    def store(model, fields=None, tensors=None, *, without=(), **options):
        said = fields_of(model.config) | (fields or {})
        held = tensors_of(model) | (tensors or {})
        for name in without:
            said.pop(name, None)
            held.pop(name, None)
        store.path = write(held, said, **options)
        return store.path

    return store
