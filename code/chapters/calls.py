"""Which functions an answer calls: some exercises forbid one, or a loop."""

import sys
from collections import Counter
from collections.abc import Callable

from torch.overrides import TorchFunctionMode

PACKAGE = "transformer"
LIBRARIES = {"torch", "numpy", "chapters", "importlib", PACKAGE}


class Counted(TorchFunctionMode):
    """Count the functions of PyTorch that are called, by their names."""

    def __init__(self, names: Counter[str]) -> None:
        super().__init__()
        self.names = names

    def __torch_function__(self, func, types, args=(), kwargs=None):
        self.names[getattr(func, "__name__", "")] += 1
        return func(*args, **(kwargs or {}))


def calls(answer: Callable, *given: object, **named: object) -> Counter[str]:
    """Return how often an answer calls what, by name.

    Counted are the functions of PyTorch, those of the package, which come with their
    module, and what the answer calls of Python's own, such as `math.sin`.

    Args:
        answer: The function.
        *given: What it is given.
        **named: What it is given by name.
    """
    names: Counter[str] = Counter()

    def watch(frame, event, function):
        module = frame.f_globals.get("__name__") or ""
        library = module.partition(".")[0]
        if event == "call" and library == PACKAGE:
            names[f"{module}.{frame.f_code.co_name}"] += 1
        elif event == "c_call" and library not in LIBRARIES:
            names[function.__name__] += 1

    before = sys.getprofile()
    try:
        with Counted(names):
            sys.setprofile(watch)
            answer(*given, **named)
    finally:
        sys.setprofile(before)
    return names


def uses_package(answer: Callable, *given: object, **named: object) -> bool:
    """Return whether an answer calls a function of the package."""
    names = calls(answer, *given, **named)
    return any(name.startswith(f"{PACKAGE}.") for name in names)
