"""The command `evaluate`."""

import json
import sys
from argparse import ArgumentParser, Namespace
from math import isfinite
from pathlib import Path

from transformer.commands.flags import (
    add_beam_width,
    add_device,
    add_run,
    check_at_least_one,
    find_device,
)
from transformer.commands.folder import Run
from transformer.commands.scores import scores
from transformer.commands.texts import fitting_pairs, read_splits


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
    run = Run(Path(parsed.run))
    model, tokenizer, settings = run.load()
    splits = read_splits(settings, warn)
    run.check_text(splits)
    pairs = getattr(splits, parsed.split)
    pairs = fitting_pairs(settings, pairs, tokenizer, warn)
    found = scores(model.to(device), tokenizer, pairs, beam_width=parsed.beam_width)
    if parsed.json:
        finite = {name: x if isfinite(x) else None for name, x in found.items()}
        print(json.dumps(finite))  # JSON knows no infinity
        return
    print(f"{len(pairs):,} texts of the {parsed.split} split")
    print(f"exact match     {found['exact_match']:.4f}")
    print(f"token accuracy  {found['token_accuracy']:.4f}")
    print(f"perplexity      {found['perplexity']:.4f}")
    print(f"BLEU            {found['bleu']:.2f}")


def warn(line: str) -> None:
    """Print what was left out where it does not mix with the measures."""
    print(line, file=sys.stderr)
