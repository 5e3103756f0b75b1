"""The zoo: real models, as configurations and as weights to load."""

from transformer.zoo.families import CONFIGS, FAMILIES, from_hugging_face
from transformer.zoo.hub import ADDRESSES, load
from transformer.zoo.installed import INSTALLED

__all__ = ["ADDRESSES", "CONFIGS", "FAMILIES", "INSTALLED", "from_hugging_face", "load"]
