"""Decoding: what each way to choose tokens makes of one and the same model.

All of it takes minutes, so the chapter reads the results from a file that
`python -m chapters.decoding.experiments` writes, and repeats a part of it.
"""

from functools import partial
from itertools import product

import torch
from jaxtyping import Float, Integer
from torch import Tensor, nn

from chapters.decoding.continuations import measured_language, write
from chapters.laboratory.measurements import Measurements, measure_all
from chapters.laboratory.translator import numbers, scores, train_translator
from transformer.data import BOS_ID, EOS_ID, PAD_ID, sorted_batches
from transformer.models import Transformer

MEASUREMENTS = Measurements("decoding")
SEEDS = (0, 1, 2)
BELOW, STEPS = 10_000, 150  # of the translator: good, and not perfect
LONGEST = 24  # tokens of a translation; no right one has half of them
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


def held_out_numbers(count: int) -> tuple[Tensor, Tensor]:
    """Return sources and right translations, (count, source) and (count, LONGEST)."""
    (batch,) = sorted_batches(numbers(BELOW).held_out[:count], batch_size=count)
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
        length: Number of tokens, the end included.
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
        "length": (texts != PAD_ID).sum(dim=1),
    }


def measured_translator(*, seed: int, smoothing: float = 0.1) -> dict:
    """Train a translator, let it write in each way, and return the means."""
    options = {"seed": seed, "steps": STEPS, "below": BELOW}
    model = train_translator(smoothing=smoothing, **options).model
    source, right = held_out_numbers(300)
    found = {"the right text": {"nats": surprise(model, source, right).mean().item()}}
    for name, choices in TRANSLATIONS.items():
        told = translations(model, source, right, seed=seed, **choices)
        del told["texts"]
        found[name] = {key: x.double().mean().item() for key, x in told.items()}
    return found


def show_the_future(model: nn.Module) -> None:
    """Let each target position see all others, as if the causal mask were missing."""

    def open_mask(module: nn.Module, inputs: tuple, choices: dict) -> tuple:
        mask = choices["mask"]
        if mask is not None:
            mask = mask.any(dim=-2, keepdim=True).expand_as(mask)
        return inputs, choices | {"mask": mask}

    for layer in model.decoder.layers:
        layer.self_attention.register_forward_pre_hook(open_mask, with_kwargs=True)


def measured_leak(*, seed: int) -> dict:
    """Train a translator that sees the words it is to predict."""
    options = {"seed": seed, "steps": STEPS, "below": BELOW}
    model = train_translator(change=show_the_future, **options).model
    told = translations(model, *held_out_numbers(300), use_cache=False)
    read = scores(model, below=BELOW).cross_entropy
    return {"nats": read, "right": told["right"].double().mean().item()}


KINDS = {
    "translator": measured_translator,
    "unsmoothed": partial(measured_translator, smoothing=0.0),
    "leak": measured_leak,
    "language": measured_language,
}


def measured(kind: str, *, seed: int) -> dict:
    """Train a model of a kind and return what it writes, by name of the way."""
    return {"found": KINDS[kind](seed=seed)}


def settings() -> list[dict]:
    """Return the settings of every training that the file holds."""
    return [{"kind": kind, "seed": seed} for kind, seed in product(KINDS, SEEDS)]


if __name__ == "__main__":
    MEASUREMENTS.write(measure_all(measured, settings()))
