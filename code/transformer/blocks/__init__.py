"""Layers wired into stacks: a configuration goes in."""

from transformer.blocks.decoder import Decoder, DecoderLayer
from transformer.blocks.encoder import Encoder, EncoderLayer
from transformer.blocks.inputs import InputEmbedding

__all__ = ["Decoder", "DecoderLayer", "Encoder", "EncoderLayer", "InputEmbedding"]
