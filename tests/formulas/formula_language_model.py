"""Bindings for the chapter on a language model of your own."""

import itertools
from collections.abc import Iterator
from math import log, prod

import numpy as np
import torch
from formula_bindings import Draw, binds

from bookkit.checking.formulas import Binding, Family
from chapters.language_model.coding import interval
from chapters.language_model.ngrams import ngram_bits
from transformer.training import bits_per_character, newton_schulz
from transformer.training.muon import COEFFICIENTS

TRAIN = "abracadabra"
LOGARITHMS = Family(lambda k: lambda x: np.log(x) / log(k), functions=True)


@binds("eq-language-bits")
def price_of_a_text(draw: Draw) -> Binding:
    shares = draw.positive(5) / 3
    text = "abcde"

    def guess(before: str) -> dict[str, float]:
        share = float(shares[len(before)])
        return {text[len(before)]: share, ".": 1 - share}

    _, width = interval(text, guess)
    assert width == prod(shares.tolist())
    names = {"B": -np.log2(float(width)), "p": shares, "n": 5}
    return Binding(names | {"log": LOGARITHMS})


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
    names["B"] = bits_per_character(losses, text) * len(text)
    return Binding(names, {"t": range(1, 5)})


@binds("language_model: What a code can do")
def mean_of_code_words(draw: Draw) -> Iterator[Binding]:
    lengths = torch.tensor([1.0, 2.0, 3.0, 3.0], dtype=torch.float64)
    shares = (lengths * -log(2)).exp()  # for which both bounds are attained
    names = {"P": shares, "ell": lengths, "log": LOGARITHMS}
    yield Binding(names, {"x": range(1, 5)}, attained=True)
    shares = torch.tensor([0.97, 0.01, 0.01, 0.01], dtype=torch.float64)
    lengths = torch.tensor([3.0, 2.0, 2.0, 3.0], dtype=torch.float64)
    yield Binding(names | {"P": shares, "ell": lengths}, {"x": range(1, 5)})
    shares = (lengths * -log(2)).exp()  # for which only the first is
    names = names | {"P": shares / shares.sum(), "ell": lengths}
    yield Binding(names, {"x": range(1, 5)})


@binds("eq-language-muon")
def rounds_of_a_polynomial(draw: Draw) -> Binding:
    start = draw(3, 4)

    def after(k: int) -> np.ndarray:
        found = newton_schulz(start, rounds=k) if k else start / start.norm()
        return found.numpy()

    names = dict(zip("abc", COEFFICIENTS, strict=True))
    return Binding(names | {"X": Family(after)}, {"k": range(3)})
