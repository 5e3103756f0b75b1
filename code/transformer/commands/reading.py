"""Texts as a reader types them, made into what a model has learned to read."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TextIO

from transformer.commands.inference import TextError, encode
from transformer.commands.settings import Settings
from transformer.data import Tokenizer, english, read_english
from transformer.models import Transformer


def understood(
    model: Transformer,
    tokenizer: Tokenizer,
    settings: Settings,
    text: str,
    note: Callable[[str], None] = lambda line: None,
) -> str:
    """Return a text as the model has learned to read it.

    A number may be written in any way that `read_english` reads. In another text a
    word that is known in other letters only, small or capital, is read in these, which
    is noted.

    Args:
        model: A trained model.
        tokenizer: The one that it was trained with.
        settings: Those of its training.
        text: What was typed.
        note: Takes a sentence about what is read as something else.

    Raises:
        TextError: If the text is empty, too long, or holds what was never learned.
    """
    encode(model, tokenizer, text)
    if settings.made_task == "numbers":
        try:
            text = english(read_english(text))
        except ValueError as error:
            raise TextError(str(error)) from error
    else:
        text = in_known_letters(tokenizer, text, note)
    encode(model, tokenizer, text)
    return text


def in_known_letters(
    tokenizer: Tokenizer, text: str, note: Callable[[str], None]
) -> str:
    """Return a text all of whose words are known, small or capital as these are."""
    if not (unknown := set(tokenizer.unknown(text))):
        return text
    pieces = tokenizer.pieces(text)
    # Of several spellings the one in small letters counts, or else the most frequent.
    vocabulary = sorted(tokenizer.vocabulary, key=lambda piece: piece != piece.lower())
    known = {piece.lower(): piece for piece in reversed(vocabulary)}
    found = [known.get(p.lower(), p) if p in unknown else p for p in pieces]
    read = tokenizer.join(found)
    if tokenizer.unknown(read):
        raise TextError(
            f"the words of {text!r} must be known from the training, got "
            f"{unknown_words(tokenizer, text, read)}; use others, or train with "
            "--tokenizer subwords on text that has them."
        )
    note(
        f"{unknown_words(tokenizer, text, text)} was not in the training; the text is "
        f"read as {read!r}."
    )
    return read


def unknown_words(tokenizer: Tokenizer, text: str, read: str) -> str:
    """Return the words of a text that are not known as they are read, or a space."""
    words = [
        word
        for word, small in zip(text.split(), read.split(), strict=True)
        if tokenizer.unknown(small)
    ]
    return ", ".join(map(repr, words or tokenizer.unknown(read)))


def read_each(
    texts: Mapping[int, str], read: Callable[[str], str]
) -> tuple[dict[int, str], dict[int, str]]:
    """Return what is understood and what is not, each by its number.

    Args:
        texts: What was typed, by its number.
        read: Returns a text as it is understood, or raises a `TextError`.

    Returns:
        The texts as they are understood, and why the others are not.
    """
    good, faults = {}, {}
    for number, text in texts.items():
        try:
            good[number] = read(text)
        except TextError as error:
            faults[number] = str(error)
    return good, faults


def read_text(words: Sequence[str], file: TextIO | None) -> str:
    """Return the words of a command as a text, or what is on the standard input.

    Args:
        words: Those of the command line; none, or a single -, for the file.
        file: The standard input. A terminal is not waited for, unless by -.

    Raises:
        TextError: If nothing was given, or bytes that are no text.
    """
    if words and list(words) != ["-"]:
        return " ".join(as_text(words, "TEXT"))
    if file is None or (not words and file.isatty()):
        raise TextError(
            "there must be a TEXT to go on with, got none; write it behind the "
            "command, or send it to its standard input."
        )
    return "".join(read_input(file)).rstrip("\r\n")


def read_input(file: TextIO) -> list[str]:
    """Return the lines of the standard input as they are.

    Raises:
        TextError: If they are not text.
    """
    return as_text(file, "the standard input")


def as_text(typed: Iterable[str], name: str) -> list[str]:
    """Return what was typed, if all of it is text.

    Args:
        typed: Words or lines. In the words of a command, and in the C locale in lines
            too, Python hides each byte that is not UTF-8 in half a surrogate pair.
        name: What they are called in the error.

    Raises:
        TextError: If they are not text.
    """
    try:
        return [x.encode("utf-8", "surrogateescape").decode("utf-8") for x in typed]
    except UnicodeError as error:
        raise TextError(
            f"{name} must be text, got bytes that are not ({error}); write it as UTF-8."
        ) from error
