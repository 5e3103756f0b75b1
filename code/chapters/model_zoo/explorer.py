"""Explorer: a layer as a lock of six choices, which one turns from 2017 to Llama."""

from chapters.shared.explorer.frame import Explorer
from transformer.config import TransformerConfig
from transformer.zoo import CONFIGS

CHOICES = {
    "norm stands": {"post": "after the sum", "pre": "before"},
    "kind of norm": {"layer": "LayerNorm", "rms": "RMSNorm"},
    "positions": {
        "sinusoidal": "sinusoids",
        "learned": "a table",
        "relative": "distances",
        "rotary": "turned",
    },
    "network": {"relu": "ReLU", "gelu": "GELU", "gated": "SiLU, gated"},
    "biases": {"network": "in the network", "all": "everywhere", "none": "none"},
    "keys, values": {"each": "each head", "shared": "three share"},
}
MODELS = {
    "2017": "transformer-base",
    "BERT": "bert-base-uncased",
    "T5": "t5-small",
    "GPT-2": "gpt2",
    "GPT-NeoX": "pythia-160m",
    "Llama (SmolLM2)": "smollm2-135m",
}
SIZES = {"d": 576, "inner": 2304, "gated": 1536, "shared": 192}  # those of SmolLM2


def show() -> Explorer:
    """Show six choices of a layer, which models make them, and what a file has."""
    return Explorer(
        chapter="model_zoo",
        name="model_zoo",
        title="six choices of a layer, the models that make them, and their file",
        instruction="Turn the layer of 2017 into Llama's, choice by choice, and read "
        "each time what its tensors tell: two of the six turns change no name and no "
        "shape. Then find the other models.",
        controls=[],
        data={
            "rows": [[name, [*options.values()]] for name, options in CHOICES.items()],
            "models": {name: choices_of(CONFIGS[row]) for name, row in MODELS.items()},
            "sizes": SIZES,
        },
        uses=("drag", "beside"),
    )


def choices_of(config: TransformerConfig) -> list[int]:
    """Return which option a configuration takes for each of `CHOICES`."""
    network = "gated" if config.gated else config.activation.removesuffix("_tanh")
    biases = "all" if config.attention_bias else "network" if config.bias else "none"
    shared = config.num_kv_heads not in (None, config.num_heads)
    chosen = (
        config.norm_placement,
        config.norm,
        config.position,
        network,
        biases,
        "shared" if shared else "each",
    )
    return [
        [*options].index(option)
        for options, option in zip(CHOICES.values(), chosen, strict=True)
    ]
