"""Files that no tool may take for a notebook, and what must be said of them."""

import json
import os
from collections.abc import Callable
from pathlib import Path

from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from bookkit.book.notebooks import canonical_bytes
from bookkit.book.validity import MAX_BYTES, MAX_DEPTH

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
NO_METADATA = b'"metadata": {}'
assert NO_METADATA in GOOD


def _changed(change: Callable[[dict], object]) -> bytes:
    """Change the document of the good notebook."""
    document = json.loads(GOOD)
    change(document)
    return json.dumps(document).encode()


def _code(**values: object) -> bytes:
    """Change the code cell of the good notebook."""
    return _changed(lambda document: document["cells"][1].update(values))


def _metadata(text: str) -> bytes:
    """Give the first cell other metadata."""
    return GOOD.replace(NO_METADATA, f'"metadata": {text}'.encode(), 1)


def _nested(levels: int) -> bytes:
    return _metadata('{"x": ' + "[" * levels + "]" * levels + "}")


def _without_ids(document: dict) -> None:
    for cell in document["cells"]:
        del cell["id"]


# name: (the bytes, what is said)
BYTES = {
    "truncated": (GOOD[:-30], "must be a notebook in JSON, and is not"),
    "empty": (b"", "must be a notebook in JSON, and is not"),
    "a list": (b"[]", "must be a notebook with a list of cells"),
    "a number": (b"1", "must be a notebook with a list of cells"),
    "not UTF-8": (GOOD.replace(b"# A", b"\xff\xfe"), "in UTF-8, and byte"),
    "zeros": (b"\0" * 100, "must be a notebook in JSON, and is not"),
    "a name twice": (_metadata('{"a": 1, "a": 2}'), "it gives 'a' twice in one object"),
    "not a number": (_metadata('{"a": NaN}'), "NaN is no number of JSON"),
    "half a character": (GOOD.replace(b"# A", b"# \\ud800"), "what JSON in UTF-8 can"),
    "deep": (_nested(MAX_DEPTH), f"must nest at most {MAX_DEPTH} levels"),
    "very deep": (_nested(100_000), "it nests too deeply"),
    "no ids": (_changed(_without_ids), "'id' is a required property (at cells.0)"),
    "an id twice": (
        _changed(lambda d: d["cells"].append(d["cells"][0])),
        "must have unique cell ids, and repeats title",
    ),
    "version 3": (
        b'{"metadata": {}, "nbformat": 3, "nbformat_minor": 0, "worksheets": []}',
        "must be a notebook with a list of cells",
    ),
    "cells of version 3": (_changed(lambda d: d.update(nbformat=3)), "and has 3.5"),
    "version 5": (_changed(lambda d: d.update(nbformat=5)), "and has 5.5"),
    "version 4.9": (_changed(lambda d: d.update(nbformat_minor=9)), "and has 4.9"),
    "no version": (_changed(lambda d: d.pop("nbformat")), "and has None.5"),
    "no cells": (_changed(lambda d: d.update(cells=[])), "must have cells"),
    "cells that are texts": (_changed(lambda d: d.update(cells=["x"])), "no valid"),
    "tags that are a text": (_code(metadata={"tags": "a"}), "is no valid notebook"),
    "a figure without words": (
        _code(metadata={"mystnb": {"figure": {"name": ["fig"]}}}),
        "cell 2, where the metadata 'mystnb.figure.name' must be a text",
    ),
    "settings that are nothing": (
        _code(metadata={"mystnb": None}),
        "cell 2, where the metadata 'mystnb' must be an object",
    ),
    "a list to draw": (
        _code(metadata={"draw": ["a:b"]}),
        "cell 2, where the metadata 'draw' must be a text",
    ),
    "a stored output of 50 MB": (
        GOOD + b" " * (50 * MAX_BYTES // 10),
        "must have at most 10 MB, and has 50",
    ),
}


def _link_out(path: Path) -> None:
    outside = path.parents[3] / "outside.ipynb"
    outside.write_bytes(GOOD)
    path.symlink_to(outside)


def _folder_link_out(path: Path) -> None:
    outside = path.parents[3] / "outside"
    path.parent.rename(outside)
    (outside / path.name).write_bytes(GOOD)
    path.parent.symlink_to(outside, target_is_directory=True)


def _unreadable(path: Path) -> None:
    path.write_bytes(GOOD)
    path.chmod(0)


# name: (what makes it, what is said); these are no plain files within the book.
KINDS = {
    "a folder": (Path.mkdir, "must be a readable file, and is something else"),
    "a pipe": (os.mkfifo, "must be a readable file, and is something else"),
    "a device": (lambda p: p.symlink_to("/dev/zero"), "must lie in the folder"),
    "a link that leads out": (_link_out, "must lie in the folder"),
    "a link to itself": (lambda p: p.symlink_to(p), "its links lead in a circle"),
    "a lost link": (
        lambda p: p.symlink_to(p.with_name("x")),
        "must be a readable file",
    ),
    "in a folder that leads out": (_folder_link_out, "must lie in the folder"),
    "unreadable": (_unreadable, "must be a readable file, and is not: Permission"),
}
HOSTILE = {**BYTES, **KINDS}


def put(path: Path, name: str) -> None:
    """Put a hostile file in the place of a notebook."""
    what = HOSTILE[name][0]
    if isinstance(what, bytes):
        path.write_bytes(what)
    else:
        what(path)


def snapshot(root: Path) -> dict[Path, tuple[int, bytes | str | None]]:
    """Note the time and the content of everything below a folder."""
    return {
        path: (path.lstat().st_mtime_ns, _content(path)) for path in root.rglob("*")
    }


def _content(path: Path) -> bytes | str | None:
    if path.is_symlink():
        return os.readlink(path)
    return path.read_bytes() if path.is_file() and os.access(path, os.R_OK) else None
