"""Where the translator of the chapter on training looks: all maps of a few sentences.

The explorer of that chapter reads them from a file that
`python -m chapters.training.translator_attention FILE` writes.
"""

from itertools import product

import torch
from torch import Tensor, nn

from chapters.laboratory.measurements import Measurements
from chapters.laboratory.translator import attention_weights, numbers, train_translator
from transformer.data import Pair, WordTokenizer, english, french

MEASUREMENTS = Measurements("training", "translator_attention")
SEED, STEPS = 0, 600  # of the training that the chapter shows
SHOWN = (80_297, 21_080, 971, 6_394, 45_017)  # none was learned
KINDS = {
    "encoder": "encoder.layers.{}.self_attention",
    "decoder": "decoder.layers.{}.self_attention",
    "cross": "decoder.layers.{}.cross_attention",
}
PERCENT = 100  # weights are kept as whole percents


def names(tokenizer: WordTokenizer, pair: Pair) -> dict[str, list[str]]:
    """Return what stands at the positions of the source and of the target."""
    source, target = (tokenizer.pieces(text) for text in pair)
    return {"source": [*source, "end"], "target": ["begin", *target]}


def percents(weights: Tensor) -> list:
    """Return weights as whole percents."""
    return (weights.double() * PERCENT).round().int().tolist()


def looked(model: nn.Module, tokenizer: WordTokenizer, pair: Pair) -> dict:
    """Return the maps of one sentence.

    Args:
        model: A translator.
        tokenizer: Knows the words of the pair.
        pair: A number in both languages.

    Returns:
        source and target: the words at their positions; maps: for each of `KINDS` the
        layers, in each the heads, in each the rows, in percent.
    """
    found = attention_weights(model, tokenizer, pair)
    layers = range(model.config.num_decoder_layers)
    maps = {
        kind: [percents(found[name.format(layer)]) for layer in layers]
        for kind, name in KINDS.items()
    }
    return names(tokenizer, pair) | {"maps": maps}


def measured(*, steps: int = STEPS, shown: tuple[int, ...] = SHOWN) -> list[dict]:
    """Train the translator, and return a row for each number that is shown."""
    torch.set_num_threads(1)
    model = train_translator(seed=SEED, steps=steps).model
    tokenizer = numbers().tokenizer
    pairs = [(n, Pair(english(n), french(n))) for n in shown]
    return [{"number": n} | looked(model, tokenizer, pair) for n, pair in pairs]


def every_map(row: dict) -> list[tuple[str, int, int, list[list[int]]]]:
    """List the maps of a row: their kind, layer and head, and the percents."""
    return [
        (kind, layer, head, row["maps"][kind][layer][head])
        for kind in KINDS
        for layer, head in product(
            range(len(row["maps"][kind])), range(len(row["maps"][kind][0]))
        )
    ]


if __name__ == "__main__":
    MEASUREMENTS.write(measured(), seed=SEED, steps=STEPS)
