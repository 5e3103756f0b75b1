"""Compare the outputs of one cell: the same number, the same kinds, the same content.

What a cell writes to stdout and stderr reaches the notebook in pieces whose number
depends on timing, so the pieces between two displays are joined first. Outputs are
then compared one by one, in order. Each must have its kind (stream, result, display,
error) and its MIME types in common with its partner; texts, HTML, SVG and PNG follow
the rules of ``text``, ``svg`` and ``png``, every other MIME type must be the same
exactly. Tracebacks, metadata and execution counts of outputs are left aside.
"""

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from bookkit.book.notebooks import NARROW, SVG, TEXT, seen
from bookkit.checking.compare.png import compare_png
from bookkit.checking.compare.svg import compare_svg
from bookkit.checking.compare.text import compare_html, compare_text, quote

Output = dict[str, Any]

_KINDS = {
    SVG: "SVG",
    NARROW: "SVG",
    "image/png": "PNG",
    "text/html": "text",
    "text/latex": "text",
    "text/markdown": "text",
    TEXT: "text",
}
_COMPARE = {
    SVG: compare_svg,
    NARROW: compare_svg,
    "image/png": compare_png,
    "text/html": compare_html,
}


def kind_of(output: Output) -> str:
    """Return what an output is to a reader: "text", "SVG", "PNG" or "other"."""
    if output["output_type"] in ("stream", "error"):
        return "text"
    data = output["data"]
    if set(data) - set(_KINDS):
        return "other"
    return next((kind for mime, kind in _KINDS.items() if mime in data), "text")


def _is_stream(output: Output) -> bool:
    return output["output_type"] == "stream"


def _text(content: str | Sequence[str]) -> str:
    """Return a text that the notebook format may hold as a list of lines."""
    return content if isinstance(content, str) else "".join(content)


def texts(outputs: Sequence[Output]) -> list[Output]:
    """Leave out figures, which another version of matplotlib draws differently."""
    return [output for output in outputs if kind_of(output) not in ("SVG", "PNG")]


def join_streams(outputs: Sequence[Output]) -> list[Output]:
    """Join the pieces of stdout, then those of stderr, between two displays."""
    joined: list[Output] = []
    for streams, group in groupby(outputs, key=_is_stream):
        if not streams:
            joined += group
            continue
        texts: dict[str, str] = {}
        for output in group:
            name = output["name"]
            texts[name] = texts.get(name, "") + _text(output["text"])
        joined += [
            {"output_type": "stream", "name": name, "text": texts[name]}
            for name in sorted(texts, reverse=True)  # stdout before stderr
            if texts[name]
        ]
    return joined


def _title(output: Output) -> str:
    """Name an output in a word or two."""
    match output["output_type"]:
        case "stream":
            return output["name"]
        case "error":
            return f"error {output['ename']}"
        case "execute_result":
            return f"result ({kind_of(output)})"
        case _:
            return f"display ({kind_of(output)})"


def _content(output: Output) -> str:
    """Quote the beginning of an output."""
    if _is_stream(output):
        return quote(output["text"])
    if output["output_type"] == "error":
        return quote(output["evalue"])
    return quote(_text(output["data"].get(TEXT, "")))


def _compare_content(mime: str, stored: Any, computed: Any) -> str | None:
    """Compare data of one MIME type."""
    compare = _COMPARE.get(mime, compare_text if mime.startswith("text/") else None)
    if compare:
        return compare(_text(stored), _text(computed))
    return None if stored == computed else "the data are not the same"


def _compare_data(stored: Output, computed: Output) -> list[str]:
    """Compare two displays or results, one MIME type after the other."""
    # Words beside an image are stored for JupyterLab, and no run gives them.
    before, after = seen(stored["data"]), seen(computed["data"])
    if set(before) != set(after):
        return [
            f"stored as {', '.join(sorted(before))}, "
            f"computed as {', '.join(sorted(after))}"
        ]
    found = {m: _compare_content(m, before[m], after[m]) for m in before}
    return [f"{mime}: {difference}" for mime, difference in found.items() if difference]


def _compare_one(stored: Output, computed: Output) -> list[str]:
    """Compare two outputs."""
    kinds = [(x["output_type"], x.get("name")) for x in (stored, computed)]
    if kinds[0] != kinds[1]:
        return [f"stored is {_title(stored)}, computed is {_title(computed)}"]
    if _is_stream(stored):
        found = {"": compare_text(stored["text"], computed["text"])}
    elif stored["output_type"] == "error":
        found = {
            name: compare_text(stored[key], computed[key])
            for name, key in (("name: ", "ename"), ("message: ", "evalue"))
        }
    else:
        return _compare_data(stored, computed)
    return [f"{name}{difference}" for name, difference in found.items() if difference]


def _list(outputs: Sequence[Output]) -> str:
    titles = [f"{_title(output)} {_content(output)}" for output in outputs]
    return "; ".join(titles) if titles else "nothing"


def compare_outputs(stored: Sequence[Output], computed: Sequence[Output]) -> list[str]:
    """Describe every difference between the outputs of one cell.

    Args:
        stored: The outputs that stand in the notebook, in the notebook format.
        computed: The outputs that the run gave, likewise.

    Returns:
        One sentence for each output that differs; empty when all are equal.
    """
    before, after = join_streams(stored), join_streams(computed)
    if len(before) != len(after):
        return [
            f"{len(before)} outputs are stored and {len(after)} computed: "
            f"stored {_list(before)}; computed {_list(after)}"
        ]
    return [
        f"output {number} ({_title(a)}): {difference}"
        for number, (a, b) in enumerate(zip(before, after, strict=True), start=1)
        for difference in _compare_one(a, b)
    ]
