"""The rules that every notebook of the book keeps, one function each.

A rule takes a notebook and its path and returns a sentence for each breach. A rule of
`BOOK_RULES` takes the book's root and looks at all pages together. The first line of
its docstring says what must hold, and the last one for which readers.
"""

import re
from collections.abc import Callable, Sequence
from inspect import getdoc
from pathlib import Path

from nbformat import NotebookNode

from bookkit.book.notebooks import read_notebook
from bookkit.checking.rules.chinese import (
    chinese_can_be_printed,
    chinese_figures_are_drawn,
    chinese_pages_are_fresh,
    terms_have_chinese_names,
    translations_are_exact,
)
from bookkit.checking.rules.code import (
    code_is_plain_python,
    code_is_short,
    code_passes_ruff,
    drawn_cells_are_fresh,
    lines_are_seen_whole,
    nothing_warns,
    outputs_hide_the_machine,
    results_are_tables,
)
from bookkit.checking.rules.conclusions import (
    comparisons_rest_on_studies,
    numbers_have_a_source,
    numbers_of_pages_have_a_source,
)
from bookkit.checking.rules.exercises import (
    exercises_have_solutions,
    headings_begin_cells_after_solutions,
    starters_fail_and_solutions_pass,
)
from bookkit.checking.rules.figures import (
    explorers_are_described,
    figures_are_described,
    figures_are_small_drawings,
    figures_hide_their_code,
    html_is_an_explorer_that_stands_alone,
)
from bookkit.checking.rules.glossary import (
    glossary_and_chapters_agree,
    glossary_is_in_order,
)
from bookkit.checking.rules.pages import (
    contents_name_every_page,
    names_are_unique,
)
from bookkit.checking.rules.references import (
    bibliography_is_complete,
    citations_name_their_entries,
    links_lead_somewhere,
    references_are_fresh,
)
from bookkit.checking.rules.structure import (
    bootstrap_comes_first,
    deeper_sections_are_whole,
    file_is_canonical,
    index_lists_every_chapter,
    metadata_is_normal,
    reading_time_is_stated,
    title_comes_first,
)
from bookkit.checking.rules.text import (
    labels_name_boxes,
    links_have_text,
    markdown_degrades_well,
    markdown_has_no_html,
    prose_reads_on_paper,
    quotes_are_whole,
)

Rule = Callable[[NotebookNode, Path], list[str]]
BookRule = Callable[[Path], list[str]]
CELL = re.compile(r"\bcell (\d+)(?: \((code cell \d+)\))?")

RULES: tuple[Rule, ...] = (
    file_is_canonical,
    title_comes_first,
    bootstrap_comes_first,
    metadata_is_normal,
    code_is_plain_python,
    code_is_short,
    drawn_cells_are_fresh,
    nothing_warns,
    outputs_hide_the_machine,
    lines_are_seen_whole,
    results_are_tables,
    figures_are_described,
    figures_hide_their_code,
    figures_are_small_drawings,
    explorers_are_described,
    html_is_an_explorer_that_stands_alone,
    exercises_have_solutions,
    headings_begin_cells_after_solutions,
    starters_fail_and_solutions_pass,
    reading_time_is_stated,
    deeper_sections_are_whole,
    markdown_degrades_well,
    markdown_has_no_html,
    links_have_text,
    prose_reads_on_paper,
    quotes_are_whole,
    links_lead_somewhere,
    labels_name_boxes,
    numbers_have_a_source,
    comparisons_rest_on_studies,
)

BOOK_RULES: tuple[BookRule, ...] = (
    contents_name_every_page,
    index_lists_every_chapter,
    names_are_unique,
    references_are_fresh,
    citations_name_their_entries,
    bibliography_is_complete,
    glossary_is_in_order,
    glossary_and_chapters_agree,
    terms_have_chinese_names,
    chinese_can_be_printed,
    translations_are_exact,
    chinese_pages_are_fresh,
    chinese_figures_are_drawn,
    numbers_of_pages_have_a_source,
)


def check_notebook(path: Path) -> list[str]:
    """Say which rules a notebook breaks, ruff's among them, each as in `broken`."""
    notebook = read_notebook(path)

    def named(match: re.Match) -> str:
        identity = f"id {notebook.cells[int(match[1]) - 1].id}"
        return f"cell {match[1]} ({', '.join(filter(None, (match[2], identity)))})"

    return [
        line
        for rule in (*RULES, code_passes_ruff)
        for line in broken(rule, [CELL.sub(named, b) for b in rule(notebook, path)])
    ]


def check_book(root: Path) -> list[str]:
    """Say which rules the pages of the book break together, each as in `broken`."""
    return [line for rule in BOOK_RULES for line in broken(rule, rule(root))]


def broken(rule: Rule | BookRule, breaches: Sequence[str]) -> list[str]:
    """Say a rule that has breaches and whom it serves, and below it each breach."""
    if not breaches:
        return []
    sentence, *_, whom = getdoc(rule).splitlines()
    return [f"{sentence} {whom}", *(f"- {breach}" for breach in breaches)]


__all__ = ["BOOK_RULES", "RULES", "broken", "check_book", "check_notebook"]
