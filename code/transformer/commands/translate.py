"""The command `translate`."""

import os
import sys
from argparse import ArgumentParser, Namespace, _SubParsersAction
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TextIO

from transformer.commands.attention_figure import save_attention
from transformer.commands.flags import (
    add_beam_width,
    add_device,
    add_run,
    add_threads,
    check_at_least_one,
    check_drawing,
    find_device,
    given,
    set_threads,
    typed_flags,
    warn,
)
from transformer.commands.folder import Run
from transformer.commands.inference import TextError, translate
from transformer.commands.reading import read_each, read_input, understood
from transformer.commands.settings import SettingsError


def add_command(commands: _SubParsersAction, help: str) -> None:
    """Add the command to the command line, with its line of help."""
    parser: ArgumentParser = commands.add_parser(
        "translate",
        help=help,
        description="Translate texts, or the lines of the standard input. The "
        "likeliest token is taken at each step, unless a beam search or sampling is "
        "asked for.",
    )
    parser.add_argument(
        "texts",
        nargs="*",
        metavar="TEXT",
        help="what to translate; behind -- if it begins with a -",
    )
    add_run(parser)
    add_beam_width(parser)
    parser.add_argument(
        "--sample", action="store_true", help="draw each token at random"
    )
    parser.add_argument(
        "--temperature", type=float, help="sharper below 1 (default: 1)"
    )
    parser.add_argument("--top-k", type=int, help="draw from the k likeliest tokens")
    parser.add_argument(
        "--top-p", type=float, help="draw from the fewest tokens of this probability"
    )
    parser.add_argument("--seed", type=int, help="draw the same at each run")
    parser.add_argument(
        "--attention",
        metavar="FILE",
        help="save what the model looked at as a figure (.svg, .png or .pdf); one TEXT",
    )
    add_device(parser)
    add_threads(parser)
    parser.set_defaults(command=translate_command)


def translate_command(parsed: Namespace) -> None:
    """Translate as the flags say, and print a line for each text."""
    check_at_least_one("--beam-width", parsed.beam_width)
    texts = parsed.texts or read_lines(sys.stdin)
    if parsed.attention:
        check_figure(parsed.attention, texts)
    options = {"beam_width": parsed.beam_width, **sampling_options(parsed)}
    device = find_device(parsed.device)
    model, tokenizer, settings = Run(Path(parsed.run)).load()
    set_threads(parsed.threads, d_model=settings.d_model)
    read = partial(understood, model, tokenizer, settings, note=warn)
    # A blank line of the standard input is answered by a blank line.
    asked = {n: t for n, t in enumerate(texts, start=1) if parsed.texts or t.strip()}
    good, faults = read_each(asked, read)
    if good:
        sources = list(good.values())
        try:
            found = translate(model.to(device), tokenizer, sources, **options)
        except ValueError as error:  # numbers that sampling or the search cannot take
            raise SettingsError(str(error)) from error
        print_lines(len(texts), dict(zip(good, found, strict=True)))
        if parsed.attention:
            path = Path(parsed.attention)
            save_attention(path, model, tokenizer, sources[0], found[0])
    if faults:
        raise TextError(told(faults, of=len(texts)))


def print_lines(count: int, translations: Mapping[int, str]) -> None:
    """Print a line for each text, an empty one for a text without translation."""
    for number in range(1, count + 1):
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
            f"--attention must have one TEXT, got {len(texts)}; translate them one by "
            "one."
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
