"""Compare our speed and memory with PyTorch's and Hugging Face's, side by side.

A time is never a failure: the table says what was measured, and whether the aim was
met. A case whose sides compute different things is one.
"""

import argparse
from collections.abc import Iterator, Sequence
from fnmatch import fnmatch
from pathlib import Path

import torch
from bench_case import Case, DisagreementError
from bench_language import language_cases
from bench_layers import ceiling_cases, layer_cases
from bench_measure import gauges, one_thread, run_case, settle_memory
from bench_memory import memory_cases
from bench_parts import part_cases
from bench_record import record, write_record
from bench_rotary import rotary_cases
from bench_sizes import FULL, QUICK, Sizes
from bench_table import HEADER, row
from bench_training import training_cases
from bench_writing import writing_cases

ROUNDS = {False: 7, True: 3}  # by whether it must be quick
AT_LEAST = {False: 0.1, True: 0.02}  # seconds that a reading takes


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure the cases and print a table; 1 if the sides of a case disagree."""
    options = read_options(arguments)
    sizes = QUICK if options.quick else FULL
    cases = selected(all_cases(sizes), options)
    measure = gauges(options.device, AT_LEAST[options.quick])
    print(f"PyTorch {torch.__version__}, {options.device}, one thread, ", end="")
    print(f"medians of {options.rounds} rounds\n\n{HEADER}", flush=True)
    refused, done = 0, []
    settle_memory()
    with one_thread():
        for case in cases:
            try:
                found = run_case(
                    case, rounds=options.rounds, gauges=measure, device=options.device
                )
                print(row(found), flush=True)
                done.append(found)
            except DisagreementError as error:
                refused += 1
                print(f"{case.name}: {error}", flush=True)
            except NotImplementedError as error:  # by torch, on this device
                said = str(error).partition("\n")[0]
                print(f"{case.name}: left out, {said}", flush=True)
    if options.json and not refused:
        chosen = {
            name: getattr(options, name) for name in ("quick", "rounds", "device")
        }
        write_record(options.json, record(done, **chosen))
    return min(refused, 1)


def all_cases(sizes: Sizes) -> Iterator[Case]:
    """Yield every case, layers first."""
    yield from layer_cases(sizes)
    yield from ceiling_cases(sizes)
    yield from training_cases(sizes)
    yield from language_cases(sizes)
    yield from writing_cases(sizes)
    yield from part_cases(sizes)
    yield from rotary_cases(sizes)
    yield from memory_cases(sizes)


class Parser(argparse.ArgumentParser):
    """A parser that says what is wrong in one sentence."""

    def error(self, message: str) -> None:
        """End with the sentence and the exit code 2."""
        self.exit(2, f"benchmarks: {message}\n")


def read_options(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = Parser(prog="python tests/benchmarks", description=__doc__)
    parser.add_argument(
        "--only",
        metavar="PATTERN",
        help="the cases with it in name or reference; * is anything",
    )
    parser.add_argument("--rounds", type=int, help="how often each side is measured")
    parser.add_argument(
        "--quick", action="store_true", help="short sequences and few rounds"
    )
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--json", type=Path, help="the file to keep the ratios in")
    options = parser.parse_args(arguments)
    if options.json and options.only:
        parser.error("--json keeps whole runs; leave --only out.")
    if options.rounds is None:
        options.rounds = ROUNDS[options.quick]
    if options.rounds < 1:
        parser.error(f"--rounds must be at least 1, got {options.rounds}.")
    if options.device not in ("cpu", "cuda"):
        parser.error(f"--device must be cpu or cuda, got {options.device!r}.")
    if options.device == "cuda" and not torch.cuda.is_available():
        parser.error("--device cuda needs a GPU that PyTorch can see; take cpu.")
    options.device = torch.device(options.device)
    options.parser = parser
    return options


def selected(cases: Iterator[Case], options: argparse.Namespace) -> list[Case]:
    """Return the cases that are asked for."""
    pattern = f"*{options.only or ''}*".lower()
    found = [c for c in cases if fnmatch(f"{c.name} {c.reference}".lower(), pattern)]
    if not found:
        options.parser.error(
            f"--only must match the name of a case, got {options.only!r}; "
            "try 'encoder layer', 'stacks', 'llama', 'norm', 'rope' or 'memory'."
        )
    return found
