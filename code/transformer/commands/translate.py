"""The command `translate`."""

import sys
from pathlib import Path
from typing import TextIO

from transformer.commands.attention_figure import save_attention
from transformer.commands.computing import find_device, set_threads
from transformer.commands.flags import (
    Computing,
    Drawing,
    SettingsError,
    TextError,
    Trained,
    Translating,
    as_flag,
    warn,
)
from transformer.commands.folder import Run
from transformer.commands.inference import translate, understood


def translate_command(
    asked: Translating, trained: Trained, drawing: Drawing, computing: Computing
) -> None:
    """Translate as the flags say, and print a line for each text."""
    texts = asked.texts or read_lines(sys.stdin)
    options = decoding_options(asked, trained, drawing)
    if asked.attention is not None:
        check_figure(asked, texts)
    device, place = find_device(computing), Run(Path(trained.run))
    model, tokenizer, settings = place.load("translate")
    if place.step < settings.steps:
        warn(f"this training stands at step {place.step} of {settings.steps}.")
    set_threads(computing, d_model=settings.d_model)
    sources, faults = {}, {}
    for number, text in enumerate(texts, start=1):
        try:
            if asked.texts or text.strip():  # a blank line is answered by one
                sources[number] = understood(model, tokenizer, settings, text)
        except TextError as error:
            faults[number] = str(error)
    if sources:
        given = [*sources.values()]
        found = translate(model.to(device), tokenizer, given, **options)
        answers = dict(zip(sources, found, strict=True))
        for number in range(1, len(texts) + 1):  # each text keeps its line
            print(answers.get(number, ""))
        sys.stdout.flush()  # before faults are told
        if asked.attention is not None:
            save_attention(Path(asked.attention), model, tokenizer, given[0], found[0])
            warn(f"where it looked is drawn in {asked.attention}.")
    if faults:
        lines = (f"text {number}: {fault}" for number, fault in faults.items())
        some = ["some texts cannot be translated:", *lines]
        raise TextError("\n".join(some) if len(texts) > 1 else faults[1])


def read_lines(file: TextIO | None) -> list[str]:
    """Return the lines of a file."""
    if file is not None and file.isatty():
        warn("reading texts, one a line; Ctrl-D ends them.")
    lines = [] if file is None else [line.rstrip("\r\n") for line in file]
    if not lines:
        raise TextError(
            "there must be a TEXT, or lines on the standard input, got neither; write "
            "some."
        )
    return lines


def check_figure(asked: Translating, texts: list[str]) -> None:
    """Check that a figure can be drawn, before anything is computed."""
    if len(texts) != 1:
        raise SettingsError(
            f"--attention must have one TEXT, got {len(texts)}; put it in quotation "
            "marks, and translate several one by one."
        )
    if Path(asked.attention).suffix.lower() not in (".svg", ".png", ".pdf"):
        raise SettingsError(
            "--attention must end in .svg, .png or .pdf, got "
            f"{asked.attention!r}; name such a file."
        )


def decoding_options(
    asked: Translating, trained: Trained, drawing: Drawing
) -> dict[str, float]:
    """Return the options of `generate` that were asked for."""
    given = drawing.given()
    if given and not asked.sample:
        raise SettingsError(
            f"{', '.join(map(as_flag, given))} must come with --sample, got no "
            "--sample; add it."
        )
    if not asked.sample:
        return {"beam_width": trained.beam_width}
    if trained.beam_width > 1:
        raise SettingsError(
            f"there must be one way of decoding, got --sample and --beam-width "
            f"{trained.beam_width}; leave one out."
        )
    return {"temperature": 1.0, **given}
