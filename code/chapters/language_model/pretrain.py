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


def new_model(vocab_size, **sizes):
    """Return a small Llama with random weights."""
    usual = {"d_model": 96, "d_ff": 256, "num_heads": 4, "num_decoder_layers": 3}
    usual |= {"max_len": 64, "tie_embeddings": True, "initialization": "depth_scaled"}
    return DecoderOnlyTransformer(llama.preset(vocab_size=vocab_size, **usual | sizes))


@torch.no_grad()
def loss_of(model, ids):
    """Return the mean loss of a text in nats a token, in windows side by side."""
    length, nats = model.config.max_len, []
    inputs, labels = (row.unfold(0, length, length) for row in (ids[:-1], ids[1:]))
    model.eval()
    for read, label in zip(inputs.split(32), labels.split(32), strict=True):
        logits = model(read.to(model.device)).mT
        nats.append(F.cross_entropy(logits, label.to(model.device), reduction="none"))
    model.train()
    return torch.cat(nats).mean().item()


def rate(step, steps, peak):
    """Return the learning rate: up in a line, then along a cosine to a tenth."""
    warmup = min(100, steps // 10)
    if step < warmup:
        return peak * (step + 1) / warmup
    done = (step - warmup) / (steps - warmup)
    return peak * (0.1 + 0.9 * (1 + math.cos(math.pi * done)) / 2)


def train(
    model, learn, held_out, steps, peak=3e-3, count=16, every=100, save=None, seed=0
):
    """Train a model where it is; yield the step and the held-out loss at times."""
    length, device, first = model.config.max_len, model.device, 0
    bfloat16 = device.type == "cuda" and torch.cuda.is_bf16_supported(False)
    optimizer = optim.AdamW(model.parameters(), betas=(0.9, 0.95), weight_decay=0.1)
    text = sha256(learn.cpu().numpy().tobytes()).hexdigest()
    if save and Path(save).exists():  # go on where an earlier run was stopped
        saved = torch.load(save, map_location=device, weights_only=True)
        if saved.get("text") != text:
            raise ValueError(f"{save} must be of this text, got another; move it away")
        model.load_state_dict(saved["model"])
        optimizer.load_state_dict(saved["optimizer"])
        first = saved["step"]
    for step in range(first, steps + 1):
        if step % every == 0 or step == steps:  # look, and save
            if save:
                state = {"step": step, "text": text, "model": model.state_dict()}
                torch.save(state | {"optimizer": optimizer.state_dict()}, save)
            yield step, loss_of(model, held_out)
        if step == steps:
            return
        for group in optimizer.param_groups:
            group["lr"] = rate(step, steps, peak)
        random = Random(f"{seed} {step}")  # so a run that goes on reads the same
        starts = [random.randrange(len(learn) - length) for _ in range(count)]
        read = torch.stack([learn[at : at + length + 1] for at in starts]).to(device)
        with torch.autocast(device.type, torch.bfloat16, enabled=bfloat16):
            loss = F.cross_entropy(model(read[:, :-1]).mT, read[:, 1:])
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
