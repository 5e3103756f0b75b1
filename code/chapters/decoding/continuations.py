"""What each way to decode makes of a small language model, after two trainings."""

from math import isfinite

import torch
from jaxtyping import Integer
from torch import Tensor, nn

from chapters.laboratory.language import dictionary, held_out_windows, spelled
from chapters.laboratory.language_model import train_for_study, validation_nats
from chapters.laboratory.study import Study
from transformer.decoding import beam_search, greedy_decode, sample, speculative_sample

PROMPT, NEW = 16, 48  # letters that it reads and writes, one window of training
SAMPLING = {"temperature", "top_k", "top_p", "repetition_penalty"}
CONTINUATIONS = {
    "greedy": {},
    "beam 4": {"beam_width": 4},
    "T = 0.5": {"temperature": 0.5},
    "T = 0.7": {"temperature": 0.7},
    "T = 1": {"temperature": 1.0},
    "T = 1.5": {"temperature": 1.5},
    "top-k 3": {"top_k": 3},
    "top-p 0.9": {"top_p": 0.9},
}
DRAFT = {"num_decoder_layers": 1, "d_model": 32, "d_ff": 128}
AHEAD = (1, 2, 4, 8)  # letters that the draft guesses


def write(
    model: nn.Module,
    tokens: Integer[Tensor, "batch time"],
    *,
    seed: int = 0,
    **choices: object,
) -> Integer[Tensor, "batch new"]:
    """Write a text for each row, greedily when nothing else is chosen.

    Args:
        model: An encoder-decoder or a decoder-only model.
        tokens: The sources or the prompts.
        seed: Of the random numbers, where there are some.
        **choices: What `greedy_decode`, `beam_search` or `sample` take; a beam has no
            length penalty when none is given.
    """
    if "beam_width" in choices:
        choices = {"length_penalty": 0.0} | choices
        return beam_search(model, tokens, **choices).tokens[:, 0]
    if SAMPLING & set(choices):
        return sample(model, tokens, seed=seed, **choices)
    return greedy_decode(model, tokens, **choices)


def prompts(count: int) -> tuple[Tensor, Tensor]:
    """Return the beginnings of texts that no training saw, and how they go on."""
    drawn = held_out_windows(count, PROMPT + NEW).to(torch.get_default_device())
    return drawn[:, :PROMPT], drawn[:, PROMPT:]


@torch.no_grad()
def letters(model: nn.Module, prompt: Tensor, texts: Tensor) -> dict[str, object]:
    """Return what there is to say of continuations.

    Returns:
        nats: How improbable they are to the model, per letter.
        repeated: What `repeated` returns.
        words: Share of the words that are of the language; the names are not.
        text: The first of them.
    """
    logits = model(torch.cat((prompt, texts), dim=1)[:, :-1])[:, prompt.size(1) - 1 :]
    nats = -logits.double().log_softmax(dim=-1).gather(2, texts[..., None])
    known, told = set(dictionary()[0]), []
    for row in texts:
        told += spelled(row).replace(".", " ").split()[1:-1]  # the ends may be cut
    share = sum(word in known for word in told) / max(1, len(told))
    found = {"nats": nats.mean().item(), "repeated": repeated(texts), "words": share}
    return found | {"text": spelled(texts[0])}


def repeated(texts: Integer[Tensor, "batch new"], size: int = 8) -> float:
    """Return the share of groups of letters that their own text has held before."""
    again = total = 0
    for row in texts.tolist():
        groups = [tuple(row[i : i + size]) for i in range(len(row) - size + 1)]
        again, total = again + len(groups) - len(set(groups)), total + len(groups)
    return again / total


def guesses(model: nn.Module, draft: nn.Module, ahead: int) -> dict[str, float]:
    """Return which share of guesses is accepted, and the passes for each letter."""
    prompt = prompts(6)[0]
    room = {"max_new_tokens": NEW, "seed": 0}
    told = speculative_sample(model, draft, prompt, lookahead=ahead, **room)
    accepted = told.accepted.sum().item()
    passes = 1 - accepted / (len(prompt) * NEW)  # each brings one letter more
    return {"accepted": accepted / told.proposed.sum().item(), "passes": passes}


def measured(variant: str, learning_rate: float, steps: int, seed: int) -> dict:
    """Train a language model, and let it write.

    A small draft learns by the same rate and as long, to guess ahead.

    Returns:
        "validation", the nats per letter that choose the rate; what `letters` tells of
        each way and of the real text, such as "greedy words"; what `guesses` returns,
        such as "4 accepted".
    """
    options = {"seed": seed, "steps": steps, "learning_rate": learning_rate}
    done, small = (train_for_study(**options, **sizes) for sizes in ({}, DRAFT))
    row: dict = {"validation": validation_nats(done)}
    if small.diverged or not isfinite(row["validation"]):
        return row
    prompt, real = prompts(100)
    texts = {"real text": real}
    for way, choices in CONTINUATIONS.items():
        texts[way] = write(done.model, prompt, max_new_tokens=NEW, seed=seed, **choices)
    for way, written in texts.items():
        told = letters(done.model, prompt, written)
        row |= {f"{way} {field}": value for field, value in told.items()}
    for ahead in AHEAD:
        told = guesses(done.model, small.model, ahead)
        row |= {f"{ahead} {field}": value for field, value in told.items()}
    return row


STUDY = Study(
    "decoding",
    "continuations",
    train=measured,
    variants=("language model",),
    budgets=(300, 1200),
)


if __name__ == "__main__":
    STUDY.run()
