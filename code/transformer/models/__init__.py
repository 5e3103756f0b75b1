"""Whole models: tokens or images go in, logits come out."""

from transformer.models.attention_maps import attention_maps
from transformer.models.decoder_only import DecoderOnlyTransformer
from transformer.models.device import HasDevice
from transformer.models.encoder_only import EncoderOnlyTransformer
from transformer.models.heads import (
    LabelHead,
    LanguageModelHead,
    MaskedLanguageModelHead,
    Pooler,
    mean_pooling,
)
from transformer.models.image_encoder import ImageEncoder
from transformer.models.modes import evaluating
from transformer.models.parameters import count_parameters, initialize
from transformer.models.quantized import quantize_weights
from transformer.models.saved import Described, load_model, save_model
from transformer.models.seq2seq import Transformer
from transformer.models.wrapped import unwrapped

__all__ = [
    "DecoderOnlyTransformer",
    "Described",
    "EncoderOnlyTransformer",
    "HasDevice",
    "ImageEncoder",
    "LabelHead",
    "LanguageModelHead",
    "MaskedLanguageModelHead",
    "Pooler",
    "Transformer",
    "attention_maps",
    "count_parameters",
    "evaluating",
    "initialize",
    "load_model",
    "mean_pooling",
    "quantize_weights",
    "save_model",
    "unwrapped",
]
