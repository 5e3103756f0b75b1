"""Which mutants to try, and with which tests."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from random import Random

SECONDS = 30.0  # of tests for one mutant, at most


def draw_sample(names: Iterable[str], size: int | None, seed: int) -> list[str]:
    """Draw mutants over all modules, in proportion to how many each has.

    Args:
        names: All mutants.
        size: How many to draw; all when None.
        seed: Another one draws others.
    """
    random = Random(seed)
    shuffled = sorted(names)
    random.shuffle(shuffled)
    ordered = sorted(shuffled, key=module_of)
    if size is None or size >= len(ordered):
        return ordered
    step = len(ordered) / size
    start = random.random() * step
    return [ordered[int(start + number * step)] for number in range(size)]


def module_of(name: str) -> str:
    """Return the module of a mutant, which stands before its function."""
    return name.rpartition(".")[0]


def trim_tests(statistics: Path, seconds: float = SECONDS) -> None:
    """Let mutmut try each function with tests of so many seconds.

    A function of the validation is reached by almost every test, and a mutant that
    survives would ask for all of them. What is kept are the tests of the module's own
    file and then the fastest.

    Args:
        statistics: mutmut's record of which tests reach which function.
        seconds: How long the tests of a function may take.
    """
    found = json.loads(statistics.read_text(encoding="utf-8"))
    tests, durations = (
        found["tests_by_mangled_function_name"],
        found["duration_by_test"],
    )
    for function, names in tests.items():
        tests[function] = _first_tests(function, names, durations, seconds)
    statistics.write_text(json.dumps(found, indent=4), encoding="utf-8")


def _first_tests(
    function: str, names: Sequence[str], durations: Mapping[str, float], seconds: float
) -> list[str]:
    """Return the nearest and fastest tests that fit; one at least."""
    own = f"/test_{module_of(function).rpartition('.')[2]}.py::"
    ordered = sorted(
        names, key=lambda name: (own not in name, durations.get(name, 0.0), name)
    )
    kept, spent = ordered[:1], durations.get(ordered[0], 0.0) if ordered else 0.0
    for name in ordered[1:]:
        spent += durations.get(name, 0.0)
        if spent > seconds:
            break
        kept.append(name)
    return kept
