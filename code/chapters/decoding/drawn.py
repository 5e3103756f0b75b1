"""Texts that a language model wrote in several ways, as ids, and drew for a riddle.

The chapter writes their beginnings again. `python -m chapters.decoding.drawn` writes
the file beside this module.
"""

from functools import partial

import torch

from chapters.decoding.real_texts import (
    PROMPT,
    STEPS,
    chances,
    draws,
    suspects,
    typical,
    write_cached,
)
from chapters.laboratory.measurements import Measurements
from chapters.laboratory.real_model import as_ids, open_model
from transformer.decoding import (
    beam_search,
    keep_min_p,
    keep_top_k,
    keep_top_p,
    mark_seen,
    penalize_repetition,
)
from transformer.zoo import LanguageModel

MEASUREMENTS = Measurements("decoding", "drawn")
SEEDS = range(8)
TEMPERATURES = (0.3, 0.7, 1.0, 1.5)
CUTS = {
    "top-k": partial(keep_top_k, k=50),
    "top-p": partial(keep_top_p, p=0.9),
    "min-p": partial(keep_min_p, p=0.1),
}
HOT = 1.5  # the temperature at which the cuts are compared


def searched(smollm: LanguageModel) -> dict[str, list[int]]:
    """Return what follows `PROMPT` by greedy decoding, a beam, and with a penalty."""
    model, tokenizer = smollm
    prompt = as_ids(tokenizer, PROMPT)
    read = prompt[0].tolist()

    def penalized(logits: torch.Tensor) -> torch.Tensor:
        seen = mark_seen(torch.tensor([read]), logits.size(-1))
        token = penalize_repetition(logits, seen, 1.2).argmax(dim=-1)
        read.append(token.item())
        return token

    room = {"beam_width": 2, "max_new_tokens": STEPS, "length_penalty": 0.0}
    return {
        "greedy": write_cached(model, prompt, lambda x: x.argmax(dim=-1))[0].tolist(),
        "beam of 2": beam_search(model, prompt, **room).tokens[0, 0].tolist(),
        "penalty": write_cached(model, prompt, penalized)[0].tolist(),
    }


def measured(smollm: LanguageModel) -> list[dict]:
    """Return how typical a draw of each seed is, and the ids of all other texts."""
    texts = suspects(*smollm)
    rows = [{"suspect": name, "ids": ids} for name, ids in texts.items()]
    prompt = as_ids(smollm[1], PROMPT)
    for seed, ids in enumerate(draws(*smollm, len(SEEDS) * [1.0], SEEDS)):
        rows.append({"seed": seed, "typical": typical(chances(smollm[0], prompt, ids))})
    drawn = draws(*smollm, TEMPERATURES, len(TEMPERATURES) * [0])
    cut = draws(*smollm, len(CUTS) * [HOT], len(CUTS) * [1], [*CUTS.values()])
    found = {
        "way": searched(smollm),
        "temperature": dict(zip(TEMPERATURES, drawn, strict=True)),
        "cut": dict(zip(CUTS, cut, strict=True)),
    }
    for field, named in found.items():
        rows += [{field: name, "ids": ids} for name, ids in named.items()]
    return rows


def stored_by(field: str) -> dict:
    """Return the ids of some texts, from the file.

    Args:
        field: What tells them apart: "suspect", "way", "temperature" or "cut".
    """
    return {row[field]: row["ids"] for row in MEASUREMENTS.read() if field in row}


def stored_suspects() -> dict[str, list[int]]:
    """Return what `suspects` returns, from the file."""
    return stored_by("suspect")


def stored_draws() -> list[float]:
    """Return how typical the tokens of each stored draw are, the least first."""
    return sorted(row["typical"] for row in MEASUREMENTS.read() if "seed" in row)


if __name__ == "__main__":
    torch.set_default_dtype(torch.float64)
    torch.set_num_threads(1)
    MEASUREMENTS.write(measured(open_model("smollm2-135m")))
