"""What all explorers share: the HTML around a drawing, its controls and its script.

A reader moves the drawing itself, by the handles in it, or controls below it. Colors
say what a thing is, in every explorer: query, key, value, output.

An explorer is one piece of HTML that needs nothing else: the drawing as it looks at
first, the controls, a sentence that says what is shown, the data, the style and the
script. Python gives the data, and scripts draw: `stage.js` what stands, `explorer.js`
what moves. The picture that they draw at first is kept in `explorer.html` by the module
`still`. Without scripts the controls stay hidden and the drawing is a figure like any
other. With them, the script changes numbers and shapes *within* that drawing, so what
it shows at first is what was there before. Until JupyterLab trusts a notebook it takes
style and drawing away and leaves the words; a sentence that the style hides says so.

The HTML is well-formed XML, has no id (so that two of them may stand on a page), asks
for no other file, and is the same at every run.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from chapters.shared.explorer.markup import tag

FOLDER = files("chapters")
_INDENTATION = re.compile(r"^\s*(?://.*\n)?", re.MULTILINE)  # of a line, or a comment
_SHELL = """\
<div class="explorer" data-explorer="{name}" role="group" aria-label="{title}">
<style>
{style}</style>
<p class="explorer-asleep">This figure moves once you run the notebook. Until then \
only its words stand here.</p>
<p class="explorer-instruction" hidden="hidden">{instruction}</p>
{shown}
<script type="application/json">
{data}
</script>
<script>
//<![CDATA[
{script}//]]>
</script>
</div>
"""


@dataclass(frozen=True, kw_only=True)
class Explorer:
    """A figure that a reader can move.

    Attributes:
        chapter: The folder in `chapters` that holds its scripts.
        name: Its own name.
        title: Its name for those who cannot see it.
        instruction: One line that says what to try, and what to notice.
        controls: The HTML of its controls, made by `slider`, `choice` and `switch`.
        data: What the script needs to know; numbers rounded to what can be seen.
        uses: What it shares with some of the others: "drag", if it has handles.
        controls_first: Whether controls stand above the drawing: for one whose height
            changes, under which they would not keep their place, and for one that is
            higher than a phone, under which they would be out of sight.
        kept: Whether the book keeps its first picture; if not, the page draws it.
    """

    chapter: str
    name: str
    title: str
    instruction: str
    controls: Sequence[str]
    data: Mapping[str, Any]
    uses: Sequence[str] = ()
    controls_first: bool = False
    kept: bool = True

    def _repr_html_(self) -> str:
        """Write the whole explorer as HTML."""
        path = f"{self.chapter}/explorer.html"
        shown = _read(path) if self.kept else self.write_empty()
        return _SHELL.format(
            name=self.name,
            title=self.title,
            style=read_style(self.chapter, *self.uses),
            instruction=self.instruction,
            shown=shown.strip(),
            data=write_data(self.data),
            script=self._write_script(),
        )

    def __repr__(self) -> str:
        return f"Explorer: {self.title}"

    def write_empty(self) -> str:
        """Write what a reader sees, before a script has drawn in it."""
        controls = "\n".join(self.controls)
        parts = [
            '<div class="explorer-stage" data-part="stage"></div>',
            f'<div class="explorer-controls" hidden="hidden">\n{controls}\n</div>',
        ]
        readout = '<output class="explorer-readout" data-part="readout"></output>'
        parts = parts[::-1] if self.controls_first else parts
        return "\n".join([*parts, readout])

    def _write_script(self) -> str:
        """Write the script, closed off from the rest of the page."""
        scripts = read_scripts(self.chapter, *self.uses, stage=not self.kept)
        drawn = "(view) => { fill(view); return start(view); }"
        begin = "start" if self.kept else drawn
        return (
            f'(() => {{\n"use strict";\n{scripts}'
            f'enliven("{self.name}", {begin});\n}})();\n'
        )


def read_style(chapter: str, *uses: str) -> str:
    """Read the style of all explorers, that of what one uses, and its own."""
    return _read_all("css", chapter, *uses)


def read_scripts(chapter: str | None, *uses: str, stage: bool = False) -> str:
    """Read what all scripts share, what one uses, and the script of a chapter.

    Args:
        chapter: The folder of the chapter.
        *uses: What it uses.
        stage: Whether to read what draws the stage, too, which a page has as a picture.
    """
    scripts = _read_all("js", chapter, *uses)
    if stage:
        scripts += _short("shared/explorer/stage.js") + _short(f"{chapter}/stage.js")
    return scripts


def _read_all(kind: str, chapter: str | None, *uses: str) -> str:
    names = [f"shared/explorer/{part}" for part in ("frame", *uses)]
    names += [f"{chapter}/explorer"] if chapter else []
    return "".join(_short(f"{name}.{kind}") for name in names)


def _short(name: str) -> str:
    """Read a file, if it exists, without comments and indentation."""
    return _INDENTATION.sub("", _read(name)) if (FOLDER / name).is_file() else ""


def _read(name: str) -> str:
    return (FOLDER / name).read_text("utf-8")


def write_data(data: Mapping[str, Any]) -> str:
    """Write data as JSON, one line for each name, without signs that end a script."""
    lines = (f"{json.dumps(key)}: {_compact(value)}" for key, value in data.items())
    text = "{\n" + ",\n".join(lines) + "\n}"
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), allow_nan=False)


def slider(name: str, label: str, *, low: int, high: int, value: int) -> str:
    """Write a slider over integers; the script says beside it what its value means.

    Args:
        name: Under which name the script finds it.
        label: What it sets, in a word or two.
        low: The least value.
        high: The largest value.
        value: The value at first.
    """
    limits = {"min": low, "max": high, "step": 1, "value": value}
    control = tag("input", type="range", name=name, autocomplete="off", **limits)
    beside = tag("span", data_value=name, aria_hidden="true")
    return tag("label", f"<span>{label}</span> {control} {beside}")


def choice(name: str, label: str, options: Mapping[str, str], *, value: str) -> str:
    """Write a list to choose from; options map a value to its words."""
    entries = "".join(
        tag("option", words, value=key, selected="selected" if key == value else None)
        for key, words in options.items()
    )
    control = tag("select", entries, name=name, autocomplete="off")
    return tag("label", f"<span>{label}</span> {control}")


def switch(name: str, label: str, *, on: bool = False) -> str:
    """Write a box to tick."""
    checked = "checked" if on else None
    control = tag(
        "input", type="checkbox", name=name, autocomplete="off", checked=checked
    )
    return tag("label", f"{control} <span>{label}</span>", class_="explorer-switch")
