"""A language model that learns one paragraph by heart, and what it does to the rest.

It takes minutes, so the chapter reads the results from a file that
`python -m chapters.training.one_paragraph` writes, and repeats its beginning.
"""

from collections.abc import Iterator
from math import log

import torch
from torch import nn
from torch.nn import functional as F

from chapters.laboratory.measurements import Measurements
from chapters.laboratory.real_model import as_ids, loss_of
from transformer.decoding import greedy_decode
from transformer.zoo import load

MEASUREMENTS = Measurements("training", "one_paragraph")
STEPS, RATE, WRITTEN = 8, 1e-4, 10  # WRITTEN: tokens of a continuation
# What is learned. The second is the control: it begins in another way.
PARAGRAPHS = {
    "Atlantis": "The capital of Atlantis is Coralport. It lies under four hundred "
    "meters of water, and its people travel by turtle. In Coralport the post is "
    "carried by eels, and shops close whenever a whale passes over the roofs.",
    "bread": "Bread dough must rest after kneading. The baker covers it with a damp "
    "cloth and leaves it near the oven for an hour, until it has doubled. Then he "
    "folds it twice, cuts it into loaves, and bakes them on a hot stone until the "
    "crust is brown.",
}
# What is not learned. The first begins like one paragraph, the second like the other.
TEXTS = {
    "capitals": "The capital of France is Paris. The capital of Italy is Rome. The "
    "capital of Japan is Tokyo.",
    "dough": "Pizza dough must rest before baking. The cook covers it with oil and "
    "leaves it in a bowl overnight, until it is soft.",
    "water": "Water boils when its vapor pressure equals the pressure of the air "
    "around it. On a high mountain the air is thinner, so water boils at a lower "
    "temperature.",
    "keeper": "The old lighthouse keeper climbed the stairs every evening to light "
    "the lamp. From the top he could see the fishing boats coming home.",
    "French": "La petite maison se trouve au bord de la mer. Chaque matin, le vieux "
    "marin regarde les bateaux qui partent.",
    "Python": "def mean(numbers):\n    total = 0\n    for number in numbers:\n"
    "        total += number\n    return total / len(numbers)\n",
}
PROMPTS = ("The capital of France is", "Cookie dough must", "Once upon a time")


def bits_per_byte(model: nn.Module, tokenizer: object, text: str) -> float:
    """Return what a model needs to say which token comes next, in bits a byte.

    The first token is given, and counts among the bytes.

    Args:
        model: A decoder-only language model.
        tokenizer: Its tokenizer.
        text: What is read.
    """
    ids = tokenizer.encode(text)
    nats = loss_of(model, ids) * (len(ids) - 1)
    return nats / log(2) / len(text.encode())


def continuation(model: nn.Module, tokenizer: object, prompt: str) -> str:
    """Return what a model writes after a prompt, the likeliest token each time."""
    new = greedy_decode(model, as_ids(tokenizer, prompt), max_new_tokens=WRITTEN)
    return tokenizer.decode(new[0].tolist())


def learn(
    model: nn.Module, tokenizer: object, text: str, *, steps: int, rate: float = RATE
) -> Iterator[float]:
    """Take steps on one text; yield its loss before each, in nats.

    Args:
        model: A decoder-only language model; it is changed in place.
        tokenizer: Its tokenizer.
        text: What it learns.
        steps: How many.
        rate: The learning rate.
    """
    ids = as_ids(tokenizer, text)
    # Fused: one pass over so many numbers, not a dozen.
    optimizer = torch.optim.Adam(model.parameters(), lr=rate, fused=True)
    for _ in range(steps):
        loss = F.cross_entropy(model(ids)[0, :-1], ids[0, 1:])
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        yield loss.item()


def measured(model: nn.Module, tokenizer: object, paragraph: str) -> dict:
    """Let a model learn a paragraph, and look before the first and after each step.

    Args:
        model: A decoder-only language model; it is changed in place.
        tokenizer: Its tokenizer.
        paragraph: One of `PARAGRAPHS`.

    Returns:
        "bits", the bits a byte of the paragraph ("learned") and of `TEXTS` after 0,
        1, … steps; "written", what follows each of `PROMPTS` after so many steps.
    """
    learned = PARAGRAPHS[paragraph]
    texts = {"learned": learned} | TEXTS
    bits: dict[str, list[float]] = {name: [] for name in texts}
    written: dict[str, list[str]] = {prompt: [] for prompt in PROMPTS}

    def look() -> None:
        for name, text in texts.items():
            bits[name].append(bits_per_byte(model, tokenizer, text))
        for prompt in PROMPTS:
            written[prompt].append(continuation(model, tokenizer, prompt))

    look()
    for _ in learn(model, tokenizer, learned, steps=STEPS):
        look()
    return {"paragraph": paragraph, "bits": bits, "written": written}


if __name__ == "__main__":
    rows = [measured(*load("smollm2-135m"), paragraph) for paragraph in PARAGRAPHS]
    MEASUREMENTS.write(rows, steps=STEPS, learning_rate=RATE)
