"""Numbers in English and French words, for small encoder-decoders to translate."""

from functools import cache

from transformer.data import Splits, WordTokenizer, number_words

BELOW = 1_000  # numbers to translate


@cache
def numbers() -> tuple[Splits, WordTokenizer]:
    """Return the numbers below a thousand, the same for every training."""
    splits = number_words(below=BELOW, train=2000, validation=0, test=200, seed=0)
    texts = [text for pair in splits.train for text in pair]
    return splits, WordTokenizer.fit(texts)
