"""What a language model gives all words after two beginnings, in few bytes.

The likeliest words are kept one by one. All others are counted by how far their logit
is behind the largest one, in bins so narrow that sums over the vocabulary keep their
digits at each temperature. The explorer of sampling reads them from a file that
`python -m chapters.decoding.next_words` writes.
"""

from collections.abc import Callable, Mapping

import torch
from jaxtyping import Float
from torch import Tensor

from chapters.decoding.real_texts import PROMPT
from chapters.laboratory.measurements import Measurements
from chapters.laboratory.real_model import as_ids, open_model
from transformer.zoo import LanguageModel

MEASUREMENTS = Measurements("decoding", "next_words")
MODEL = "smollm2-135m"
TEXTS = {"sure": "The capital of France is", "unsure": PROMPT}
LISTED = 20  # words that are kept one by one
BIN = 0.02  # width of a bin, in units of a logit


def pack(
    logits: Float[Tensor, " vocab"], decode: Callable[[list[int]], str]
) -> dict[str, object]:
    """Pack the logits of a vocabulary.

    Args:
        logits: The logits of all tokens.
        decode: What makes a text of ids.

    Returns:
        words: the likeliest ones; largest: the logit of the first of them; gaps: how
        far each of them is behind it; start: the first bin of the others, counted from
        the largest logit; counts: how many words are in that bin and in each after it.
    """
    ranked = logits.double().sort(descending=True, stable=True)
    gaps = ranked.values[0] - ranked.values
    bins = (gaps[LISTED:] / BIN).long()
    start = int(bins[0])
    return {
        "words": [show_word(decode([i])) for i in ranked.indices[:LISTED].tolist()],
        "largest": ranked.values[0].item(),
        "gaps": gaps[:LISTED].tolist(),
        "start": start,
        "counts": (bins - start).bincount().tolist(),
    }


def unpack(packed: Mapping) -> Float[Tensor, " vocab"]:
    """Return the logits of a vocabulary, the largest first.

    A word that was counted in a bin gets the logit of its middle.
    """
    counts = torch.tensor(packed["counts"])
    bins = packed["start"] + torch.arange(len(counts)).repeat_interleave(counts)
    gaps = torch.tensor(packed["gaps"], dtype=torch.float64)
    return packed["largest"] - torch.cat((gaps, BIN * (bins.double() + 0.5)))


def show_word(token: str) -> str:
    """Write a token without the space before it; one without letters in quotes."""
    word = token.strip()
    return word if word.isalnum() else f"“{word or token}”"


@torch.no_grad()
def every_text(smollm: LanguageModel) -> list[dict]:
    """Return a row for each beginning."""
    model, tokenizer = smollm
    return [
        {"text": name} | pack(model(as_ids(tokenizer, text))[0, -1], tokenizer.decode)
        for name, text in TEXTS.items()
    ]


if __name__ == "__main__":
    MEASUREMENTS.write(every_text(open_model(MODEL)), model=MODEL, bin=BIN)
