"""What the page that writes shows before its model is there.

A drawing stands where no scripts run, and a record of what the model did with some
beginnings moves where they do. `python -m chapters.live.writer_still` writes both by
the page's own scripts, in Node.
"""

import json
import re
from pathlib import Path

from chapters.live import pack, verses
from chapters.shared.explorer.still import run_script

FILE = Path(__file__).parents[3] / "book/_drawings/next-word.svg"
FOLDER = pack.WEIGHTS.parent
RECORD = FOLDER / "writer_record.js"
SCRIPTS = ("transformer.js", "writer_model.js", "writer_picture.js")
EXAMPLES = re.compile(r"const EXAMPLES = (\[.*?\]);", re.DOTALL)
PREFACE = re.compile(r"const PREFACE = (\".*?\");")
WRITES = 3  # tokens of each record at most, the likeliest ones
WIDTH = 660
PROGRAM = """\
"use strict";
{scripts}
const {{ begin, cut, read, unpack, likeliest, shaped }} = globalThis.bookWriter;
const {{ sceneOf, saidOf, nameAfter, still }} = globalThis.bookWriterPicture;
const model = unpack(globalThis.bookVerses), {{ tokenizer }} = model;
const rounded = (places) => (value) => Number(value.toFixed(places));
const openText = (ids) => {{
  const text = begin(model);
  ids.forEach((id) => read(text, id));
  return text;
}};

/* Whether the likeliest token behind a place is a word, and no part of one. */
function ends(text, place) {{
  const {{ id }} = likeliest(text.places[place].logits);
  const ids = text.ids.slice(0, place + 1), other = openText([...ids, id]);
  const follows = likeliest(other.places.at(-1).logits).id;
  return /^\\p{{L}}/u.test(nameAfter(tokenizer, ids.at(-1), id))
    && !nameAfter(tokenizer, id, follows).startsWith("…");
}}

/* What the page shows of a beginning and of some tokens that follow, up to one behind
which a whole word is the likeliest. */
function record(beginning) {{
  const text = openText(tokenizer.encodePrompt(beginning)), prompt = text.ids.length;
  const told = [];
  for (let i = 0; i <= {writes}; i += 1) {{
    const place = text.ids.length - 1, {{ logits }} = text.places[place];
    const {{ order, shares }} = shaped(logits);
    told.push({{
      said: saidOf(text, place).map(({{ name, share }}) => [name, rounded(6)(share)]),
      next: order.slice(0, {listed}).map((id, i) => [
        nameAfter(tokenizer, text.ids[place], id), rounded(6)(shares[i])]),
    }});
    if (i < {writes}) read(text, likeliest(logits).id);
  }}
  const after = told.map((_, i) => ends(text, prompt - 1 + i));
  const last = after.lastIndexOf(true);
  told.length = last + 1;
  cut(text, prompt + last);
  const rows = sceneOf(text, {{ count: Infinity }}).rows.map((row, place) => ({{
    name: row.name, cells: row.cells.map(rounded(2)),
    looks: row.looks.map((shares) => shares.map(rounded(2))),
    letters: tokenizer.decode([row.id]), bits: rounded(2)(text.places[place].bits),
  }}));
  return {{ prompt, rows, told }};
}}
const examples = {examples}, prefaced = `${{{preface}}} ${{examples[1]}}`;
const scene = sceneOf(openText(tokenizer.encodePrompt(examples[0])));
const records = [...examples, prefaced].map((text) => [text, record(text)]);
console.log(JSON.stringify({{ said: scene.said, drawing: still(scene, {width}),
  records: Object.fromEntries(records) }}));
"""


def draw() -> dict:
    """Return the drawing, what the model would say after each layer, and the record."""
    scripts = [(FOLDER / name).read_text("utf-8") for name in SCRIPTS]
    scripts = "\n".join([*scripts, verses.read_script()])
    [examples] = EXAMPLES.findall((FOLDER / "writer.js").read_text("utf-8"))
    [preface] = PREFACE.findall((FOLDER / "writer_surprise.js").read_text("utf-8"))
    drawn = run_script(
        PROGRAM.format(
            scripts=scripts,
            examples=examples,
            preface=preface,
            width=WIDTH,
            writes=WRITES,
            listed=8,
        )
    )
    name = f' role="img" aria-label="{describe(drawn["said"])}">'
    drawn["drawing"] = drawn["drawing"].replace(">", name, 1)
    records = json.dumps(drawn["records"], ensure_ascii=False, separators=(",", ":"))
    drawn["record"] = f"globalThis.bookWriterRecord = {records};\n"
    return drawn


def describe(said: list[dict]) -> str:
    """Say in words what the picture shows."""
    names = ", ".join(stage["name"] for stage in said)
    return (
        "Rows of tokens from line end to his, columns of four layers. Lines show where "
        "each row looks. Below the layers stands what the model would say there: "
        f"{names}."
    )


def main() -> None:
    """Write the drawing and the record."""
    drawn = draw()
    FILE.write_text(drawn["drawing"], "utf-8")
    RECORD.write_text(drawn["record"], "utf-8")


if __name__ == "__main__":
    main()
