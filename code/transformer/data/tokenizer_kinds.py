"""The kinds of tokenizers: those that hold a list of pieces, and all by name."""

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from transformer.checks.values import check_choice, check_kind, check_size
from transformer.data.pieces import is_piece, join_words, split_words
from transformer.data.subwords import SubwordTokenizer
from transformer.data.tokenizer import (
    SPECIALS,
    UNK_ID,
    Tokenizer,
    check_description,
    check_texts,
    check_vocab_size,
    normalized,
    real_ids,
)


class VocabularyTokenizer(Tokenizer):
    """Give an id to each of a list of pieces.

    Raises:
        ValueError: If the list is empty, a piece repeats, or is not of this kind.
    """

    def __init__(self, pieces: Sequence[str]) -> None:
        if isinstance(pieces, str) or not isinstance(pieces, Sequence):
            raise TypeError(
                f"pieces must be several {self.kind}, got {pieces!r:.40}; make the "
                f"tokenizer by {type(self).__name__}.fit(texts)."
            )
        for piece in pieces:
            check_kind("each piece", piece, str)
            if not self.is_piece(piece):
                raise ValueError(
                    f"pieces must be {self.kind}, got {piece!r}; make them with fit."
                )
        if not pieces:
            raise ValueError(
                f"a tokenizer of {self.kind} must know at least one piece, got none; "
                "pass texts that hold some, or a smaller min_count."
            )
        self.vocabulary = tuple(pieces)
        self.ids = {piece: id for id, piece in enumerate(pieces, start=len(SPECIALS))}
        if len(self.ids) < len(pieces):
            twice = next(piece for piece, n in Counter(pieces).items() if n > 1)
            raise ValueError(
                f"each piece must occur once, got {twice!r} more than once; "
                "make them with fit."
            )

    @staticmethod
    @abstractmethod
    def split(text: str) -> list[str]:
        """Return the pieces of a text."""

    @staticmethod
    @abstractmethod
    def join(pieces: list[str]) -> str:
        """Return the text of pieces."""

    @staticmethod
    @abstractmethod
    def is_piece(piece: str) -> bool:
        """Return whether `split` can return a piece."""

    @classmethod
    def count(cls, texts: Iterable[str]) -> Counter[str]:
        """Return how often each piece occurs in all texts."""
        check_texts(texts)
        counts: Counter[str] = Counter()
        for text in texts:
            counts.update(cls.split(text))
        return counts

    @property
    def vocab_size(self) -> int:
        """Number of ids, the special ones included."""
        return len(SPECIALS) + len(self.vocabulary)

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text; a piece without an id of its own is `UNK_ID`."""
        return [self.ids.get(piece, UNK_ID) for piece in self.split(text)]

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of ids up to the first `EOS_ID`, without special ones."""
        kept = real_ids(ids, self.vocab_size)
        return self.join([self.vocabulary[id - len(SPECIALS)] for id in kept])

    def pieces(self, text: str) -> list[str]:
        """Return the pieces of a text, one for each id of `encode`."""
        return self.split(text)

    def unknown(self, text: str) -> list[str]:
        """Return the pieces of a text that have no id of their own, in order."""
        return [piece for piece in self.split(text) if piece not in self.ids]

    def to_dict(self) -> dict[str, Any]:
        """Return all there is to know, as JSON can hold it."""
        return {
            "kind": self.kind,
            "specials": list(SPECIALS),
            "vocab_size": self.vocab_size,
            "pieces": list(self.vocabulary),
        } | self.told_opening()

    @classmethod
    def from_dict(cls, description: dict[str, Any]) -> "VocabularyTokenizer":
        """Return the tokenizer that `to_dict` described.

        Raises:
            TypeError: If the description is no dictionary, or a piece no text.
            ValueError: If it is of another kind, cut or contradicts itself.
        """
        pieces = check_description(description, cls.kind, "pieces", list)
        check_vocab_size(description["vocab_size"], len(SPECIALS) + len(pieces))
        tokenizer = cls(pieces)
        tokenizer.opening = description.get("opening")
        return tokenizer


class CharacterTokenizer(VocabularyTokenizer):
    """Give an id to each character; spaces are characters too."""

    kind = "characters"
    split = staticmethod(lambda text: list(normalized(text)))
    join = staticmethod("".join)
    is_piece = staticmethod(
        lambda piece: len(piece) == 1 and normalized(piece) == piece
    )

    @classmethod
    def fit(cls, texts: Iterable[str]) -> "CharacterTokenizer":
        """Return a tokenizer of all characters of some texts.

        The most frequent one comes first; equals stand in the order of the alphabet.

        Raises:
            TypeError: If `texts` is one text, or holds something else.
        """
        return cls(by_count(cls.count(texts)))


class WordTokenizer(VocabularyTokenizer):
    """Give an id to each word, and to each mark that stands alone; see `split_words`.

    In scripts that write vowels as marks on a letter, such as Devanagari, a word is
    split at these. Nothing is lost, but subwords serve such a text better.
    """

    kind = "words"
    split = staticmethod(split_words)
    join = staticmethod(join_words)
    is_piece = staticmethod(is_piece)

    @classmethod
    def fit(cls, texts: Iterable[str], *, min_count: int = 1) -> "WordTokenizer":
        """Return a tokenizer of all pieces that occur at least `min_count` times.

        The most frequent one comes first; equals stand in the order of the alphabet.

        Raises:
            TypeError: If `texts` is one text, or holds something else.
        """
        check_size("min_count", min_count)
        counts = cls.count(texts)
        return cls([piece for piece in by_count(counts) if counts[piece] >= min_count])


def by_count(counts: Counter[str]) -> list[str]:
    """Return pieces, the most frequent first, equals in the order of the alphabet."""
    return sorted(counts, key=lambda piece: (-counts[piece], piece))


TOKENIZERS: dict[str, type[Tokenizer]] = {
    kind.kind: kind for kind in (CharacterTokenizer, WordTokenizer, SubwordTokenizer)
}


def tokenizer_from_dict(description: dict[str, Any]) -> Tokenizer:
    """Return the tokenizer that its `to_dict` described.

    Args:
        description: What `to_dict` returned, also after a way through JSON.

    Raises:
        ValueError: If the kind is not known, or the description was cut, changed or
            contradicts itself.
    """
    check_kind("description", description, dict)
    check_choice("kind", description.get("kind"), TOKENIZERS)
    return TOKENIZERS[description["kind"]].from_dict(description)
