"""What a model makes of a few texts, told when its training has ended."""

from collections.abc import Iterator, Sequence
from textwrap import shorten

import torch

from transformer.commands.flags import RUN
from transformer.commands.folder import Run
from transformer.commands.inference import translate
from transformer.commands.settings import Settings
from transformer.commands.typed import typed
from transformer.data import Pair

SHOWN, LONGEST = 3, 120  # how many texts, and how many characters of each
NOTHING = "(nothing: it ends at once)"


def sample_lines(
    place: Run, settings: Settings, pairs: Sequence[Pair], device: torch.device
) -> Iterator[str]:
    """Yield what the saved model makes of a few texts, and what to type next.

    Args:
        place: Where the model is saved.
        settings: Those of its training.
        pairs: Texts that it has not learned from, and their translations.
        device: Where to compute.
    """
    model, tokenizer, _ = place.load()
    shown = pairs[:SHOWN]
    sources = [pair.source for pair in shown]
    yield "what it makes of texts that it has not learned from:"
    translations = translate(model.to(device), tokenizer, sources)
    for pair, found in zip(shown, translations, strict=True):
        yield f"  {short(pair.source)}"
        judgement = judged(found, pair.target, settings)
        yield f"    -> {short(found) or NOTHING} ({judgement})"
    yield f"in Python: transformer.load_training({str(place.folder)!r})"
    # A text with words that no training text has would be refused.
    known = (pair.source for pair in pairs if not tokenizer.unknown(pair.source))
    if text := next(known, None):
        run = [] if place.folder == RUN else [f"--run={place.folder}"]
        end = ["--"] if text.startswith("-") else []  # of the flags
        yield f"now try: {typed('translate', *run, *end, text)}"


def judged(found: str, expected: str, settings: Settings) -> str:
    """Return whether a translation is right; a text of people knows several."""
    exact = settings.made_task is not None
    if found == expected:
        return "right" if exact else "as in the text"
    return f"{'wrong: it is' if exact else 'the text has:'} {short(expected)}"


def short(text: str) -> str:
    """Return a text that fits into a line or two."""
    return shorten(text, LONGEST, placeholder=" ...")
