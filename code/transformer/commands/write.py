"""The command `write`: a trained language model goes on with a text."""

import sys
import time
import warnings
from argparse import Namespace
from collections.abc import Mapping
from contextlib import suppress

import torch

from transformer.commands.computing import check_drawing, find_device, set_threads
from transformer.commands.described import USUAL
from transformer.commands.flags import given, typed_flags, warn
from transformer.commands.inference import TextError
from transformer.commands.reading import read_text
from transformer.commands.settings import SettingsError
from transformer.decoding import generate
from transformer.zoo import INSTALLED, load
from transformer.zoo.gguf import PieceTokenizer

FILTERS = ("temperature", "top_k", "top_p", "min_p")
UNFINISHED = "\ufffd"  # a letter of which bytes are missing


class Stream:
    """Print a text while it grows, letter by letter.

    Args:
        tokenizer: Turns ids into text.
    """

    def __init__(self, tokenizer: PieceTokenizer) -> None:
        self.tokenizer = tokenizer
        self.ids: list[int] = []
        self.shown = ""
        self.started = time.perf_counter()

    def watch(self, tokens: torch.Tensor) -> None:
        """Take the next token, and print what it makes complete."""
        self.ids.append(int(tokens[0]))
        text = self.tokenizer.decode(self.ids)
        if not text.endswith(UNFINISHED):
            self.show(text)

    def show(self, text: str) -> None:
        """Print what is new in the text so far."""
        print(text[len(self.shown) :], end="", flush=True)
        self.shown = text

    def end(self) -> str:
        """Print what is left, and return how fast the text came."""
        self.show(self.tokenizer.decode(self.ids))
        print()
        seconds = time.perf_counter() - self.started
        tokens = "1 token" if len(self.ids) == 1 else f"{len(self.ids)} tokens"
        return f"{tokens}, {len(self.ids) / seconds:.1f} a second"


def write_command(parsed: Namespace) -> None:
    """Go on with a text as the flags say."""
    options = drawing_options(parsed)
    text = read_text(parsed.text, sys.stdin)
    check(parsed, text, options)
    device = find_device(parsed.device)
    model, tokenizer = load(parsed.model)
    # One token at a time leaves several threads little to share.
    set_threads(parsed.threads, d_model=0)
    ids = read(tokenizer, text, chat=parsed.chat)
    stream = Stream(tokenizer)
    if not parsed.chat:
        print(text, end="", flush=True)
    # The reader has read enough, or must know that nothing was compiled.
    with suppress(KeyboardInterrupt), warnings.catch_warnings():
        warnings.showwarning = lambda message, *where: warn(str(message))
        generate(
            model.to(device),
            torch.tensor([ids], device=device),
            max_new_tokens=parsed.max_new_tokens,
            eos_id=tokenizer.end_ids,
            compile=parsed.compile,
            watch=stream.watch,
            **options,
        )
    print(stream.end(), file=sys.stderr)


def check(parsed: Namespace, text: str, options: Mapping[str, float]) -> None:
    """Check what was said, before the model is loaded.

    Raises:
        SettingsError: If a flag cannot be followed.
        TextError: If there is no text.
    """
    if not text:
        raise TextError("TEXT must have letters, got none; begin the text.")
    if parsed.model not in INSTALLED:
        raise SettingsError(
            f"--model must be one of {', '.join(INSTALLED)}, got {parsed.model!r}; "
            "others have no tokenizer here."
        )
    if parsed.temperature == 0:
        raise SettingsError(
            "--temperature must be above 0, got 0; pass --greedy, which always takes "
            "the likeliest token."
        )
    check_drawing(options)


def read(tokenizer: PieceTokenizer, text: str, *, chat: bool) -> list[int]:
    """Return the ids of what is gone on with.

    Raises:
        TextError: If the text cannot be written as bytes, or be part of a talk.
    """
    try:
        if chat:
            return tokenizer.chat([{"role": "user", "content": text}])
        return tokenizer.encode(text)
    except ValueError as error:
        raise TextError(str(error)) from error


def drawing_options(parsed: Namespace) -> dict[str, float | int]:
    """Return what was said about drawing tokens, or what is usual.

    Raises:
        SettingsError: If flags contradict each other.
    """
    names = (*FILTERS, "repetition_penalty", "seed")
    said = given(parsed, names)
    filters = said.keys() & set(FILTERS)
    if not parsed.greedy:
        usual = {n: v for n, v in USUAL.items() if n not in FILTERS or not filters}
        # To draw is to be asked for.
        return {"temperature": 1.0} | usual | said
    if drawn := [name for name in said if name != "seed"]:
        raise SettingsError(
            "there must be one way of writing, got --greedy and "
            f"{typed_flags(drawn)}; leave one out."
        )
    return {}
