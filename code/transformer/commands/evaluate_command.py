"""The command `evaluate`."""

import json
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from transformer.commands.flags import (
    add_beam_width,
    add_device,
    add_run,
    check_at_least_one,
    find_device,
)
from transformer.commands.runs import Run
from transformer.commands.scores import scores
from transformer.commands.training_run import fitting_pairs, read_splits


def add_evaluate(commands) -> None:
    """Add the command to the command line."""
    parser: ArgumentParser = commands.add_parser(
        "evaluate",
        help="measure a trained model",
        description="Measure a trained model on texts that it has not seen: exact "
        "match, token accuracy, perplexity and BLEU.",
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
    add_device(parser)
    parser.set_defaults(command=evaluate_command)


def evaluate_command(parsed: Namespace) -> None:
    """Measure as the flags say, and print the measures."""
    check_at_least_one("--beam-width", parsed.beam_width)
    device = find_device(parsed.device)
    model, tokenizer, settings = Run(Path(parsed.run)).load()
    pairs = getattr(read_splits(settings, warn), parsed.split)
    pairs = fitting_pairs(settings, pairs, tokenizer, warn)
    found = scores(model.to(device), tokenizer, pairs, beam_width=parsed.beam_width)
    if parsed.json:
        print(json.dumps(found))
        return
    print(f"{len(pairs):,} texts of the {parsed.split} split")
    print(f"exact match     {found['exact_match']:.4f}")
    print(f"token accuracy  {found['token_accuracy']:.4f}")
    print(f"perplexity      {found['perplexity']:.4f}")
    print(f"BLEU            {found['bleu']:.2f}")


def warn(line: str) -> None:
    """Say what was left out where it does not mix with the measures."""
    print(line, file=sys.stderr)
