"""A training of a language model in one file: cut, train, look, save, go on.

To be read in one sitting, and copied. The page shows all of it.
"""

import math
from hashlib import sha256
from pathlib import Path
from random import Random

import torch
import torch.nn.functional as F
from torch import nn, optim

from transformer.data import SubwordTokenizer
from transformer.models import DecoderOnlyTransformer
from transformer.zoo import llama


def cut(learn, held_out, vocab_size=2048):
    """Fit a tokenizer to the first text, and turn both texts into rows of ids."""
    tokenizer = SubwordTokenizer.fit([learn], vocab_size=vocab_size)
    tokenizer.opening = "\n"  # stands before a prompt, as before each line
    ids = [torch.tensor(tokenizer.encode(text)) for text in (learn, held_out)]
    return tokenizer, *ids


def hold_out(parts, every=10):
    """Join what is learned, and what is held out: every tenth part of a text, whole."""
    if len(parts) < 2:
        raise ValueError(
            "a text must have two parts or more, chapters or documents, to hold one "
            f"out, got {len(parts)}; split it where one ends."
        )
    every = min(every, len(parts))
    learn = "".join(part for n, part in enumerate(parts, start=1) if n % every)
    return learn, "".join(parts[every - 1 :: every])


def new_model(vocab_size, **sizes):
    """Return a small Llama with random weights."""
    usual = {"d_model": 96, "d_ff": 256, "num_heads": 4, "num_decoder_layers": 3}
    usual |= {"max_len": 64, "tie_embeddings": True, "initialization": "depth_scaled"}
    return DecoderOnlyTransformer(llama.preset(vocab_size=vocab_size, **usual | sizes))


def length_of(model, ids):
    """Return how many tokens a window has: all that the model reads, or 256."""
    length = min(model.config.max_len, 256)
    if len(ids) <= length:
        raise ValueError(
            f"a text must have more tokens than a window, {length}, got {len(ids)}; "
            "take a longer one, or a model with a smaller max_len."
        )
    return length


@torch.no_grad()
def loss_of(model, ids):
    """Return the mean loss of a text in nats a token, in windows side by side."""
    length, nats = length_of(model, ids), []
    inputs, labels = (row.unfold(0, length, length) for row in (ids[:-1], ids[1:]))
    rows = 2048 // length  # whose logits fit into the memory
    model.eval()
    for read, label in zip(inputs.split(rows), labels.split(rows), strict=True):
        logits, label = model(read.to(model.device)), label.to(model.device)
        each = F.cross_entropy(logits.flatten(0, 1), label.flatten(), reduction="none")
        nats.append(each)
    model.train()
    return torch.cat(nats).mean().item()


def rate(step, steps, peak):
    """Return the learning rate: up in a line, then along a cosine to a tenth."""
    warmup = min(100, steps // 10)
    if step < warmup:
        return peak * (step + 1) / warmup
    done = (step - warmup) / (steps - warmup)
    return peak * (0.1 + 0.9 * (1 + math.cos(math.pi * done)) / 2)


def windows(ids, count, length, random):
    """Return rows from anywhere in a text, each one token longer than is read."""
    starts = [random.randrange(len(ids) - length) for _ in range(count)]
    return torch.stack([ids[at : at + length + 1] for at in starts])


def digests(texts):
    """Return a short fingerprint of each text."""
    return [sha256(ids.cpu().numpy().tobytes()).hexdigest() for ids in texts]


def keep(save, model, optimizer, texts, **others):
    """Write all that a training needs to go on into a file, if there is to be one."""
    if save:
        states = {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
        torch.save(states | {"texts": texts} | others, save)


def go_on(save, model, optimizer, texts):
    """Take up what an earlier run has kept; return its step and its lowest loss."""
    if not (save and Path(save).exists()):
        return 0, math.inf
    saved = torch.load(save, map_location=model.device, weights_only=True)
    if saved.get("texts") != texts:
        raise ValueError(f"{save} must be of these texts, got others; move it away")
    model.load_state_dict(saved["model"])
    optimizer.load_state_dict(saved["optimizer"])
    return saved["step"], saved["least"]


def in_16_bits(device):
    """Let a GPU that has products in bfloat16 use them; elsewhere nothing changes."""
    able = device.type == "cuda" and torch.cuda.is_bf16_supported(False)  # in hardware
    return torch.autocast(device.type, torch.bfloat16, enabled=able)


def take_step(model, optimizer, read, rate):
    """Learn from some windows at a rate."""
    for group in optimizer.param_groups:
        group["lr"] = rate
    with in_16_bits(model.device):
        logits = model(read[:, :-1])  # (windows, length, vocab)
        loss = F.cross_entropy(logits.flatten(0, 1), read[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()


def train(
    model, learn, held_out, steps, peak=3e-3, count=16, every=100, save=None, seed=0
):
    """Train a model where it is; yield step, held-out loss, and if it is the lowest."""
    length, texts = length_of(model, learn), digests((learn, held_out))
    optimizer = optim.AdamW(model.parameters(), betas=(0.9, 0.95), weight_decay=0.1)
    first, least = go_on(save, model, optimizer, texts)
    for step in range(first, steps + 1):
        if step % every == 0 or step == steps:
            keep(save, model, optimizer, texts, step=step, least=least)
            loss = loss_of(model, held_out)
            yield step, loss, loss < least
            least = min(loss, least)
        if step < steps:
            # by the step, so that a run that goes on reads what it would have read
            read = windows(learn, count, length, Random(f"{seed} {step}"))
            take_step(model, optimizer, read.to(model.device), rate(step, steps, peak))
