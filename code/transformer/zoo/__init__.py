"""The zoo: real models, as configurations and as weights to load."""

from transformer.zoo.families import CONFIGS, FAMILIES, from_hugging_face
from transformer.zoo.hub import ADDRESSES, load

__all__ = ["ADDRESSES", "CONFIGS", "FAMILIES", "from_hugging_face", "load"]
