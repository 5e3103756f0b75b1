"""Bindings for the chapter on a language model of your own."""

import itertools
from math import log, prod

import numpy as np
import torch
from formula_bindings import Draw, binds

from bookkit.checking.formulas import Binding
from chapters.language_model.coding import interval
from chapters.language_model.ngrams import ngram_bits
from transformer.training import bits_per_character

TRAIN = "abracadabra"


@binds("eq-language-bits")
def price_of_a_text(draw: Draw) -> Binding:
    shares = draw.positive(5) / 3
    text = "abcde"

    def guess(before: str) -> dict[str, float]:
        share = float(shares[len(before)])
        return {text[len(before)]: share, ".": 1 - share}

    _, width = interval(text, guess)
    assert width == prod(shares.tolist())
    return Binding({"B": -np.log2(float(width)), "p": shares}, {"t": range(1, 6)})


@binds("eq-language-mixture")
def counted_letters(draw: Draw) -> Binding:
    letters = sorted({*TRAIN})
    found = np.array(
        [2 ** -ngram_bits(TRAIN, "a" + x, order=2)[:, -1] for x in letters]
    )
    followed = [b for a, b in itertools.pairwise(TRAIN) if a == "a"]
    counts = np.array([followed.count(x) for x in letters])
    names = {"N": counts.sum(), "T": len({*followed}), "q": found[:, 0]}
    names |= {"p": found[:, 1], "c": counts}
    return Binding(names, {"x": range(1, len(letters) + 1)})


@binds("eq-language-currency")
def bits_a_letter(draw: Draw) -> Binding:
    losses, text = draw.positive(4), "in the beginning"
    names = {"ell": losses, "n": len(text)}
    names["b"] = bits_per_character(losses, text)
    return Binding(names, {"t": range(1, 5)})


@binds("language_model: What a code can do")
def mean_of_code_words(draw: Draw) -> Binding:
    shares = draw.positive(4)
    lengths = torch.tensor([1.0, 2.0, 3.0, 4.0], dtype=torch.float64)
    assert (lengths * -log(2)).exp().sum() < 1
    names = {"P": shares / shares.sum(), "ell": lengths}
    return Binding(names, {"x": range(1, 5)})
