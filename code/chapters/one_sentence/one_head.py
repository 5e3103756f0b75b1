"""The head of a language model that looks at the word whose turn it is.

Which it is, where it looks for pairs by which it was not chosen, and what is said
without it: `python -m chapters.one_sentence.one_head` writes the file beside this.
"""

from itertools import product

import torch

from chapters.laboratory.measurements import Measurements
from chapters.laboratory.real_model import open_model
from chapters.one_sentence.real_order import (
    CHOSEN_BY,
    OTHERS,
    leads,
    looks_at_pairs,
    mean_probability,
    without_each_head,
)
from transformer.zoo import LanguageModel

MEASUREMENTS = Measurements("one_sentence", "one_head")
LAYER, HEAD = 24, 1
PAIRS = {"six pairs": CHOSEN_BY, "others": OTHERS}


def leaders(smollm: LanguageModel, pairs: str) -> dict:
    """Return the three heads that look most at the word whose turn it is.

    Args:
        smollm: The model and its tokenizer.
        pairs: A key of `PAIRS`.
    """
    found = leads(*smollm, PAIRS[pairs])
    lead, number = found.flatten().topk(3)
    heads = [[n // found.size(1) + 1, n % found.size(1) + 1] for n in number.tolist()]
    return {"pairs": pairs, "lead": lead.tolist(), "heads": heads}


def said(smollm: LanguageModel, *, turned: bool, place: int) -> dict:
    """Return where the head looks, and the chance of the right word without it.

    Args:
        smollm: The model and its tokenizer.
        turned: As in `texts_and_answers`.
        place: As there.

    Returns:
        "looks", the weights at the two words of a pair; "right", the probability of
        the right word; "without", the same without each head of the layer.
    """
    asked = {"turned": turned, "place": place}
    where = {"layer": LAYER, "head": HEAD}
    looks = looks_at_pairs(*smollm, OTHERS, turned=turned, **where)
    return asked | {
        "looks": looks.mean(dim=0)[place].tolist(),
        "right": mean_probability(*smollm, OTHERS, **asked),
        "without": without_each_head(*smollm, OTHERS, layer=LAYER, **asked),
    }


def chosen() -> list[dict]:
    """Return the rows that say which head leads."""
    return MEASUREMENTS.read()[: len(PAIRS)]


def asked() -> list[dict]:
    """Return the rows that say what it does, for both orders and both places."""
    return MEASUREMENTS.read()[len(PAIRS) :]


if __name__ == "__main__":
    torch.set_num_threads(1)
    opened = open_model("smollm2-135m")
    rows = [leaders(opened, pairs) for pairs in PAIRS]
    for turned, place in product((True, False), (0, 1)):
        rows.append(said(opened, turned=turned, place=place))
    MEASUREMENTS.write(rows)
