"""Subwords: frequent pieces get an id, rare words are spelled with several."""

import json
from collections.abc import Iterable
from typing import Any, ClassVar

from transformer.checks.values import check_kind, check_size
from transformer.data.tokenizer import (
    SPECIALS,
    Tokenizer,
    check_description,
    check_encodable,
    check_texts,
    check_vocab_size,
    normalized,
    real_ids,
)
from transformer.packages import need

NUM_BYTES = 256


class SubwordTokenizer(Tokenizer):
    """Spell a text with pieces that were merged from bytes, most frequent pair first.

    It begins with the 256 bytes, so nothing is ever unknown, and each merge adds the
    pair of pieces that occurs most often in the texts. The learning and the merging
    are done by the package `tokenizers`.

    Source: Sennrich et al. (2016), section 3.2, for the merges; Radford et al.
    (2019), section 2.2, for bytes instead of characters. Here the ids are moved up by
    four, for the special ones: the package knows none, so no text can name one.

    Args:
        merges: A `tokenizers.Tokenizer` that splits into bytes and merges them.

    Raises:
        ValueError: If it does not do that, or does more.
    """

    kind = "subwords"
    LEAST: ClassVar[int] = NUM_BYTES + len(SPECIALS)  # ids without any merge

    def __init__(self, merges: Any) -> None:
        check_merges(merges)
        self.merges = merges

    @classmethod
    def fit(cls, texts: Iterable[str], *, vocab_size: int = 8000) -> "SubwordTokenizer":
        """Return a tokenizer of up to `vocab_size` ids.

        There are fewer when no pair is left that occurs twice.

        Args:
            texts: What to learn the merges from.
            vocab_size: The most ids, at least the 256 bytes and the special ones.

        Raises:
            TypeError: If `texts` is one text, or holds something else.
        """
        check_size("vocab_size", vocab_size, minimum=cls.LEAST)
        check_texts(texts)
        library = need("tokenizers", what="subwords need", extra="training")
        merges = library.Tokenizer(library.models.BPE())
        merges.pre_tokenizer = library.pre_tokenizers.ByteLevel(add_prefix_space=False)
        merges.decoder = library.decoders.ByteLevel()
        trainer = library.trainers.BpeTrainer(
            vocab_size=vocab_size - len(SPECIALS),
            min_frequency=2,
            show_progress=False,
            initial_alphabet=sorted(library.pre_tokenizers.ByteLevel.alphabet()),
        )
        merges.train_from_iterator(map(_encodable, texts), trainer)
        return cls(merges)

    @property
    def vocab_size(self) -> int:
        """Number of ids, the special ones included."""
        return len(SPECIALS) + self.merges.get_vocab_size()

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text; none is ever `UNK_ID`."""
        return [id + len(SPECIALS) for id in self.merges.encode(_encodable(text)).ids]

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of ids up to the first `EOS_ID`, without special ones.

        A letter of which bytes are missing is shown as U+FFFD.
        """
        kept = real_ids(ids, self.vocab_size)
        return self.merges.decode([id - len(SPECIALS) for id in kept])

    def pieces(self, text: str) -> list[str]:
        """Return the pieces of a text, one for each id of `encode`.

        Spaces are part of them; a piece that is no whole letter is shown as U+FFFD.
        """
        return [self.decode([id]) for id in self.encode(text)]

    def unknown(self, text: str) -> list[str]:
        """Return no pieces: each byte has an id."""
        check_kind("text", text, str)
        return []

    def to_dict(self) -> dict[str, Any]:
        """Return all there is to know, as JSON can hold it."""
        return {
            "kind": self.kind,
            "specials": list(SPECIALS),
            "vocab_size": self.vocab_size,
            "merges": json.loads(self.merges.to_str()),
        } | self.told_opening()

    @classmethod
    def from_dict(cls, description: dict[str, Any]) -> "SubwordTokenizer":
        """Return the tokenizer that `to_dict` described.

        Raises:
            ValueError: If it is of another kind, cut or contradicts itself.
        """
        content = check_description(description, cls.kind, "merges", dict)
        library = need("tokenizers", what="subwords need", extra="training")
        try:
            merges = library.Tokenizer.from_str(json.dumps(content))
        except Exception as error:  # the package raises nothing more special
            raise ValueError(
                "merges must be what the package tokenizers wrote, got something it "
                f"cannot read ({error}); pass what to_dict() returned."
            ) from error
        tokenizer = cls(merges)
        check_vocab_size(description["vocab_size"], tokenizer.vocab_size)
        tokenizer.opening = description.get("opening")
        return tokenizer


def check_merges(merges: Any) -> None:
    """Check that a tokenizer of the package merges bytes, and nothing else."""
    library = need("tokenizers", what="subwords need", extra="training")
    of_bytes = (
        isinstance(merges.model, library.models.BPE)
        and isinstance(merges.pre_tokenizer, library.pre_tokenizers.ByteLevel)
        and isinstance(merges.decoder, library.decoders.ByteLevel)
        and merges.normalizer is merges.post_processor is None
        and not merges.get_added_tokens_decoder()
    )
    letters = set(library.pre_tokenizers.ByteLevel.alphabet())
    if not of_bytes or not letters <= set(merges.get_vocab()):
        raise ValueError(
            "merges must be byte-level byte-pair encoding with all 256 bytes and no "
            "special tokens, got something else; make it with SubwordTokenizer.fit."
        )


def _encodable(text: str) -> str:
    """Return a text in normal form that can be written as bytes."""
    text = normalized(text)
    check_encodable(text)
    return text
