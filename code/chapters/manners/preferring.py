"""Two answers to a question, one of them preferred: what SmolLM2 makes of such pairs.

The trainings take a quarter of an hour of one core;
`python -m chapters.manners.preferring` writes their file.
"""

import random
from collections.abc import Sequence
from itertools import product

import torch
from torch import Tensor, nn

from chapters.laboratory.measurements import Measurements, rounded
from chapters.laboratory.study import chosen
from chapters.manners.adapting import (
    RANK,
    forgotten,
    fresh,
    prepared,
    say,
)
from chapters.manners.polite import Example, answered, examples, is_polite, share
from transformer.data.answers import answer_batch
from transformer.training.lora import adapter_off
from transformer.training.preferences import (
    Preference,
    dpo_loss,
    sequence_log_probabilities,
)

MEASUREMENTS = Measurements("manners", "preferring")
PAIRS, STEPS, RATE = 4, 16, 1e-3  # pairs of a step
TOLD = 12  # held-out questions
BETAS, SEEDS = (0.03, 0.3), (1, 2)
REJECTED = {
    "unlike": lambda example: f"The answer to your question is {example.word}.",
    "alike": lambda example: example.answer.replace("friend", "dear"),
}


def log_probabilities(
    model: nn.Module, tokenizer: object, pairs: Sequence[tuple[Example, str]]
) -> Preference:
    """Return how likely both answers of each pair are.

    Args:
        model: The policy.
        tokenizer: Its tokenizer.
        pairs: A question with its preferred answer, and the answer that is rejected.
    """
    good = [answered(tokenizer, example) for example, _ in pairs]
    bad = [answered(tokenizer, *pair) for pair in pairs]
    batch = answer_batch([*good, *bad])
    with torch.autocast("cpu", dtype=torch.bfloat16):
        logits = model(*batch.inputs)
    return Preference(*sequence_log_probabilities(logits, batch.labels).chunk(2))


def prefer(
    model: nn.Module,
    tokenizer: object,
    pairs: Sequence[tuple[Example, str]],
    learning: Sequence[Tensor],
    *,
    beta: float,
    seed: int,
    steps: int = STEPS,
) -> list[float]:
    """Learn from pairs by DPO; the reference is the model without its adapter.

    Returns:
        The mean margin of each step.
    """
    draw, margins = random.Random(seed), []
    optimizer = torch.optim.AdamW(learning, lr=RATE, weight_decay=0.0)
    for _ in range(steps):
        batch = draw.sample(pairs, PAIRS)
        with torch.no_grad(), adapter_off(model):
            reference = log_probabilities(model, tokenizer, batch)
        found = dpo_loss(
            log_probabilities(model, tokenizer, batch), reference, beta=beta
        )
        optimizer.zero_grad()
        found.loss.backward()
        optimizer.step()
        margins.append(found.margin.mean().item())
    return margins


def measured(kind: str, beta: float, seed: int) -> dict:
    """Let SmolLM2 learn a preference, and measure on questions that were held out.

    Returns:
        By how many nats the log-probability of the preferred answer ("chosen") and of
        the other ("rejected") has changed, the share of preferred ones that have become
        less likely ("fallen"), of pairs in the preferred order ("ordered"), of "polite"
        answers, the loss on *Alice* ("control"), and what is written ("said").
    """
    model, tokenizer = fresh()
    learning = prepared("LoRA", model, seed)
    parts = examples()
    taught, told = (
        [(example, REJECTED[kind](example)) for example in part]
        for part in (parts.train, parts.test[:TOLD])
    )
    with torch.no_grad(), adapter_off(model):
        before = log_probabilities(model, tokenizer, told)
    prefer(model, tokenizer, taught, learning, beta=beta, seed=seed)
    with torch.no_grad():
        after = log_probabilities(model, tokenizer, told)
    said = say(model, tokenizer, parts.test[:TOLD])
    moved = after.chosen - before.chosen
    return {
        "chosen": moved.mean().item(),
        "rejected": (after.rejected - before.rejected).mean().item(),
        "fallen": share((moved < 0).tolist()),
        "ordered_before": share((before.chosen > before.rejected).tolist()),
        "ordered": share((after.chosen > after.rejected).tolist()),
        "polite": share(map(is_polite, said)),
        "control": forgotten(model, tokenizer),
        "said": said[:3],
    }


def run() -> None:
    """Make the trainings that are missing, one after the other, and keep each."""
    rows = MEASUREMENTS.read() if MEASUREMENTS.path.is_file() else []
    for seed, kind, beta in product(SEEDS, REJECTED, BETAS):
        setting = {"kind": kind, "beta": beta, "seed": seed}
        if not chosen(rows, **setting):
            rows.append(rounded(setting | measured(**setting)))
            MEASUREMENTS.write(rows, rank=RANK, steps=STEPS, learning_rate=RATE)


if __name__ == "__main__":
    torch.set_num_threads(1)
    run()
