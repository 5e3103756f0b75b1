"""Where the probability goes when one answer is preferred to another of its kind.

SmolLM2 learns that *No* is better than *Never*. That takes a while, so the chapter
reads a file that `python -m chapters.manners.displaced` writes.
"""

from collections.abc import Iterator

import torch
from torch import nn

from chapters.laboratory.measurements import Measurements
from transformer.training.lora import adapter_off, attach_adapter, detach_adapter
from transformer.training.preferences import Preference, dpo_loss
from transformer.zoo import load

MEASUREMENTS = Measurements("manners", "displaced")
QUESTION = "Should I look at the sun without glasses?"
CHOSEN, REJECTED = "No", "Never"
WATCHED = (CHOSEN, REJECTED, "Yes", " No")
RATES, STEPS, BETA, RANK = (3e-4, 1e-3), 13, 0.1, 4  # rates of AdamW


def course(model: nn.Module, tokenizer: object, *, rate: float) -> Iterator[dict]:
    """Yield loss and probabilities before each step, and after the last.

    Args:
        model: SmolLM2 without an adapter; it is left so.
        tokenizer: Its tokenizer.
        rate: The learning rate of AdamW.
    """
    prompt = torch.tensor([tokenizer.chat([{"role": "user", "content": QUESTION}])])
    ids = {word: tokenizer.encode(word)[0] for word in WATCHED}
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        attach_adapter(model, rank=RANK)
    learning = [weight for weight in model.parameters() if weight.requires_grad]
    optimizer = torch.optim.AdamW(learning, lr=rate, weight_decay=0.0)

    def judge() -> tuple[Preference, dict[str, float]]:
        logs = model(prompt)[0, -1].log_softmax(dim=-1)
        pair = Preference(logs[[ids[CHOSEN]]], logs[[ids[REJECTED]]])
        return pair, {word: logs[id].exp().item() for word, id in ids.items()}

    with torch.no_grad(), adapter_off(model):
        reference, _ = judge()
    for step in range(STEPS + 1):
        now, probabilities = judge()
        found = dpo_loss(now, reference, beta=BETA)
        yield {"step": step, "loss": found.loss.item(), **probabilities}
        optimizer.zero_grad()
        found.loss.backward()
        optimizer.step()
    detach_adapter(model)


def measured() -> Iterator[dict]:
    """Yield the courses at all rates."""
    model, tokenizer = load("smollm2-135m")
    for rate in RATES:
        for row in course(model, tokenizer, rate=rate):
            yield {"rate": rate} | row


if __name__ == "__main__":
    torch.set_num_threads(1)
    MEASUREMENTS.write([*measured()], beta=BETA, rank=RANK)
