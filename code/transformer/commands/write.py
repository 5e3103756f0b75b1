"""The command `write`: a trained language model goes on with a text."""

import sys
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TextIO

import torch

from transformer.commands.computing import find_device, set_threads
from transformer.commands.flags import (
    Computing,
    Drawing,
    SettingsError,
    TextError,
    Writing,
    as_flag,
    warn,
)
from transformer.commands.folder import Run
from transformer.data import EOS_ID, Tokenizer
from transformer.decoding import generate
from transformer.training import load_adapter, merge_adapter, read_adapter
from transformer.zoo import INSTALLED, SHIPPED, load
from transformer.zoo.gguf import PieceTokenizer

# What is drawn from unless flags say otherwise: lively, and seldom off the track.
USUAL = {"temperature": 0.7, "min_p": 0.05, "repetition_penalty": 1.1}
FILTERS = {"temperature", "top_k", "top_p", "min_p"}
UNFINISHED = "\ufffd"  # a letter of which bytes are missing


class Stream:
    """Print a text while it grows, letter by letter."""

    def __init__(self, tokenizer: PieceTokenizer | Tokenizer) -> None:
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


def write_command(asked: Writing, drawing: Drawing, computing: Computing) -> None:
    """Go on with a text as the flags say."""
    options = drawing_options(asked, drawing)
    talks = asked.chat and not asked.text and sys.stdin is not None
    talks = talks and sys.stdin.isatty()
    text = "" if talks else read_text(asked.text or [], sys.stdin)
    if asked.run is not None and asked.model != Writing().model:
        raise SettingsError(
            "there must be one model, got --run and --model; leave one out."
        )
    if asked.run is None and asked.model not in (names := [*INSTALLED, *SHIPPED]):
        raise SettingsError(
            f"--model must be one of {', '.join(names)}, got {asked.model!r}; "
            "others have no tokenizer here."
        )
    device = find_device(computing)
    adapter = None if asked.adapter is None else read_adapter(asked.adapter)
    if asked.run is None:
        model, tokenizer = load(asked.model)
    else:
        model, tokenizer, _ = Run(Path(asked.run)).load("write")
    if adapter is not None:
        merge_adapter(load_adapter(model, adapter))  # so it takes no more time
    # One token at a time leaves several threads little to share.
    set_threads(computing, d_model=0)
    model = model.to(device)

    def go_on(ids: list[int]) -> str:
        """Write behind some ids, and return the text."""
        stream = Stream(tokenizer)
        # The reader has read enough, or must know that nothing was compiled.
        with suppress(KeyboardInterrupt), warnings.catch_warnings():
            warnings.showwarning = lambda message, *where: warn(str(message))
            generate(
                model,
                torch.tensor([ids], device=device),
                max_new_tokens=asked.max_new_tokens,
                eos_id=EOS_ID
                if isinstance(tokenizer, Tokenizer)
                else tokenizer.end_ids,
                compile=asked.compile,
                watch=stream.watch,
                **options,
            )
        warn(stream.end())
        return stream.shown

    if talks:
        talk(tokenizer, go_on)
        return
    ids = read(tokenizer, [asks(text)] if asked.chat else text)
    if not asked.chat:
        print(text, end="", flush=True)
    go_on(ids)


def talk(
    tokenizer: PieceTokenizer | Tokenizer, go_on: Callable[[list[int]], str]
) -> None:
    """Answer one line after the other, each with all that was said before it.

    An empty line or the end of the input ends the talk.

    Args:
        tokenizer: Writes the talk as the model has learned it.
        go_on: Prints and returns what the model writes behind ids.
    """
    messages: list[dict[str, str]] = []
    with suppress(EOFError):
        while question := input("> "):
            messages.append(asks(question))
            answer = go_on(read(tokenizer, messages))
            messages.append({"role": "assistant", "content": answer})


def asks(content: str) -> dict[str, str]:
    """Return the message of somebody who asks."""
    return {"role": "user", "content": content}


def drawing_options(asked: Writing, drawing: Drawing) -> dict[str, float]:
    """Return what was said about drawing tokens, or what is usual."""
    given = drawing.given()
    if not asked.greedy:
        filters = FILTERS & given.keys()
        usual = {n: v for n, v in USUAL.items() if n not in FILTERS or not filters}
        return {"temperature": 1.0} | usual | given  # to draw is to be asked for
    if drawn := [as_flag(name) for name in given if name != "seed"]:
        raise SettingsError(
            f"there must be one way of writing, got --greedy and {', '.join(drawn)}; "
            "leave one out."
        )
    return {}


def read_text(words: Sequence[str], file: TextIO | None) -> str:
    """Return the words of a command as a text, or what is on the standard input.

    A terminal is waited for where a single - asks for it.
    """
    text = " ".join(words)
    if text == "-" or not (words or file is None or file.isatty()):
        text = file.read().rstrip("\r\n")
    if not text:
        raise TextError(
            "there must be a TEXT to go on with, got none; write it behind the "
            "command, or send it to its standard input."
        )
    return text


def read(
    tokenizer: PieceTokenizer | Tokenizer, said: str | Sequence[Mapping[str, str]]
) -> list[int]:
    """Return the ids of a text, or of a talk up to where the model has to answer."""
    plain = isinstance(tokenizer, Tokenizer)
    if plain and not isinstance(said, str):
        raise TextError(
            "--chat must be for a model that was taught to answer, got one that only "
            "goes on with texts; leave it out."
        )
    try:
        if not isinstance(said, str):
            return tokenizer.chat(said)
        return tokenizer.encode_prompt(said) if plain else tokenizer.encode(said)
    except ValueError as error:
        raise TextError(str(error)) from error
