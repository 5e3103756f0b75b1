"""Narrow matrices or all weights: what each learns, and what it forgets.

SmolLM2 learns to answer in one polite word. The trainings take twenty minutes
of one core; `python -m chapters.manners.adapting` writes their file.
"""

import random
from collections.abc import Sequence
from copy import deepcopy
from functools import cache
from itertools import product

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from chapters.laboratory.alice import book
from chapters.laboratory.measurements import Measurements, rounded
from chapters.laboratory.study import chosen
from chapters.manners.polite import (
    Example,
    answered,
    asked,
    examples,
    is_polite,
    is_right,
    share,
)
from transformer.data.answers import Answer, answer_batch
from transformer.decoding import generate
from transformer.training.lora import attach_adapter
from transformer.zoo import LanguageModel, load

MEASUREMENTS = Measurements("manners", "adapting")
RANK, BATCH = 4, 4
CONTROL = 300  # tokens of *Alice*, which nobody has taught
WRITTEN, SAID = 12, 16  # tokens of an answer at most, answers

ONLY, ALL, EVERY_TOKEN = "LoRA", "all weights", "LoRA, loss on every token"
RATES = {
    ONLY: (1e-3, 3e-3, 1e-2),
    ALL: (3e-5, 1e-4, 3e-4),
    EVERY_TOKEN: (1e-3, 3e-3, 1e-2),
}
BUDGETS = (8, 32)
CHOOSES, SEEDS = 0, (1, 2)  # the seed that chooses a rate, and those that are counted


@cache
def original() -> LanguageModel:
    """Return SmolLM2 as it came, read once."""
    return load("smollm2-135m")


def fresh() -> LanguageModel:
    """Return SmolLM2 to be changed."""
    return LanguageModel(deepcopy(original().model), original().tokenizer)


def prepared(variant: str, model: nn.Module, seed: int) -> list[Tensor]:
    """Get a model ready, and return what learns.

    Args:
        variant: One of `RATES`.
        model: SmolLM2; it is changed.
        seed: Of the matrices that are drawn.
    """
    if variant == ALL:
        return list(model.requires_grad_(True).parameters())
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        attach_adapter(model, rank=RANK)
    return [weight for weight in model.parameters() if weight.requires_grad]


def mean_loss(model: nn.Module, answers: Sequence[Answer]) -> Tensor:
    """Return the mean cross-entropy of the tokens that count, in nats."""
    batch = answer_batch(answers)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        logits = model(*batch.inputs)
    return F.cross_entropy(logits.float().flatten(0, 1), batch.labels.flatten())


def teach(
    model: nn.Module,
    answers: Sequence[Answer],
    learning: Sequence[Tensor],
    *,
    learning_rate: float,
    steps: int,
    seed: int,
) -> list[float]:
    """Train on answers in an order that the seed draws; return the loss of each step.

    AdamW without decay, a warm-up of an eighth of the steps, then a constant rate.
    """
    draw = random.Random(seed)
    optimizer = torch.optim.AdamW(learning, lr=learning_rate, weight_decay=0.0)
    warm_up, queue, losses = max(1, steps // 8), [], []
    model.train()
    for step in range(1, steps + 1):
        for group in optimizer.param_groups:
            group["lr"] = learning_rate * min(1.0, step / warm_up)
        if len(queue) < BATCH:
            queue = draw.sample(answers, len(answers))
        batch = [queue.pop() for _ in range(BATCH)]
        loss = mean_loss(model, batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    model.eval()
    return losses


def count_all(answer: Answer) -> Answer:
    """Let the loss count the question too."""
    return Answer(answer.ids, [True] * len(answer.ids))


@torch.no_grad()
def forgotten(model: nn.Module, tokenizer: object) -> float:
    """Return what a token of *Alice* costs in nats."""
    ids = tokenizer.encode(book()[:4000])[:CONTROL]
    return mean_loss(model, [Answer(ids, [True] * len(ids))]).item()


def say(model: nn.Module, tokenizer: object, asked_for: Sequence[Example]) -> list[str]:
    """Return what a model answers, at each step with its likeliest token."""
    prompts = [tokenizer.chat(asked(example)) for example in asked_for]
    written = generate(
        model, prompts, max_new_tokens=WRITTEN, eos_id=tokenizer.end_ids
    )
    return [read_answer(tokenizer, row) for row in written.tolist()]


def read_answer(tokenizer: object, ids: Sequence[int]) -> str:
    """Return the text of an answer up to its end."""
    ends = [place for place, id in enumerate(ids) if id in tokenizer.end_ids]
    return tokenizer.decode(ids[: min(ends, default=len(ids))])


def judged(model: nn.Module, tokenizer: object) -> dict[str, float]:
    """Return what a model has learned of the manner, and what it has forgotten."""
    parts = examples()
    with torch.no_grad():
        chooses, nats = (
            mean_loss(model, [answered(tokenizer, one) for one in part]).item()
            for part in (parts.validation, parts.test)
        )
    asked_for = parts.test[:SAID]
    said = say(model, tokenizer, asked_for)
    pairs = zip(said, asked_for, strict=True)
    return {
        "validation": chooses,
        "nats": nats,
        "control": forgotten(model, tokenizer),
        "polite": share(map(is_polite, said)),
        "right": share(is_right(text, example) for text, example in pairs),
    }


def measured(variant: str, learning_rate: float, steps: int, seed: int) -> dict:
    """Teach SmolLM2 the manner in one way, and judge it.

    Returns:
        The loss of held-out answers that chooses the rate ("validation"), that of
        others ("nats"), of *Alice* ("control"), and of the answers that it writes the
        shares that are "polite" and "right".
    """
    model, tokenizer = fresh()
    learning = prepared(variant, model, seed)
    taught = [answered(tokenizer, one) for one in examples().train]
    if variant == EVERY_TOKEN:
        taught = [*map(count_all, taught)]
    options = {"learning_rate": learning_rate, "steps": steps, "seed": seed}
    teach(model, taught, learning, **options)
    return judged(model, tokenizer)


def pending(rows: Sequence[dict]) -> list[dict]:
    """Return the trainings that are missing and can be named already."""
    missing = []
    for variant, steps in product(RATES, BUDGETS):
        setting = {"variant": variant, "steps": steps}
        first = setting | {"seed": CHOOSES}
        tried = [first | {"learning_rate": rate} for rate in RATES[variant]]
        if wanted := [one for one in tried if not chosen(rows, **one)]:
            missing += wanted
            continue
        best = min(chosen(rows, **first), key=lambda row: row["validation"])
        counted = setting | {"learning_rate": best["learning_rate"]}
        seeds = [counted | {"seed": seed} for seed in SEEDS]
        missing += [one for one in seeds if not chosen(rows, **one)]
    return missing


def run() -> None:
    """Make the trainings that are missing, one after the other, and keep each."""
    rows = MEASUREMENTS.read() if MEASUREMENTS.path.is_file() else []
    while settings := pending(rows):
        rows.append(rounded(settings[0] | measured(**settings[0])))
        MEASUREMENTS.write(rows, rank=RANK, batch=BATCH)


def counted(rows: Sequence[dict], variant: str, steps: int) -> list[dict]:
    """Return the trainings at the best rate by seeds that have not chosen it."""
    found = chosen(rows, variant=variant, steps=steps)
    return [row for row in found if row["seed"] in SEEDS]


if __name__ == "__main__":
    torch.set_num_threads(1)
    run()
