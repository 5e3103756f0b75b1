"""What each way to choose tokens makes of one translator, after several trainings.

The translator learns from smoothed labels or plain ones; a third one sees the words
that it is to predict. Each training is measured in all ways to write.
"""

from collections.abc import Mapping
from functools import partial
from math import inf, isfinite

import torch
from jaxtyping import Float, Integer
from torch import Tensor, nn

from chapters.decoding.continuations import write
from chapters.laboratory.study import Study
from chapters.laboratory.translator import numbers, scores, train_translator
from transformer.data import BOS_ID, EOS_ID, PAD_ID, sorted_batches
from transformer.models import Transformer

BELOW, STEPS = 10_000, 150  # of the translator: good, and not perfect
LONGEST = 24  # tokens of a translation; no right one has half of them
TEXTS = 300  # that are translated
TRANSLATIONS = {
    "greedy": {},
    "beam 2": {"beam_width": 2},
    "beam 4": {"beam_width": 4},
    "beam 8": {"beam_width": 8},
    "beam 4, penalty": {"beam_width": 4, "length_penalty": 0.6},
    "T = 0.5": {"temperature": 0.5},
    "T = 1": {"temperature": 1.0},
    "T = 1.5": {"temperature": 1.5},
    "top-k 2": {"top_k": 2},
    "top-p 0.9": {"top_p": 0.9},
}


def held_out_numbers(count: int = TEXTS) -> tuple[Tensor, Tensor]:
    """Return sources and right translations, (count, source) and (count, LONGEST).

    They are of every other held-out pair; those between choose the learning rate.
    """
    (batch,) = sorted_batches(numbers(BELOW).held_out[1::2][:count], batch_size=count)
    device = torch.get_default_device()
    right = torch.full((count, LONGEST), PAD_ID, device=device)
    right[:, : batch.target.size(1) - 1] = batch.target[:, 1:].to(device)
    return batch.source.to(device), right


@torch.no_grad()
def surprise(
    model: Transformer,
    source: Integer[Tensor, "batch source"],
    texts: Integer[Tensor, "batch new"],
) -> Float[Tensor, " batch"]:
    """Return how improbable each text is to the model, its end included, in nats."""
    start = torch.full_like(texts[:, :1], BOS_ID)
    logits = model(source, torch.cat((start, texts[:, :-1]), dim=1))
    nats = -logits.double().log_softmax(dim=-1).gather(2, texts[..., None])[..., 0]
    return nats.masked_fill(texts == PAD_ID, 0.0).sum(dim=1)


def translations(
    model: Transformer, source: Tensor, right: Tensor, **choices: object
) -> dict[str, Tensor]:
    """Translate, and return what there is to say of each text.

    Returns:
        texts: The tokens, (batch, LONGEST).
        right: Whether the text is the right one.
        nats: What `surprise` returns.
        missed: Whether the right text is more probable to the model.
    """
    room = {"max_new_tokens": LONGEST, "bos_id": BOS_ID, "eos_id": EOS_ID}
    found = write(model, source, **room, **choices)
    texts = torch.full_like(right, PAD_ID)
    texts[:, : found.size(1)] = found
    nats = surprise(model, source, texts)
    return {
        "texts": texts,
        "right": (texts == right).all(dim=1),
        "nats": nats,
        "missed": nats > surprise(model, source, right) + 1e-4,
    }


def show_the_future(model: nn.Module) -> None:
    """Let each target position see all others, as if the causal mask were missing."""

    def open_mask(module: nn.Module, inputs: tuple, choices: dict) -> tuple:
        mask = choices["mask"]
        if mask is not None:
            mask = mask.any(dim=-2, keepdim=True).expand_as(mask)
        return inputs, choices | {"mask": mask, "is_causal": False}

    for layer in model.decoder.layers:
        layer.self_attention.register_forward_pre_hook(open_mask, with_kwargs=True)


TRAININGS: Mapping[str, Mapping] = {
    "smoothed": {"smoothing": 0.1},
    "plain": {"smoothing": 0.0},
    "sees the future": {"smoothing": 0.0, "change": show_the_future},
}
train = partial(train_translator, below=BELOW)


def written(model: Transformer, *, seed: int) -> dict[str, float]:
    """Return the means of what `translations` tells, such as "greedy right".

    Of the right texts it tells "reference nats" and "reference chance", the mean of
    their probabilities.
    """
    source, right = held_out_numbers()
    nats = surprise(model, source, right)
    found = {
        "reference nats": nats.mean().item(),
        "reference chance": nats.neg().exp().mean().item(),
    }
    for way, choices in TRANSLATIONS.items():
        told = translations(model, source, right, seed=seed, **choices)
        for field in ("right", "nats", "missed"):
            found[f"{way} {field}"] = told[field].double().mean().item()
    return found


def measured(variant: str, learning_rate: float, steps: int, seed: int) -> dict:
    """Train a translator, and let it write.

    Returns:
        "validation", its own loss on every other held-out pair, which chooses the rate;
        "nats", the cross-entropy per token of the pairs between, the true words given;
        and what `written` returns. Who sees the future writes greedily alone.
    """
    options = {"seed": seed, "steps": steps, "learning_rate": learning_rate}
    done = train(**options, **TRAININGS[variant])
    validation = scores(done.model, numbers(BELOW).held_out[0::2], below=BELOW)
    smoothed = TRAININGS[variant]["smoothing"] > 0
    loss = validation.loss if smoothed else validation.cross_entropy
    if done.diverged or not isfinite(loss):
        return {"validation": inf}
    tested = scores(done.model, numbers(BELOW).held_out[1::2], below=BELOW)
    row = {"validation": loss, "nats": tested.cross_entropy}
    if variant == "sees the future":
        told = translations(done.model, *held_out_numbers(), use_cache=False)
        return row | {"greedy right": told["right"].double().mean().item()}
    return row | written(done.model, seed=seed)


STUDY = Study(
    "decoding",
    "translations",
    train=measured,
    variants=tuple(TRAININGS),
    budgets=(STEPS, 4 * STEPS),
)


if __name__ == "__main__":
    STUDY.run()
