"""The Transformer, built from tested parts: the code of *The Tested Transformer*.

A model is made from a configuration, and continued by a decoder:

    from transformer import DecoderOnlyTransformer, TransformerConfig, generate

    config = TransformerConfig(vocab_size=100, num_encoder_layers=0)
    model = DecoderOnlyTransformer(config)
    texts = generate(model, prompts, max_new_tokens=20, temperature=0.8)

`from transformer import ...` knows what most programs need:

    TransformerConfig, Transformer, DecoderOnlyTransformer, EncoderOnlyTransformer
    generate, greedy_decode, sample, beam_search, speculative_sample
    save_model, load_model, count_parameters, attention_maps
    WordTokenizer, SubwordTokenizer, Trainer, load_training

The rest stands in rooms, and `help(transformer.layers)` leads on: `checks`, `layers`,
`config`, `blocks`, `models`, `costs`, `data`, `training`, `decoding` and `zoo`, where
`zoo.load("gpt2")` fetches a real model. `python -m transformer --help` trains,
translates and writes without any code. Nothing is imported before it is asked for.
"""

from importlib import import_module

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


def __getattr__(name: str) -> object:
    """Import a name when it is asked for first, and keep it."""
    if name in _ROOMS:
        return import_module(f"{__name__}.{name}")
    if name not in _HOMES:
        names = import_module(f"{__name__}.checks.names")
        raise names.missing_name(__name__, name, _near(name))
    found = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    return globals().setdefault(name, found)


def __dir__() -> list[str]:
    """List what can be asked for."""
    return sorted((*__all__, *_ROOMS, "__doc__", "__version__"))


def _near(name: str) -> str:
    """Return in which room a name is, or else which one may be meant."""
    for room in () if name.startswith("_") else _ROOMS:
        if name in getattr(import_module(f"{__name__}.{room}"), "__all__", ()):
            longer = [known for known in __all__ if known.startswith(f"{name}_")]
            places = [f"{room}.{name}", *longer]
            return (
                ", but one of its rooms has; write "
                f"{' or '.join(f'{__name__}.{place}' for place in places)}."
            )
    names = import_module(f"{__name__}.checks.names")
    elsewhere = ("zoo.load", "layers.MultiHeadAttention")
    elsewhere += ("blocks.EncoderLayer", "blocks.DecoderLayer")
    return names.meant(name, (*__all__, *_ROOMS, *elsewhere))
