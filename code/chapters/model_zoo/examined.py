"""What wrong loads of a real Llama show: names, loss, logits, and what they write.

Fourteen loads take half a minute, so the chapter reads them from a file that
`python -m chapters.model_zoo.examined` writes, and repeats two.
"""

from collections.abc import Iterable
from dataclasses import replace

from chapters.laboratory.measurements import Measurements
from chapters.laboratory.real_model import open_model
from chapters.model_zoo.wrong_loads import FAULTS, HEAD, MODELS, Tensors, examine
from transformer.config import TransformerConfig
from transformer.zoo import CONFIGS

MEASUREMENTS = Measurements("model_zoo", "examined")
MODEL = "smollm2-135m"
LENGTH = 9  # tokens that are written

FACTS = (
    "Water boils when its vapor pressure equals the pressure of the air around it. "
    "On a high mountain the air is thinner, so water boils at a lower temperature."
)
COUNTS = "1, 2, 3, 4,"
STORY = (
    "The old lighthouse stood on a cliff above the sea. Every evening the keeper "
    "climbed the stairs and lit the lamp, so that the ships could find the harbor."
)
EVENS = "2, 4, 6, 8,"


def of_faults(
    names: Iterable[str], config: TransformerConfig, tensors: Tensors, tokenizer: object
) -> list[dict]:
    """Load with some of `FAULTS`, and return what `FACTS` and `COUNTS` show.

    Args:
        names: Which of them.
        config: The right configuration.
        tensors: The right tensors, as `examine` takes them.
        tokenizer: The tokenizer of the model.

    Returns:
        For each how many names found no tensor, "missing", and how many tensors no
        name, "surplus"; the "loss"; "off", the largest difference of the logits, to the
        hundredth; and what it "writes".
    """
    given = config, tensors, tokenizer
    sound = examine(FAULTS["no mistake"], *given, text=FACTS)
    rows = []
    for name in names:
        found = examine(
            FAULTS[name], *given, text=FACTS, prompts=[COUNTS], length=LENGTH
        )
        fits = {"missing": found.missing, "surplus": found.surplus}
        seen = {"loss": found.loss, "off": round(found.gap(sound), 2)}
        rows.append({"fault": name} | fits | seen | {"writes": found.writes[0]})
    return rows


def of_models(
    letters: Iterable[str],
    config: TransformerConfig,
    tensors: Tensors,
    tokenizer: object,
) -> list[dict]:
    """Load some of `MODELS`, and return what `STORY` and `EVENS` show.

    Args:
        letters: Which of them.
        config: The right configuration.
        tensors: The right tensors, as `examine` takes them.
        tokenizer: The tokenizer of the model.

    Returns:
        For each the "loss"; "off", the largest difference of the first token's
        logits, to the hundredth; the first wrong "layer", or None; and what it
        "writes".
    """
    given = config, tensors, tokenizer
    sound = examine(FAULTS["no mistake"], *given, text=STORY)
    rows = []
    for letter in letters:
        found = examine(
            MODELS[letter], *given, text=STORY, prompts=[EVENS], length=LENGTH
        )
        off = round(found.gap(sound, time=slice(1)), 2)
        seen = {"loss": found.loss, "off": off, "layer": found.first_layer(sound)}
        rows.append({"model": letter} | seen | {"writes": found.writes[0]})
    return rows


def faults() -> list[dict]:
    """Return the rows of the file that `of_faults` has made, one for each mistake."""
    return [row for row in MEASUREMENTS.read() if "fault" in row]


def models() -> list[dict]:
    """Return the rows of the file that `of_models` has made, one for each letter."""
    return [row for row in MEASUREMENTS.read() if "model" in row]


def what_is_right() -> tuple[TransformerConfig, Tensors, object]:
    """Return what a right load is told: the configuration, the tensors, a tokenizer."""
    model, tokenizer = open_model(MODEL)
    tensors = {name: x for name, x in model.state_dict().items() if name != HEAD}
    return replace(CONFIGS[MODEL], rotary_layout="interleaved"), tensors, tokenizer


if __name__ == "__main__":
    told = what_is_right()
    rows = of_faults(FAULTS, *told) + of_models(MODELS, *told)
    MEASUREMENTS.write(rows, model=MODEL, facts=FACTS, story=STORY)
