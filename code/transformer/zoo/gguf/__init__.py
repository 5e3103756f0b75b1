"""GGUF: models in one file, packed weights, configuration and tokenizer together."""

from transformer.zoo.gguf.blocks import BlockFormat, unpack_q4_1, unpack_q8_0
from transformer.zoo.gguf.file import GGUFFile, StoredTensor, read_gguf
from transformer.zoo.gguf.llama import load_llama
from transformer.zoo.gguf.tokenizer import PieceTokenizer

__all__ = [
    "BlockFormat",
    "GGUFFile",
    "PieceTokenizer",
    "StoredTensor",
    "load_llama",
    "read_gguf",
    "unpack_q4_1",
    "unpack_q8_0",
]
