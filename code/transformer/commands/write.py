"""The command `write`: a trained language model goes on with a text."""

import sys
import time
from argparse import ArgumentParser, Namespace

import torch

from transformer.commands.flags import add_device, add_threads, find_device, set_threads
from transformer.commands.inference import TextError
from transformer.commands.settings import SettingsError
from transformer.decoding import generate
from transformer.zoo import INSTALLED, load
from transformer.zoo.gguf import PieceTokenizer

MODEL = "smollm2-135m"
LENGTH = 200
# What is drawn from unless flags say otherwise: lively, and seldom off the track.
USUAL = {"temperature": 0.7, "min_p": 0.05}
FILTERS = ("temperature", "top_k", "top_p", "min_p", "seed")
UNFINISHED = "\ufffd"  # a letter of which bytes are missing


def add_write(commands) -> None:
    """Add the command to the command line."""
    parser: ArgumentParser = commands.add_parser(
        "write",
        help="go on with a text, by a trained language model",
        description="Go on with a text, token by token, by a trained language model. "
        "Each token is drawn, with a temperature of "
        f"{USUAL['temperature']} and a min-p of {USUAL['min_p']}, unless flags say "
        "otherwise. Ctrl-C ends the text.",
    )
    parser.add_argument("text", metavar="TEXT", help="what to go on with")
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
        "--temperature", type=float, help="sharper below 1, flatter above"
    )
    parser.add_argument("--top-k", type=int, help="draw from the k likeliest tokens")
    parser.add_argument(
        "--top-p", type=float, help="draw from the fewest tokens of this probability"
    )
    parser.add_argument(
        "--min-p",
        type=float,
        help="draw from tokens with this share of the largest probability",
    )
    parser.add_argument("--seed", type=int, help="draw the same at each run")
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
    if parsed.model not in INSTALLED:
        raise SettingsError(
            f"--model must be one of {', '.join(INSTALLED)}, got {parsed.model!r}; "
            "others have no tokenizer here."
        )
    device = find_device(parsed.device)
    model, tokenizer = load(parsed.model)
    set_threads(parsed.threads, d_model=model.config.d_model)
    ids = read(tokenizer, parsed.text, chat=parsed.chat)
    stream = Stream(tokenizer)
    if not parsed.chat:
        print(parsed.text, end="", flush=True)
    prompt = torch.tensor([ids], device=device)
    try:
        generate(
            model.to(device),
            prompt,
            max_new_tokens=parsed.max_new_tokens,
            eos_id=tokenizer.end_id,
            watch=stream.watch,
            **options,
        )
    except ValueError as error:  # numbers that sampling cannot take
        raise SettingsError(str(error)) from error
    except KeyboardInterrupt:
        pass  # the reader has read enough
    print(stream.end(), file=sys.stderr)


def read(tokenizer: PieceTokenizer, text: str, *, chat: bool) -> list[int]:
    """Return the ids of what is gone on with.

    Raises:
        TextError: If there are none, or the text cannot be part of a talk.
    """
    try:
        ids = tokenizer.encode(text)
        if chat and ids:
            ids = tokenizer.chat([{"role": "user", "content": text}])
    except ValueError as error:
        raise TextError(str(error)) from error
    if not ids:
        raise TextError("TEXT must have letters, got none; begin the text.")
    return ids


def drawing_options(parsed: Namespace) -> dict[str, float | int]:
    """Return what was said about drawing tokens, or what is usual.

    Raises:
        SettingsError: If flags contradict each other.
    """
    said = {
        name: value for name in FILTERS if (value := getattr(parsed, name)) is not None
    }
    if not parsed.greedy:
        return said if said.keys() - {"seed"} else USUAL | said
    if said:
        flags = ", ".join(f"--{name.replace('_', '-')}" for name in said)
        raise SettingsError(
            f"there must be one way of writing, got --greedy and {flags}; leave "
            "one out."
        )
    return {}
