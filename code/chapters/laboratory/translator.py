"""One small translator of number words, trained in seconds, with parts to exchange.

The chapters on the whole machine ask of it what a part is worth: each trains the same
model on the same pairs, with the part and without it, from several seeds.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import torch
from torch import nn

from chapters.laboratory.fit import same_numbers
from chapters.laboratory.recipe import Trained, train_by_recipe
from transformer.commands.inference import translate
from transformer.commands.metrics import exact_match
from transformer.config import TransformerConfig
from transformer.data import (
    BOS_ID,
    EOS_ID,
    PAD_ID,
    Example,
    Pair,
    Splits,
    TrainingBatches,
    WordTokenizer,
    encode_pairs,
    number_words,
    sorted_batches,
)
from transformer.models import Transformer, attention_maps
from transformer.training import Evaluation, evaluate

BATCH = 64
PEAK = 5e-3
WARM_UP = 50
DEFAULTS = {
    "max_len": 64,
    "num_encoder_layers": 2,
    "num_decoder_layers": 2,
    "d_model": 64,
    "d_ff": 256,
    "num_heads": 4,
    "norm_placement": "pre",
    "final_norm": True,
    "pad_id": PAD_ID,
}


@dataclass(frozen=True)
class Task:
    """English numbers to be written in French words, the same for every training.

    Args:
        splits: The pairs to learn from and those held out.
        tokenizer: Knows the words of both languages.
        learned: The pairs to learn from, as ids.
        held_out: The test pairs, as ids.
    """

    splits: Splits
    tokenizer: WordTokenizer
    learned: list[Example]
    held_out: list[Example]


@cache
def numbers(below: int = 1_000_000) -> Task:
    """Return the numbers below a limit, in words: the pairs of `data.number_words`."""
    test = min(1_000, below // 5)
    splits = number_words(below=below, validation=0, test=test, seed=0)
    texts = [text for pair in splits.train for text in pair]
    tokenizer = WordTokenizer.fit(texts)
    learned, held_out = (
        encode_pairs(part, tokenizer) for part in (splits.train, splits.test)
    )
    return Task(splits, tokenizer, learned, held_out)


def new_translator(
    *,
    seed: int,
    below: int = 1_000_000,
    change: Callable[[nn.Module], None] | None = None,
    **choices: object,
) -> Transformer:
    """Return a fresh model on the default device, in float32.

    Args:
        seed: Seed of the parameters.
        below: Which task the vocabulary is of.
        change: Called with the fresh model, to exchange parts that no choice names.
        **choices: Fields of `TransformerConfig`, where they are not `DEFAULTS`.
    """
    vocab_size = numbers(below).tokenizer.vocab_size
    config = TransformerConfig(**(DEFAULTS | {"vocab_size": vocab_size} | choices))
    with same_numbers(seed):
        model = Transformer(config)
        if change is not None:
            change(model)
    return model.to(torch.get_default_device(), torch.float32)


def train_translator(
    *,
    seed: int,
    steps: int = 600,
    below: int = 1_000_000,
    learning_rate: float = PEAK,
    warm_up: int = WARM_UP,
    smoothing: float = 0.1,
    change: Callable[[nn.Module], None] | None = None,
    **choices: object,
) -> Trained:
    """Train a translator on number words.

    Adam, batches of 64 of like length, a warm-up and a cosine to zero, gradients
    clipped to length 1. The pairs of all trainings are the same; the seed
    decides about the parameters and about the order of the pairs.

    Args:
        seed: Seed of the parameters and of the order of the pairs.
        steps: Number of training steps.
        below: The numbers are smaller than this.
        learning_rate: The highest learning rate.
        warm_up: Steps until then, 0 for none.
        smoothing: Share of label smoothing.
        change: As in `new_translator`.
        **choices: As in `new_translator`.
    """
    model = new_translator(seed=seed, below=below, change=change, **choices)
    return train_by_recipe(
        model,
        TrainingBatches(numbers(below).learned, batch_size=BATCH, seed=seed),
        seed=seed,
        steps=steps,
        learning_rate=learning_rate,
        warm_up=warm_up,
        smoothing=smoothing,
    )


def scores(
    model: Transformer,
    examples: Sequence[Example] | None = None,
    *,
    below: int = 1_000_000,
) -> Evaluation:
    """Return how well a model predicts pairs, the true words given.

    Args:
        model: A translator.
        examples: The pairs as ids; the held-out pairs when not given.
        below: Which task it learned.
    """
    shown = numbers(below).held_out if examples is None else examples
    return evaluate(model, sorted_batches(shown, batch_size=250))


def share_right(
    model: Transformer, pairs: Sequence[Pair] | None = None, *, below: int = 1_000_000
) -> float:
    """Return the share of pairs that a model translates by itself without a fault.

    Args:
        model: A trained model; it writes greedily.
        pairs: What to translate; the held-out pairs when not given.
        below: Which task it learned.
    """
    task = numbers(below)
    texts, references = zip(*(pairs or task.splits.test), strict=True)
    return exact_match(translate(model, task.tokenizer, texts), references)


@torch.no_grad()
def attention_weights(model: nn.Module, tokenizer: WordTokenizer, pair: Pair) -> dict:
    """Return the weights of every attention by name, while a pair is read and written.

    Each has the shape (heads, rows, columns). The source ends with the end; the first
    row of the target is that of the begin, which predicts the first word.

    Args:
        model: A translator.
        tokenizer: Knows the words of the pair.
        pair: A number in both languages.
    """
    source, target = (tokenizer.encode(text) for text in pair)
    device = next(model.parameters()).device
    ids = ([*source, EOS_ID], [BOS_ID, *target])
    with attention_maps(model) as maps:
        model(*(torch.tensor([row], device=device) for row in ids))
    return {name: weights[0] for name, weights in maps.items()}


def cross_weights(model: nn.Module, tokenizer: WordTokenizer, pair: Pair) -> dict:
    """Return what `attention_weights` does, of the cross-attentions alone."""
    maps = attention_weights(model, tokenizer, pair)
    return {n: w for n, w in maps.items() if n.endswith("cross_attention")}
