"""The zoo: real models, as configurations and as weights to load."""

from transformer.zoo.families import CONFIGS, FAMILIES, from_hugging_face
from transformer.zoo.gguf import (
    BlockFormat,
    GGUFFile,
    PieceTokenizer,
    StoredTensor,
    load_llama,
    read_gguf,
    unpack_q4_1,
    unpack_q8_0,
)
from transformer.zoo.hub import ADDRESSES, load
from transformer.zoo.installed import INSTALLED, SHIPPED, LanguageModel

__all__ = [
    "ADDRESSES",
    "CONFIGS",
    "FAMILIES",
    "INSTALLED",
    "SHIPPED",
    "BlockFormat",
    "GGUFFile",
    "LanguageModel",
    "PieceTokenizer",
    "StoredTensor",
    "from_hugging_face",
    "load",
    "load_llama",
    "read_gguf",
    "unpack_q4_1",
    "unpack_q8_0",
]
