"""All that may be wrong with a page that is opened and used in one of three ways."""

from pathlib import Path

import page_files
import page_phone
import page_use
from page_visit import LAY_OUT_ALL, Visit, measure_sideways
from playwright.sync_api import Page

from bookkit.checking import barriers

KILOBYTE = 1000
HEAVIEST = 500 * KILOBYTE
WAYS = ("light", "dark", "phone")
# What a phone must not show, and how to find it on a page that is laid out.
ON_A_PHONE = {
    "figures that are too small": page_phone.find_small_figures,
    "outputs that are too small": page_phone.find_small_outputs,
    "buttons without room for a finger": page_phone.find_small_buttons,
    "boxes that hide more in silence": page_phone.find_silent_boxes,
    "code and outputs that are cut": page_phone.find_cut_lines,
    "small tables that are cut": page_phone.find_wide_tables,
    "cards that are none": page_phone.find_bad_cards,
    "code that is not selected as it was written": page_phone.find_altered_code,
    "names of code in two rows": page_phone.find_broken_names,
}
# Faults of the theme that the book cannot mend: the rule, and the start of the element.
THEME_FAULTS: list[tuple[str, str]] = []


def find_faults(visited: Visit, site: Path, way: str) -> dict[str, object]:
    """Return all that is wrong with a page in use, by the name of the fault."""
    page, asked = visited.page, visited.requests
    found = {"requests to others": [*visited.strangers]}
    found["complaints"] = [*visited.complaints]
    if way == "light":
        found["mathjax"] = [name for name in asked if "mathjax" in name.lower()]
        weight = page_files.weigh_requests(site, asked)
        found["weight of a first visit"] = weight if weight > HEAVIEST else 0
    if way == "phone":
        found["pixels beyond the window"] = measure_sideways(page)
    found["barriers"] = find_barriers(page)
    if way == "phone":
        page.add_style_tag(content=LAY_OUT_ALL)
        found |= {name: look(page) for name, look in ON_A_PHONE.items()}
    return {name: faults for name, faults in found.items() if faults}


def find_barriers(page: Page) -> list[tuple[str, str, str]]:
    """List what keeps readers out of a page, but for what is known of the theme."""
    page.evaluate(page_use.DRAW)  # a box is marked in the frame in which it is laid out
    return [
        barrier
        for barrier in barriers.find_barriers(page)
        if not any(
            barrier[0] == rule and element in barrier[1]
            for rule, element in THEME_FAULTS
        )
    ]
