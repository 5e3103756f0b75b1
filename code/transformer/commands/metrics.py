"""Metrics: how good translations are, counted over whole texts."""

from collections.abc import Sequence
from types import ModuleType

from transformer.packages import need


def exact_match(translations: Sequence[str], references: Sequence[str]) -> float:
    """Return the share of translations that are equal to their reference."""
    _check(translations, references)
    equal = sum(a == b for a, b in zip(translations, references, strict=True))
    return equal / len(references)


def sacrebleu() -> ModuleType:
    """Return the package that computes BLEU."""
    return need("sacrebleu", what="BLEU needs", extra="training")


def bleu(translations: Sequence[str], references: Sequence[str]) -> float:
    r"""Return the BLEU score of a corpus, from 0 to 100.

    $$\mathrm{BLEU} = 100 \cdot \min(1, e^{1 - r/c}) \cdot
    \exp\left(\frac{1}{4} \sum_{n=1}^{4} \log p_n\right)$$

    with the share $p_n$ of word sequences of length $n$ that the references have too,
    and the lengths $c$ of the translations and $r$ of the references.

    Source: Papineni et al. (2002), section 2.3; computed by sacreBLEU, Post (2018),
    with its own tokenization.
    """
    _check(translations, references)
    return sacrebleu().corpus_bleu(list(translations), [list(references)]).score


def _check(translations: Sequence[str], references: Sequence[str]) -> None:
    """Check that there is one reference for each translation."""
    if len(translations) != len(references) or not references:
        raise ValueError(
            "there must be one reference for each translation, at least one, got "
            f"{len(translations)} translations and {len(references)} references; pass "
            "lists of one length."
        )
