"""Print what a version promises: names, fields, flags and formats, one to a line.

.venv/bin/python tests/release/public_names.py > tests/release/public_names.txt writes
the list for a release; between releases it stays, so that whatever disappears is seen.
"""

from collections.abc import Iterator
from dataclasses import fields
from importlib import import_module

import transformer
from transformer.commands.flags import as_flag
from transformer.commands.main import COMMANDS
from transformer.config import TransformerConfig
from transformer.models.saved import FORMAT as MODEL
from transformer.training.checkpoints import FORMAT as CHECKPOINT
from transformer.training.saved_adapter import FORMAT as ADAPTER


def public_names() -> Iterator[str]:
    """Yield each name with what it is a name in."""
    yield from (f"transformer {name}" for name in transformer.__all__)
    for room in sorted({*transformer._ROOMS} - {"checks", "config"}):
        names = import_module(f"transformer.{room}").__all__
        yield from (f"transformer.{room} {name}" for name in sorted(names))
    yield from (f"TransformerConfig {f.name}" for f in fields(TransformerConfig))
    for command, told in COMMANDS.items():
        said = [field for kind in told.flags for field in fields(kind)]
        flags = [as_flag(f.name) for f in said if "words" not in f.metadata]
        yield from (f"{command} {flag}" for flag in flags)
    yield from (f"format {text}" for text in (ADAPTER, CHECKPOINT, MODEL))


if __name__ == "__main__":
    print(f"# What {transformer.__version__} promises; public_names.py writes it.")
    print("\n".join(public_names()))
