"""The picture of the page that writes, as it stands where no scripts run.

`python -m chapters.live.writer_still` draws it by the page's own scripts, in Node.
"""

import json
from pathlib import Path

from chapters.live import pack, verses
from chapters.shared.explorer.still import run_script

FILE = Path(__file__).parents[3] / "book/_drawings/next-word.svg"
SCRIPTS = ("transformer.js", "writer_model.js", "writer_picture.js")
TEXT = "And Abraham took Sarah his"
WIDTH = 660
PROGRAM = """\
"use strict";
{scripts}
const {{ begin, read, unpack }} = globalThis.bookWriter;
const {{ sceneOf, still }} = globalThis.bookWriterPicture;
const model = unpack(globalThis.bookVerses), text = begin(model);
model.tokenizer.encodePrompt({text}).forEach((id) => read(text, id));
const scene = sceneOf(text);
console.log(JSON.stringify({{ said: scene.said, drawing: still(scene, {width}) }}));
"""


def draw() -> dict:
    """Return the drawing, and what the model would say after each layer."""
    folder = pack.WEIGHTS.parent
    scripts = [(folder / name).read_text("utf-8") for name in SCRIPTS]
    scripts = "\n".join([*scripts, verses.read_script()])
    drawn = run_script(
        PROGRAM.format(scripts=scripts, text=json.dumps(TEXT), width=WIDTH)
    )
    name = f' role="img" aria-label="{describe(drawn["said"])}">'
    drawn["drawing"] = drawn["drawing"].replace(">", name, 1)
    return drawn


def describe(said: list[dict]) -> str:
    """Say in words what the picture shows."""
    names = ", ".join(stage["name"] for stage in said)
    return (
        "Rows of tokens from line end to his, columns of four layers. Lines show where "
        "each row looks. Below the layers stands what the model would say there: "
        f"{names}."
    )


if __name__ == "__main__":
    FILE.write_text(draw()["drawing"], "utf-8")
