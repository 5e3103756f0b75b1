"""A good notebook, and what stands in a folder."""

from pathlib import Path

from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from bookkit.book.notebooks import canonical_bytes

TITLE = "# A chapter\n\n**Reading time** about 5 minutes.\n"
_ONE = new_output("execute_result", data={"text/plain": "1"}, execution_count=1)
GOOD = canonical_bytes(
    new_notebook(
        cells=[
            new_markdown_cell(TITLE, id="title"),
            new_code_cell("1", id="code", execution_count=1, outputs=[_ONE]),
        ]
    )
)


def snapshot(root: Path) -> dict[Path, tuple[int, bytes]]:
    """Note the time and the content of each file below a folder."""
    files = (path for path in root.rglob("*") if path.is_file())
    return {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in files}
