"""The command `translate`."""

import os
import sys
from argparse import Namespace
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import TextIO

from transformer.commands.attention_figure import save_attention
from transformer.commands.computing import check_drawing, find_device, set_threads
from transformer.commands.flags import given, typed_flags, warn
from transformer.commands.folder import Run
from transformer.commands.inference import TextError, translate
from transformer.commands.reading import as_text, read_each, read_input, understood
from transformer.commands.settings import SettingsError


def translate_command(parsed: Namespace) -> None:
    """Translate as the flags say, and print a line for each text."""
    texts = as_text(parsed.texts, "TEXT") or read_lines(sys.stdin)
    if parsed.attention:
        check_figure(parsed.attention, texts)
    options = {"beam_width": parsed.beam_width, **sampling_options(parsed)}
    device = find_device(parsed.device)
    place = Run(Path(parsed.run))
    model, tokenizer, settings = place.load()
    if steps := place.unfinished:
        warn("this training stands at step {} of {}.".format(*steps))
    set_threads(parsed.threads, d_model=settings.d_model)
    read = partial(understood, model, tokenizer, settings)
    texts = whole(texts, read) if parsed.texts else texts
    read = partial(read, note=warn)
    # A blank line of the standard input is answered by a blank line.
    asked = {n: t for n, t in enumerate(texts, start=1) if parsed.texts or t.strip()}
    good, faults = read_each(asked, read)
    if good:
        sources = list(good.values())
        try:
            found = translate(model.to(device), tokenizer, sources, **options)
        except ValueError as error:  # numbers that sampling or the search cannot take
            raise SettingsError(str(error)) from error
        # So is a line that was not understood: each line keeps its place.
        lines = good if parsed.texts else range(1, len(texts) + 1)
        print_lines(lines, dict(zip(good, found, strict=True)))
        if parsed.attention:
            path = Path(parsed.attention)
            save_attention(path, model, tokenizer, sources[0], found[0])
            warn(f"where it looked is drawn in {path}.")
    if faults:
        raise TextError(told(faults, of=len(texts)))


def whole(words: list[str], read: Callable[[str], str]) -> list[str]:
    """Return the texts of the command line, one without quotation marks as a whole.

    Texts of a word each are one text if they are understood together, and also if one
    of them alone is not understood: the reader is then told what is wrong with all.

    Args:
        words: What was typed.
        read: Returns a text as it is understood, or raises a `TextError`.
    """
    if len(words) == 1 or any(len(word.split()) != 1 for word in words):
        return words
    text = " ".join(words)
    _, faults = read_each(dict(enumerate([text, *words])), read)
    if [*faults] == [0]:  # each by itself is understood, and only so
        return words
    warn(f"read as one text: {text!r}; for several write quotation marks, or lines.")
    return [text]


def print_lines(numbers: Iterable[int], translations: Mapping[int, str]) -> None:
    """Print a line for each text, an empty one for a text without translation."""
    for number in numbers:
        print(translations.get(number, ""))
    sys.stdout.flush()  # before faults are told


def told(faults: Mapping[int, str], *, of: int) -> str:
    """Return what is wrong with some texts, a line for each; one text needs no name."""
    if of == 1:
        return faults[1]
    lines = (f"text {number}: {fault}" for number, fault in faults.items())
    return "\n".join(["some texts cannot be translated:", *lines])


def read_lines(file: TextIO | None) -> list[str]:
    """Return the lines of a file.

    Raises:
        TextError: If the file is empty, or is not text.
    """
    if file is not None and file.isatty():
        warn("reading texts, one a line; Ctrl-D ends them.")
    lines = [] if file is None else [x.rstrip("\r\n") for x in read_input(file)]
    if not lines:
        raise TextError(
            "there must be a TEXT, or lines on the standard input, got neither; write "
            "some."
        )
    return lines


def check_figure(name: str, texts: list[str]) -> None:
    """Check that a figure can be saved, before anything is computed."""
    if len(texts) != 1:
        raise SettingsError(
            f"--attention must have one TEXT, got {len(texts)}; put it in quotation "
            "marks, and translate several one by one."
        )
    if Path(name).suffix.lower() not in (".svg", ".png", ".pdf"):
        raise SettingsError(
            f"--attention must end in .svg, .png or .pdf, got {name!r}; name such a "
            "file."
        )
    folder = Path(name).parent
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        raise SettingsError(
            "--attention must be a file in a folder where one can write, got "
            f"{name!r}; make the folder {folder}, or name another."
        )


def sampling_options(parsed: Namespace) -> dict[str, float]:
    """Return what was said about sampling; nothing unless it is asked for."""
    said = given(parsed, ("temperature", "top_k", "top_p", "seed"))
    if not parsed.sample:
        if said:
            raise SettingsError(
                f"{typed_flags(said)} must come with --sample, got no --sample; add it."
            )
        return {}
    if parsed.temperature == 0:
        raise SettingsError(
            "--temperature must be above 0, got 0; leave out --sample, and the "
            "likeliest token is taken at each step."
        )
    if parsed.beam_width > 1:
        raise SettingsError(
            f"there must be one way of decoding, got --sample and --beam-width "
            f"{parsed.beam_width}; leave one out."
        )
    check_drawing(said)
    return {"temperature": 1.0, **said}
