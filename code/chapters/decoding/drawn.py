"""Texts that a language model drew: five of a riddle, and how typical eight more are.

`python -m chapters.decoding.drawn` writes the file beside this module.
"""

import torch

from chapters.decoding.real_texts import PROMPT, chances, draws, suspects, typical
from chapters.laboratory.measurements import Measurements
from chapters.laboratory.real_model import as_ids, open_model
from transformer.zoo import LanguageModel

MEASUREMENTS = Measurements("decoding", "drawn")
SEEDS = range(8)


def measured(smollm: LanguageModel) -> list[dict]:
    """Return the ids of each suspect, and the typical chance of a draw of each seed."""
    texts = suspects(*smollm)
    rows = [{"suspect": name, "ids": ids} for name, ids in texts.items()]
    prompt = as_ids(smollm[1], PROMPT)
    for seed, ids in enumerate(draws(*smollm, len(SEEDS) * [1.0], SEEDS)):
        rows.append({"seed": seed, "typical": typical(chances(smollm[0], prompt, ids))})
    return rows


def stored_suspects() -> dict[str, list[int]]:
    """Return what `suspects` returns, from the file."""
    rows = MEASUREMENTS.read()
    return {row["suspect"]: row["ids"] for row in rows if "suspect" in row}


def stored_draws() -> list[float]:
    """Return how typical the tokens of each stored draw are, the least first."""
    return sorted(row["typical"] for row in MEASUREMENTS.read() if "seed" in row)


if __name__ == "__main__":
    torch.set_default_dtype(torch.float64)
    torch.set_num_threads(1)
    MEASUREMENTS.write(measured(open_model("smollm2-135m")))
