"""Layers wired into stacks: a configuration goes in."""

from transformer.blocks.decoder import Decoder, DecoderLayer
from transformer.blocks.encoder import Encoder, EncoderLayer
from transformer.blocks.inputs import InputEmbedding
from transformer.checks.names import room

__all__ = ["Decoder", "DecoderLayer", "Encoder", "EncoderLayer", "InputEmbedding"]

__getattr__, __dir__ = room(__name__, __all__)
