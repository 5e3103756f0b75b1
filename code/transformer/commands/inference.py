"""Translation: text in, text out."""

from collections.abc import Callable, Sequence

import torch

from transformer.commands.flags import TextError
from transformer.commands.settings import Settings
from transformer.data import (
    BOS_ID,
    EOS_ID,
    Example,
    Tokenizer,
    english,
    read_english,
    sorted_batches,
)
from transformer.decoding import generate
from transformer.models import Transformer

ROWS = 250  # texts in a batch
EXTRA = 50  # tokens that a translation may be longer than its source


def translate(
    model: Transformer,
    tokenizer: Tokenizer,
    texts: Sequence[str],
    *,
    progress: Callable[[int], object] = lambda texts: None,
    **options: object,
) -> list[str]:
    """Translate texts in order; words that are not known are read as unknown.

    A translation ends at most 50 tokens longer than the longest source that is
    translated with it, after Vaswani et al. (2017), section 6.1.

    Args:
        model: A trained model.
        tokenizer: The one that it was trained with.
        texts: What to translate.
        progress: Called after each batch with the number of its texts.
        options: The way of decoding, as `decoding.generate` takes it; the likeliest
            token at each step if there are none.
    """
    sources = [encode(model, tokenizer, text) for text in texts]
    batches = sorted_batches([Example(None, ids) for ids in sources], batch_size=ROWS)
    found = []
    if "seed" in options:  # one generator for all batches
        generator = torch.Generator("cpu").manual_seed(options.pop("seed"))
        options["generator"] = generator
    for batch in batches:
        source = batch.target.to(model.device)
        longest = min(source.size(1) + EXTRA, model.config.max_len)
        ids = generate(
            model,
            source,
            max_new_tokens=longest,
            eos_id=EOS_ID,
            bos_id=BOS_ID,
            **options,
        )
        found += [tokenizer.decode(row) for row in ids.tolist()]
        progress(len(batch))
    return batches.in_order(found)


def encode(model: Transformer, tokenizer: Tokenizer, text: str) -> list[int]:
    """Return the ids of a text that the model can read, the end included."""
    if not text.strip():
        raise TextError("a text must have words, got an empty one; write some.")
    ids = [*tokenizer.encode(text), EOS_ID]
    if len(ids) > model.config.max_len:
        raise TextError(
            f"a text must have at most {model.config.max_len - 1} tokens, got "
            f"{len(ids) - 1} in {text[:30]!r}; split it."
        )
    return ids


def understood(
    model: Transformer, tokenizer: Tokenizer, settings: Settings, text: str
) -> str:
    """Return a text as the model has learned to read it.

    A number may be written in any way that `read_english` reads.
    """
    encode(model, tokenizer, text)
    if settings.made_task == "numbers":
        try:
            text = english(read_english(text))
        except ValueError as error:
            raise TextError(str(error)) from error
        encode(model, tokenizer, text)
    if unknown := tokenizer.unknown(text):
        words = [word for word in text.split() if tokenizer.unknown(word)] or unknown
        raise TextError(
            f"the words of {text!r} must be known from the training, got "
            f"{', '.join(map(repr, words))}; write them as they stood there, use "
            "others, or train with --tokenizer subwords on text that has them."
        )
    return text
