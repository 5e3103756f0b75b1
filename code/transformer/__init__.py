"""The Transformer, built from tested parts: the code of *The Tested Transformer*.

Five names are enough to begin with:

    TransformerConfig       the sizes and choices of a model
    DecoderOnlyTransformer  a model that continues a text
    Transformer             a model that reads one text and writes another
    generate                let a model write, greedily, at random or with a beam
    zoo.load                fetch a trained model by its name, such as "gpt2"

    from transformer import DecoderOnlyTransformer, TransformerConfig, generate

    config = TransformerConfig.decoder_only(vocab_size=100)
    model = DecoderOnlyTransformer(config)
    ids = generate(model, [[5, 7, 11]], max_new_tokens=20, temperature=0.8)

Beside them stand `EncoderOnlyTransformer`, `greedy_decode`, `sample`, `beam_search`,
`speculative_sample`, `WordTokenizer`, `SubwordTokenizer`, `Trainer`, `load_training`,
`save_model`, `load_model`, `count_parameters` and `attention_maps`. With `tokenizer=`,
which `zoo.load("smollm2-135m")` gives too, `generate` takes texts. Read on by
`help(transformer.generate)`, or room by room, by `help(transformer.layers)`:

    layers, blocks, models    attention and its kin, the layers made of them, the whole
    data, training, decoding  texts and batches, how a model learns, how it writes
    zoo, costs                trained models; parameters, operations and bytes
    config, checks            what a model is made from; what is said of wrong calls

The whole model in one file, to be read in one sitting, is `one_page_transformer.py` in
`chapters/one_page`. `python -m transformer --help` trains, translates and writes
without any code. Nothing is imported before it is asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # what editors and type checkers see; Python imports it when asked
    from transformer import blocks as blocks
    from transformer import checks as checks
    from transformer import config as config
    from transformer import costs as costs
    from transformer import data as data
    from transformer import decoding as decoding
    from transformer import layers as layers
    from transformer import models as models
    from transformer import training as training
    from transformer import zoo as zoo
    from transformer.config import TransformerConfig
    from transformer.data import SubwordTokenizer, WordTokenizer
    from transformer.decoding import (
        beam_search,
        generate,
        greedy_decode,
        sample,
        speculative_sample,
    )
    from transformer.models import (
        DecoderOnlyTransformer,
        EncoderOnlyTransformer,
        Transformer,
        attention_maps,
        count_parameters,
        load_model,
        save_model,
    )
    from transformer.training import Trainer, load_training

__version__ = "0.1.0"

__all__ = [
    "DecoderOnlyTransformer",
    "EncoderOnlyTransformer",
    "SubwordTokenizer",
    "Trainer",
    "Transformer",
    "TransformerConfig",
    "WordTokenizer",
    "attention_maps",
    "beam_search",
    "count_parameters",
    "generate",
    "greedy_decode",
    "load_model",
    "load_training",
    "sample",
    "save_model",
    "speculative_sample",
]

_ROOMS = ("blocks", "checks", "config", "costs", "data", "decoding", "layers", "models")
_ROOMS += ("training", "zoo")
_HOMES = {
    "TransformerConfig": "config",
    "DecoderOnlyTransformer": "models",
    "EncoderOnlyTransformer": "models",
    "Transformer": "models",
    "attention_maps": "models",
    "count_parameters": "models",
    "load_model": "models",
    "save_model": "models",
    "beam_search": "decoding",
    "generate": "decoding",
    "greedy_decode": "decoding",
    "sample": "decoding",
    "speculative_sample": "decoding",
    "SubwordTokenizer": "data",
    "WordTokenizer": "data",
    "Trainer": "training",
    "load_training": "training",
}


if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """Import a name when it is asked for first, and keep it."""
        if name in _ROOMS:
            return import_module(f"{__name__}.{name}")
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        found = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
        return globals().setdefault(name, found)


def __dir__() -> list[str]:
    """List what can be asked for."""
    return sorted((*__all__, *_ROOMS, "__doc__", "__version__"))
