"""The command `write`: a trained language model goes on with a text."""

import sys
import time
import warnings
from argparse import ArgumentParser, Namespace, _SubParsersAction
from collections.abc import Mapping
from contextlib import suppress

import torch

from transformer.commands.flags import (
    add_device,
    add_threads,
    check_at_least_one,
    check_drawing,
    find_device,
    given,
    set_threads,
    typed_flags,
    warn,
)
from transformer.commands.inference import TextError
from transformer.commands.reading import read_text
from transformer.commands.settings import SettingsError
from transformer.decoding import generate
from transformer.zoo import INSTALLED, load
from transformer.zoo.gguf import PieceTokenizer

MODEL = "smollm2-135m"
LENGTH = 200
# What is drawn from unless flags say otherwise: lively, and seldom off the track.
USUAL = {"temperature": 0.7, "min_p": 0.05, "repetition_penalty": 1.1}
FILTERS = ("temperature", "top_k", "top_p", "min_p")
UNFINISHED = "\ufffd"  # a letter of which bytes are missing


def add_command(commands: _SubParsersAction, help: str) -> None:
    """Add the command to the command line, with its line of help."""
    parser: ArgumentParser = commands.add_parser(
        "write",
        help=help,
        description="Go on with a text, token by token, by a trained language model: a "
        "small one, which writes well and knows little. Each token is drawn, unless "
        "--greedy is said. Ctrl-C ends the text.",
    )
    parser.add_argument(
        "text",
        nargs="*",
        metavar="TEXT",
        help="what to go on with, as one word in quotation marks or as several; - for "
        "the standard input, which is read too where a pipe leads to it and no TEXT is "
        "given",
    )
    parser.add_argument(
        "--model",
        default=MODEL,
        metavar="NAME",
        help=f"an installed model: {', '.join(INSTALLED)} (default: {MODEL})",
    )
    parser.add_argument(
        "--chat", action="store_true", help="answer TEXT instead of going on with it"
    )
    parser.add_argument(
        "--max-new-tokens",
        type=int,
        default=LENGTH,
        metavar="N",
        help=f"the most tokens that are written (default: {LENGTH})",
    )
    parser.add_argument(
        "--greedy", action="store_true", help="take the likeliest token at each step"
    )
    parser.add_argument(
        "--temperature",
        type=float,
        help="sharper below 1, flatter above (default: "
        f"{USUAL['temperature']}, or 1 with another filter)",
    )
    parser.add_argument("--top-k", type=int, help="draw from the k likeliest tokens")
    parser.add_argument(
        "--top-p", type=float, help="draw from the fewest tokens of this probability"
    )
    parser.add_argument(
        "--min-p",
        type=float,
        help="draw from tokens with this share of the largest probability (default: "
        f"{USUAL['min_p']}, or none with another filter)",
    )
    parser.add_argument(
        "--repetition-penalty",
        type=float,
        help="above 1: against tokens that were there before (default: "
        f"{USUAL['repetition_penalty']})",
    )
    parser.add_argument("--seed", type=int, help="draw the same at each run")
    parser.add_argument(
        "--compile",
        action="store_true",
        help="make machine code of the step that reads a token: minutes for the first "
        "text, and less time for each later token",
    )
    add_device(parser)
    add_threads(parser)
    parser.set_defaults(command=write_command)


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
            eos_id=tokenizer.end_id,
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
    check_at_least_one("--max-new-tokens", parsed.max_new_tokens)
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
