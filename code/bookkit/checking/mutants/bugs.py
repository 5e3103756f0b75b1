"""All bugs that are planted: the patches of the book, and mutants that mutmut makes."""

import json
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from bookkit.book.files import file_of
from bookkit.checking.mutants.patches import apply, read_patches
from bookkit.checking.mutants.planting import plant
from bookkit.checking.mutants.sampling import draw_sample
from bookkit.checking.mutants.score import (
    changed_lines,
    function_of,
    read_equivalents,
)
from bookkit.checking.mutants.workshop import Workshop


@dataclass(frozen=True, kw_only=True)
class Bug:
    """A bug to plant.

    Args:
        name: That of its patch, or of mutmut's mutant.
        sources: The whole changed files, by their path from the book's root.
        tests: Files that should notice.
    """

    name: str
    sources: Mapping[str, str]
    tests: tuple[str, ...]


def planted(root: Path) -> Iterator[Bug]:
    """Return the patches of the book."""
    for patch in read_patches(root):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for file in patch.files:
                (folder / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(root / file, folder / file)
            apply(patch, folder)
            sources = {file: (folder / file).read_text("utf-8") for file in patch.files}
        yield Bug(name=patch.name, sources=sources, tests=patch.tests)


def mutants(root: Path, size: int, seed: int, folder: Path) -> Iterator[Bug]:
    """Return mutants that mutmut makes, drawn over all modules; none that is a reason.

    They are drawn once, and kept in a folder.
    """
    file = folder / f"mutants-{size}-{seed}.json"
    if not file.exists():
        workshop = Workshop(root)
        sample = draw_sample(workshop.differences(), size, seed)
        file.write_text(json.dumps(workshop.differences(*sample), indent=1), "utf-8")
    reasons = {
        (entry["function"], entry["was"].strip(), entry["became"].strip())
        for entry in read_equivalents(root)
    }
    for name, diff in json.loads(file.read_text("utf-8")).items():
        was, became = (" ".join(lines) for lines in changed_lines(diff))
        if (function_of(name), was, became) in reasons:
            continue
        module, _, function = function_of(name).partition(":")
        path = file_of(module, root / "code")
        source = plant(path.read_text("utf-8"), function, diff)
        yield Bug(name=name, sources={str(path.relative_to(root)): source}, tests=())
