"""The book's own language model as a script, for the page that writes.

`python -m chapters.live.verses FILE` writes it. A page that is read from a disk may
load a script and no other file, so the three files that `zoo.load("verses")` reads
stand in one, the numbers to the byte, in base64.
"""

import base64
import json
import sys
from pathlib import Path

import transformer

OPENING = "globalThis.bookVerses = "
# That of `zoo.SHIPPED`, which would take PyTorch into each build of the site.
FOLDER = Path(transformer.__file__).parent / "zoo/verses"


def read_script() -> str:
    """Return the script."""
    given = {
        name: json.loads((FOLDER / f"{name}.json").read_text("utf-8"))
        for name in ("config", "tokenizer")
    }
    weights = (FOLDER / "model.safetensors").read_bytes()
    held = {
        "config": given["config"]["config"],
        "tokenizer": given["tokenizer"],
        "weights": base64.b64encode(weights).decode("ascii"),
    }
    return f"{OPENING}{json.dumps(held, separators=(',', ':'))};\n"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(read_script(), "utf-8")
