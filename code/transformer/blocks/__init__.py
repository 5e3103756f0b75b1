"""Layers wired into stacks: a configuration goes in."""

from transformer.blocks.decoder import Decoder
from transformer.blocks.decoder_layer import DecoderLayer, ParallelLayer
from transformer.blocks.encoder import Encoder, EncoderLayer
from transformer.blocks.image_inputs import ImageEmbedding
from transformer.blocks.inputs import InputEmbedding

__all__ = [
    "Decoder",
    "DecoderLayer",
    "Encoder",
    "EncoderLayer",
    "ImageEmbedding",
    "InputEmbedding",
    "ParallelLayer",
]
