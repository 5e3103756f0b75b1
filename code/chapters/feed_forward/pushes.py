"""What a real model says next when it is pushed as hard as one unit pushes.

Pushes in 126 directions take some seconds, so the chapter reads between what they move
words from a file that `python -m chapters.feed_forward.pushes` writes.
"""

from chapters.feed_forward.real_units import Unit, chances, equal_pushes
from chapters.laboratory.measurements import Measurements
from chapters.laboratory.real_model import open_model
from transformer.zoo import LanguageModel

MEASUREMENTS = Measurements("feed_forward", "pushes")
HOT_DOG = Unit(layer=7, number=967)  # what the chapter finds
STARTS = {
    "She bought a hot dog and put it on a": (" plate", " bun", " bike", " leash"),
    "She gave the hot dog a": (" plate", " treat", " bone"),
}


def measured(smollm: LanguageModel, start: str, *, unit: Unit = HOT_DOG) -> dict:
    """Return the smallest and the largest chance of each word after all pushes.

    Args:
        smollm: The model and its tokenizer.
        start: A key of `STARTS`.
        unit: The unit whose number says how hard it is pushed.
    """
    words, rows = STARTS[start], equal_pushes(smollm.model, unit)
    found = chances(*smollm, start, words, unit=unit, rows=rows)
    return {
        "start": start,
        "words": list(words),
        "pushes": len(rows),
        "low": found.amin(dim=0).tolist(),
        "high": found.amax(dim=0).tolist(),
    }


if __name__ == "__main__":
    opened = open_model("smollm2-135m")
    MEASUREMENTS.write([measured(opened, start) for start in STARTS])
