"""The appendix of traps lists each of them once, and shows each fail and pass."""

import re
from pathlib import Path
from typing import NamedTuple

from nbformat import NotebookNode

from bookkit.book.boxes import prose_of
from bookkit.book.cells import output_text
from bookkit.book.files import find_root
from bookkit.book.notebooks import read_notebook
from bookkit.book.prose import change_heading_anchors
from bookkit.checking.facts import facts

ROOT = find_root(Path(__file__))
PAGE = "book/appendix/convention_traps.ipynb"
_HEADING = re.compile(r"^(#{2,3}) (.+)$", re.M)
WRONG = re.compile(r"^wrong  .*\bfails the check, .+$", re.M)
RIGHT = re.compile(r"^right  .*\bpasses$", re.M)
ROW = re.compile(r"^\| \[(.+)\]\(#(\S+)\) \| (.+) \| (.+) \|$", re.M)


class Trap(NamedTuple):
    """A trap as the page shows it."""

    group: str
    name: str
    cells: list[NotebookNode]


def read_traps(root: Path) -> list[Trap]:
    """Read cells with a third-level heading, and the code up to the next heading."""
    traps: list[Trap] = []
    group, is_open = "", False
    for cell in read_notebook(root / PAGE).cells:
        if cell.cell_type == "code":
            if is_open:
                traps[-1].cells.append(cell)
            continue
        for marks, title in _HEADING.findall(prose_of(cell.source)):
            is_open = marks == "###"
            if is_open:
                traps.append(Trap(group, title, [cell]))
            else:
                group = title
    return traps


TRAPS = read_traps(ROOT)


def test_there_are_thirty_traps_in_groups_and_more():
    assert len(TRAPS) >= 30
    assert len({trap.group for trap in TRAPS}) >= 5


def test_no_two_traps_share_a_name():
    names = [trap.name for trap in TRAPS]
    assert len({*names}) == len(names)


def test_the_page_says_how_many_traps_it_holds():
    first = read_notebook(ROOT / PAGE).cells[0].source
    assert f"collects {len(TRAPS)} such traps" in first


def test_the_table_lists_each_trap_once_in_order_with_its_test():
    text = "\n".join(cell.source for cell in read_notebook(ROOT / PAGE).cells)
    rows = [(name, anchor) for name, anchor, *_ in ROW.findall(text)]
    headings: list[tuple[str, str]] = []
    change_heading_anchors(text, lambda *found: headings.append(found[::-1]) or "")
    anchors = dict(headings)
    assert rows == [(trap.name, anchors[trap.name]) for trap in TRAPS]


@facts("trap", TRAPS, ids=lambda trap: trap.name)
def test_a_trap_names_its_test_and_shows_it_fail_and_pass(trap):
    prose, *code = trap.cells
    assert code
    assert "**Test:**" in prose.source
    said = "\n".join(output_text(o) for cell in code for o in cell.outputs)
    assert WRONG.findall(said)
    assert len(WRONG.findall(said)) == len(RIGHT.findall(said))
    assert len(WRONG.findall(said)) == "".join(c.source for c in code).count(
        "show_trap("
    )


def test_the_groups_that_readers_ask_for_are_there():
    groups = {trap.group for trap in TRAPS}
    assert {"Masks", "Positions", "Norms", "Worked examples that circulate"} <= groups
