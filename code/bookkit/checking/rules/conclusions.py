"""Rules about numbers and conclusions: both come from somewhere.

A cell says on which studies its comparisons rest, `"rests_on": ["part.study"]` in its
metadata for the file `code/chapters/part/study.json`. What a cell computes or proves
needs no training; there the metadata say "computed".
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise, product
from math import inf
from pathlib import Path

from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell, new_notebook

from bookkit.book.boxes import FIGURE, read_box
from bookkit.book.cells import code_cells, headings, markdown_cells
from bookkit.book.files import find_root, read_page, relative_name
from bookkit.book.prose import without_code
from bookkit.checking.numbers.tracing import RECORD, Page, read_listed
from bookkit.checking.rules.pages import page_paths

STUDIES = "code/chapters"
COMPUTED = "computed"
LEAST_RATES, LEAST_SEEDS, LEAST_GROWTH = 3, 4, 4
STEEP = 0.16  # what a rate beside the best may cost if there can be one between
NEAR = 2.01  # times the lower of two rates, between which none is asked for
_COMPARES = re.compile(
    r"\b(?:better|worse|best|worst|ahead|level with|no difference|beats?|wins?|loses?"
    r"|faster|slower|needed|harmless|harms?|gains|helps?|matters?|hurts?|outperforms?"
    r"|costs? nothing|catch(?:es)? up"
    r"|(?:is|are|was|were|stays?|falls?|lags?|little|far) behind)\b",
    re.I,
)
# A theorem proves it, or another text has found it.
_SOURCED = re.compile(r"\]\((?:#thm-|https?:)")
# A cell asks for one comparison, or prints all of them with a baseline.
_ASKS = re.compile(r"\.(?:compare|against)\(")
_SENTENCE = re.compile(r"(?<=[.!?:]) (?=[A-Z*$(])")
_FENCE = re.compile(r"^```(?:\{.*)?$", re.M)  # around the terms of the glossary


def comparisons_rest_on_studies(notebook: NotebookNode, path: Path) -> list[str]:
    """A comparison in a caption, a table or a summary rests on enough trainings.

    The cell names the study in its metadata; the study has each variant at the best of
    three learning rates or more, with none between that could be much better, at two
    budgets, with one seed that chose the rate and three others; and some cell of the
    notebook compares.

    For researchers: no conclusion turns around with the next seed.
    """
    breaches = []
    compares = any(_ASKS.search(cell.source) for _, cell in code_cells(notebook))
    for name, cell in markdown_cells(notebook):
        named = cell.metadata.get("rests_on", [])
        said = next(_comparisons(cell.source), None)
        if said and not named:
            breaches.append(
                f"{name} compares, and does not say what that rests on: {said!r}; name "
                'the study in the metadata of the cell, "rests_on".'
            )
        for study in named:
            if study == COMPUTED:
                continue
            breaches += [f"{name}: {fault}" for fault in _faults(study, path)]
            if not compares:
                breaches.append(f"{name} rests on {study}, and no cell compares.")
    return breaches


def _comparisons(source: str) -> Iterator[str]:
    """Yield the sentences of a caption, a table or a summary that compare."""
    box = read_box(source)
    caption = box is not None and box.kind == FIGURE
    summary = any(heading.strip("# ") == "Summary" for heading in headings(source))
    whole = without_code(source).partition("\n## Further reading")[0]
    for line in whole.splitlines():
        if caption or summary or line.startswith("|"):
            for sentence in _SENTENCE.split(line):
                if _COMPARES.search(sentence) and not _SOURCED.search(sentence):
                    yield sentence


def _faults(study: str, path: Path) -> Iterator[str]:
    """Yield what a study lacks for a conclusion."""
    chapter, _, module = study.partition(".")
    file = find_root(path) / STUDIES / chapter / f"{module}.json"
    if not file.is_file():
        yield f"there is no study {study!r}, no file {STUDIES}/{chapter}/{module}.json."
        return
    rows = json.loads(file.read_text(encoding="utf-8"))["rows"]
    if not rows or not rows[0].keys() >= {"variant", "steps", "learning_rate", "seed"}:
        yield f"{study} is no study; make one with `chapters.laboratory.study`."
        return
    budgets = sorted({row["steps"] for row in rows})
    if budgets[-1] < LEAST_GROWTH * budgets[0]:
        yield (
            f"{study} has the budgets {budgets}; the last must be {LEAST_GROWTH} times "
            "the first."
        )
    variants = dict.fromkeys(row["variant"] for row in rows)
    for variant, steps in product(variants, budgets):
        where = f"{study}, {variant!r} after {steps} steps"
        yield from (f"{where}, {fault}" for fault in _lacking(rows, variant, steps))


def _lacking(rows: Sequence[Mapping], variant: str, steps: int) -> Iterator[str]:
    """Yield what the trainings of one variant with one budget lack."""
    seeds: dict[float, set[int]] = defaultdict(set)
    here = [row for row in rows if (row["variant"], row["steps"]) == (variant, steps)]
    for row in here:
        seeds[row["learning_rate"]].add(row["seed"])
    if len(seeds) < LEAST_RATES:
        yield f"has {len(seeds)} learning rates; it must have {LEAST_RATES}."
    most = max(map(len, seeds.values()), default=0)
    if most < LEAST_SEEDS:
        yield f"has {most} seeds; it must have {LEAST_SEEDS}, of which one chooses."
    yield from _too_coarse(here)


def _too_coarse(rows: Sequence[Mapping]) -> Iterator[str]:
    """Yield between which rates of the seed that chooses a better one may lie."""
    first = min((row["seed"] for row in rows), default=0)
    losses = {
        row["learning_rate"]: inf if row["validation"] is None else row["validation"]
        for row in rows
        if row["seed"] == first
    }
    rates = sorted(losses)
    for low, high in pairwise(rates):
        best, other = sorted((losses[low], losses[high]))
        if best != min(losses.values()) or high < NEAR * low:
            continue
        if other - best > STEEP:
            yield (
                f"has its best rate beside one that costs {other - best:.2f} more, "
                f"{low:g} and {high:g}; it must try one between."
            )


def numbers_have_a_source(notebook: NotebookNode, path: Path) -> list[str]:
    """A number in prose, a caption or a description comes from somewhere.

    A decimal, and a whole number that is read off an output, is shown by a cell nearby,
    stands in an equation that holds, has a citation or a link to what shows it in its
    sentence, or is listed. What can be computed in a formula must hold.

    For researchers: a number that they quote was computed or is cited.
    """
    return _breaches(Page(notebook, path))


def numbers_of_pages_have_a_source(root: Path) -> list[str]:
    """A number on a page without cells is cited, or listed with its source.

    For researchers: a number that they quote was measured or is cited.
    """
    breaches, names = [], set()
    for path in page_paths(root):
        names.add(path.relative_to(root / "book").with_suffix("").as_posix())
        generated = path.with_name(f"{path.name}.jinja").exists()
        if path.suffix == ".md" and not generated:
            text = _FENCE.sub("", read_page(path))
            page = new_notebook(cells=[new_markdown_cell(text)])
            found = _breaches(Page(page, path))
            breaches += [f"{relative_name(path, root)}, {said}" for said in found]
    breaches += [
        f"{RECORD} lists numbers of {name!r}, and there is no such page; remove them."
        for name in read_listed(root).keys() - names
    ]
    return breaches


def _breaches(page: Page) -> list[str]:
    """Name the numbers of a page without a source, and what is listed in vain."""
    passages = [passage for section in page.sections for passage in section.passages]
    breaches = [
        f"{passage.name} computes what does not hold: {equation}; correct it."
        for passage in passages
        for equation in passage.worked.false
    ]
    breaches += [
        f"{one.passage.name} says {one.number.text}, and nothing near it shows that: "
        f"{one.words!r}; print it in a cell, link to what shows it, cite, or list it "
        f"in {RECORD}."
        for one in page.traced()
        if not one.source
    ]
    breaches += [
        f"{RECORD} lists {entry.words!r}, and the page does not say it; remove it."
        for entry in page.listed
        if not any(entry.words in passage.text for passage in passages)
    ]
    return breaches
