"""What each command can be told: its flags, with their lines of help.

What a command does stands in the module of its name. That is imported once all flags
have been understood, because PyTorch, which it needs, takes seconds.
"""

from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter

from transformer.commands.flags import (
    add_beam_width,
    add_device,
    add_run,
    add_threads,
    check_at_least_one,
)
from transformer.commands.parser import as_flag
from transformer.commands.training_flags import add_settings, said_settings
from transformer.commands.typed import typed

TRAINING = """\
Train a Transformer that translates. Without arguments it learns English to French
number words and saves to runs/numbers. The same command goes on after an
interruption, and with more --steps it extends a training. Two processes, which
torchrun starts, share the work of one by this command:

  """
COUNTS = ("beam_width", "max_new_tokens", "threads")
MODEL = "smollm2-135m"
LENGTH = 200
# What is drawn from unless flags say otherwise: lively, and seldom off the track.
USUAL = {"temperature": 0.7, "min_p": 0.05, "repetition_penalty": 1.1}


def add_train(parser: ArgumentParser) -> None:
    """Add the flags of `train`."""
    parser.description = TRAINING + typed("train", processes="2")
    parser.formatter_class = RawDescriptionHelpFormatter  # a command is copied so
    add_settings(parser)
    group = parser.add_argument_group("where it computes and saves")
    group.add_argument(
        "--output",
        "--run",  # as the other commands call it
        metavar="FOLDER",
        help="where to save (default: runs/ and the name of the task); the folder that "
        "the other commands call --run",
    )
    group.add_argument(
        "--overwrite", action="store_true", help="replace what was saved there"
    )
    group.add_argument(
        "--shard",
        action="store_true",
        help="under torchrun: share the parameters out (FSDP) instead of copying (DDP)",
    )
    add_device(group)
    add_threads(group)


def add_translate(parser: ArgumentParser) -> None:
    """Add the flags of `translate`."""
    parser.description = (
        "Translate texts, or the lines of the standard input. The likeliest token is "
        "taken at each step, unless a beam search or sampling is asked for."
    )
    parser.add_argument(
        "texts",
        nargs="*",
        metavar="TEXT",
        help="what to translate, each in quotation marks; single words that make "
        "sense together are one TEXT; behind -- if it begins with a -",
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


def add_evaluate(parser: ArgumentParser) -> None:
    """Add the flags of `evaluate`."""
    parser.description = (
        "Measure a trained model on texts that it has not seen: exact match, token "
        "accuracy, perplexity and BLEU."
    )
    add_run(parser)
    parser.add_argument(
        "--split",
        choices=("test", "validation", "train"),
        default="test",
        help="on which texts (default: test)",
    )
    add_beam_width(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument(
        "--pairs", metavar="FILE", help="where the file of train --pairs is now"
    )
    add_device(parser)
    add_threads(parser)


def add_write(parser: ArgumentParser) -> None:
    """Add the flags of `write`."""
    parser.description = (
        "Go on with a text, token by token, by a trained language model: a small one, "
        "which writes well and knows little. Each token is drawn, unless --greedy is "
        "said. Ctrl-C ends the text."
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
        help=f"an installed model (default: {MODEL})",
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


def check_said(parsed: Namespace) -> None:
    """Check the values of flags, as far as that needs no PyTorch.

    Raises:
        SettingsError: If one does not fit.
    """
    for name in COUNTS:
        if (value := getattr(parsed, name, None)) is not None:
            check_at_least_one(as_flag(name), value)
    if parsed.command == "train":
        said_settings(parsed)
