"""What the script of the page comes to, so that a reader can tell whether his does.

`python -m chapters.language_model.targets` takes twelve minutes of one core. Three
seeds take 1,000 steps in one go, and two of them end after 500 and are then extended.
All three are also looked at where the page stops, after the first 30 steps.
The rate was chosen before by shorter trainings with another seed, which come first.
"""

import time
from collections.abc import Iterator
from itertools import islice
from tempfile import TemporaryDirectory

import torch
from torch import Tensor

from chapters.laboratory import king_james
from chapters.laboratory.fit import same_numbers
from chapters.laboratory.measurements import Measurements, trained
from chapters.language_model.pretrain import cut, loss_of, new_model, train
from transformer.models import DecoderOnlyTransformer

MEASUREMENTS = Measurements("language_model", "targets")
RATES, SHORT, CHOSEN_BY = (1e-3, 3e-3, 1e-2), 200, 9
SEEDS, AGAIN, STEPS, FIRST = (0, 1, 2), (0, 1), 1000, 500
ON_PAGE = 30  # steps
BEGIN = "And it came"


def begun(seed: int, vocab_size: int) -> DecoderOnlyTransformer:
    """Return the model that the page begins with, in float32.

    Its numbers are drawn in float64, as on the page, or they would be others.
    """
    with same_numbers(seed):
        return new_model(vocab_size).float()


def pending(rows: list[dict]) -> Iterator[dict]:
    """Yield the trainings that are missing."""
    tries = [{"run": "rate", "rate": rate, "seed": CHOSEN_BY} for rate in RATES]
    yield from (setting for setting in tries if not trained(rows, setting))
    best = min(trained(rows, {"run": "rate"}), key=lambda row: row["losses"][-1])
    wanted = {"in one go": SEEDS, "extended": AGAIN, "on the page": SEEDS}
    for run, seeds in wanted.items():
        for seed in seeds:
            setting = {"run": run, "rate": best["rate"], "seed": seed}
            if not trained(rows, setting):
                yield setting


def measured(run: str, rate: float, seed: int) -> dict[str, object]:
    """Train, and return what was seen on the way."""
    tokenizer, *texts = cut(
        king_james.split_text("train"), king_james.split_text("validation")
    )
    started, model = time.process_time(), begun(seed, tokenizer.vocab_size)
    with TemporaryDirectory() as folder:
        save = f"{folder}/mine.pt" if run == "extended" else None
        ends = {"rate": [SHORT], "extended": [FIRST, STEPS]}.get(run, [STEPS])
        way, looks = {"peak": rate, "save": save, "seed": seed}, None
        if run == "on the page":
            way["every"], looks = ON_PAGE, 2
        seen = [
            moment
            for steps in ends
            for moment in islice(moments(model, tokenizer, *texts, steps, **way), looks)
        ]
    return {
        "steps": [step for step, _, _ in seen],
        "losses": [loss for _, loss, _ in seen],
        "texts": [text for _, _, text in seen],
        "training": loss_of(model, texts[0][: len(texts[1])]),
        "cpu_seconds": time.process_time() - started,
    }


def moments(
    model: DecoderOnlyTransformer,
    tokenizer: object,
    learn: Tensor,
    held_out: Tensor,
    steps: int,
    **way: object,
) -> Iterator[tuple[int, float, str]]:
    """Yield the step, the held-out loss and what the model writes then."""
    writing = {"max_new_tokens": 24, "temperature": 0.7, "seed": 0}
    for step, loss, _ in train(model, learn, held_out, steps, **way):
        print(f"{step:5} {loss:.3f}", flush=True)
        yield step, loss, model.generate(BEGIN, tokenizer=tokenizer, **writing)


if __name__ == "__main__":
    torch.set_num_threads(1)
    MEASUREMENTS.go_on(pending, measured, steps=STEPS, text="king_james")
