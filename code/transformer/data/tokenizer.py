"""What every tokenizer does: text in, ids out, and back."""

import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from itertools import takewhile
from operator import index
from typing import Any, ClassVar

from transformer.checks.values import check_kind

SPECIALS = ("<pad>", "<bos>", "<eos>", "<unk>")
PAD_ID, BOS_ID, EOS_ID, UNK_ID = range(len(SPECIALS))


class Tokenizer(ABC):
    """Turn text into ids and ids into text.

    The first four ids are the same for each kind: padding, begin, end and unknown. No
    text ever becomes one of the first three.
    """

    kind: ClassVar[str]
    _opening: str | None = None

    @property
    @abstractmethod
    def vocab_size(self) -> int:
        """Number of ids, the special ones included."""

    def __len__(self) -> int:
        return self.vocab_size

    @abstractmethod
    def encode(self, text: str) -> list[int]:
        """Return the ids of a text; a piece without an id of its own is `UNK_ID`."""

    def encode_prompt(self, text: str) -> list[int]:
        """Return the ids of a text to go on with, behind what stood before in training.

        That is `opening`, or `BOS_ID` if there is none, as in `encode_texts`.
        """
        if self.opening is None:
            return [BOS_ID, *self.encode(text)]
        return self.encode(self.opening + text)

    @abstractmethod
    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of ids up to the first `EOS_ID`, without special ones."""

    @abstractmethod
    def pieces(self, text: str) -> list[str]:
        """Return the pieces of a text, one for each id of `encode`."""

    @abstractmethod
    def unknown(self, text: str) -> list[str]:
        """Return the pieces of a text that have no id of their own, in order."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return all there is to know, as JSON can hold it."""

    @classmethod
    @abstractmethod
    def from_dict(cls, description: dict[str, Any]) -> "Tokenizer":
        """Return the tokenizer that `to_dict` described."""

    @property
    def opening(self) -> str | None:
        """What stood before each text in training, such as a line end; if not `BOS_ID`.

        Raises:
            TypeError: If what is set is no text.
            ValueError: If a piece of it has no id of its own.
        """
        return self._opening

    @opening.setter
    def opening(self, text: str | None) -> None:
        if text is not None:
            check_kind("opening", text, str)
            if unknown := self.unknown(text):
                raise ValueError(
                    f"opening must be a text of known pieces, got {unknown[0]!r}; fit "
                    "the tokenizer to a text that holds it."
                )
        self._opening = text

    def told_opening(self) -> dict[str, str]:
        """Return what `to_dict` says of `opening`, which is nothing without one."""
        return {} if self.opening is None else {"opening": self.opening}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.vocab_size} ids)"


def normalized(text: str) -> str:
    """Return a text in which each accented letter is one character where possible.

    Source: Unicode Standard Annex 15, normalization form C.
    """
    check_kind("text", text, str)
    return unicodedata.normalize("NFC", text)


def check_encodable(text: str) -> None:
    """Check that a text can be written as bytes."""
    check_kind("text", text, str)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ValueError(
            "text must be what UTF-8 can hold, got half of a surrogate pair at "
            f"character {error.start}; decode the bytes it came from as UTF-16."
        ) from error


def check_texts(texts: Iterable[str]) -> None:
    """Check that `texts` are several texts, not one."""
    if isinstance(texts, str):
        raise TypeError("texts must be several texts, got one str; put it into a list.")


def check_one_text(id: object) -> None:
    """Check that what is decoded are ids, and not rows of them."""
    if isinstance(id, str | list | tuple) or getattr(id, "ndim", 0):
        rows = getattr(id, "shape", None)  # of a tensor or an array
        found = f"{id!r:.40}" if rows is None else f"a row of shape {tuple(rows)}"
        raise TypeError(
            f"ids must be the whole numbers of one text, got {found} among them; "
            "decode each row by itself, such as ids[0]."
        )
    try:
        index(id)
    except TypeError as error:
        raise TypeError(
            f"ids must be whole numbers, got {id!r:.40}; convert them with int() or "
            ".long()."
        ) from error


def checked_ids(ids: Iterable[int], vocab_size: int) -> Iterator[int]:
    """Yield the ids of one text as whole numbers, each after a check."""
    try:
        given = iter(ids)
    except TypeError as error:
        raise TypeError(
            f"ids must be those of a text, got {ids!r:.40}; pass a list, such as [5]."
        ) from error
    for id in given:
        check_one_text(id)
        if not 0 <= id < vocab_size:
            raise ValueError(
                f"ids must lie from 0 to {vocab_size - 1}, got {id}; decode with the "
                "tokenizer that the model was trained with."
            )
        yield int(id)


def real_ids(ids: Iterable[int], vocab_size: int) -> list[int]:
    """Return the ids up to the first `EOS_ID`, without special ones."""
    before_end = takewhile(lambda id: id != EOS_ID, checked_ids(ids, vocab_size))
    return [id for id in before_end if id >= len(SPECIALS)]


def check_description(
    description: dict[str, Any], kind: str, content: str, type_: type
) -> Any:
    """Check that `to_dict` of a kind can have returned it; return its content."""
    check_kind("description", description, dict)
    expected = {"kind", "specials", "vocab_size", content}
    if set(description) - {"opening"} != expected:
        raise ValueError(
            f"the description of a tokenizer of {kind} must hold "
            f"{', '.join(sorted(expected))}, got "
            f"{', '.join(sorted(map(str, description))) or 'nothing'}; "
            "pass what to_dict() returned."
        )
    if description["kind"] != kind:
        raise ValueError(
            f"the description must be of kind {kind}, got {description['kind']!r}; "
            "read it with tokenizer_from_dict."
        )
    if description["specials"] != list(SPECIALS):
        raise ValueError(
            f"the special ids must be {', '.join(SPECIALS)}, got "
            f"{description['specials']!r}; pass what to_dict() returned."
        )
    if not isinstance(description[content], type_):
        raise ValueError(
            f"{content} must be a {type_.__name__}, got "
            f"{type(description[content]).__name__}; pass what to_dict() returned."
        )
    return description[content]


def check_vocab_size(described: object, found: int) -> None:
    """Check that a description holds as many pieces as it states."""
    if described != found:
        raise ValueError(
            f"the description must hold as many pieces as its vocab_size says, got "
            f"vocab_size={described!r} and {found} with the special ones; it was cut "
            "or changed, so make it again."
        )
