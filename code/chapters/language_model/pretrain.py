"""Train a language model on a text of your own: all of it, in one file.

    python pretrain.py my_book.txt --steps 1000 --output mine

Stop it with Ctrl-C, and the same line goes on. `transformer.zoo.load("mine")` has the
best model back. Beside PyTorch it needs a tokenizer and a model, here this book's.
"""

import math
from argparse import ArgumentParser
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from random import Random
from re import split

import torch
import torch.nn.functional as F
from torch import nn, optim

from transformer.data import SubwordTokenizer
from transformer.models import DecoderOnlyTransformer
from transformer.zoo import llama, load

FLAGS = {"steps": 1000, "rate": 3e-3, "windows": 16, "length": 64, "every": 100}
FLAGS |= {"layers": 3, "width": 96, "heads": 4, "vocab": 2048, "seed": 0}
FLAGS |= {"device": "cpu", "output": "mine", "prompt": "It was"}
FLAGS |= {"bfloat16": False, "compile": False}  # said without a value
FLAGS |= {"chapter": r"\nCHAPTER "}  # how a part of the text begins, never cut in two


def hold_out(parts, every=10):
    """Join what is learned, and what is held out: every tenth part of a text, whole."""
    if len(parts) < 2:
        raise ValueError(f"a text must have two parts or more, got {len(parts)}")
    every = min(every, len(parts))
    learn = "".join(part for n, part in enumerate(parts, start=1) if n % every)
    return learn, "".join(parts[every - 1 :: every])


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


def length_of(model, ids):
    """Return how many tokens a window has: all that the model reads, or 256."""
    length = min(model.config.max_len, 256)
    if len(ids) <= length:
        raise ValueError(f"a text must have over {length} tokens, got {len(ids)}")
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


def take_step(model, optimizer, read, rate, bfloat16=False):
    """Learn from some windows, in 16 bits if said or if a GPU multiplies in them."""
    for group in optimizer.param_groups:
        group["lr"] = rate
    kind = model.device.type
    able = kind == "cuda" and torch.cuda.is_bf16_supported(False)  # in hardware
    with torch.autocast(kind, torch.bfloat16, enabled=bfloat16 or able):
        logits = model(read[:, :-1])  # (windows, length, vocab)
        loss = F.cross_entropy(logits.flatten(0, 1), read[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()


def go_on(save, model, optimizer, run, steps):
    """Take up what this run has kept; return its step and its lowest loss."""
    if not (save and Path(save).exists()):
        return 0, math.inf
    saved = torch.load(save, map_location=model.device, weights_only=True)
    was = saved.get("run", {})
    if others := [name for name in run if was.get(name) != run[name]]:
        told = ", ".join(f"{name} {was.get(name)}, not {run[name]}" for name in others)
        raise ValueError(f"{save} must be of this run, got {told}; move it away")
    if saved["step"] > steps:
        raise ValueError(f"steps must be {saved['step']} or more, got {steps}")
    model.load_state_dict(saved["model"])
    optimizer.load_state_dict(saved["optimizer"])
    return saved["step"], saved["least"]


def train(
    model,
    learn,
    held_out,
    steps,
    peak=3e-3,
    count=16,
    every=100,
    save=None,
    seed=0,
    bfloat16=False,
):
    """Train a model where it is; yield step, held-out loss, and if it is the lowest."""
    length = length_of(model, learn)
    texts = [sha256(x.cpu().numpy().tobytes()).hexdigest() for x in (learn, held_out)]
    run = {"texts": texts, "peak": peak, "count": count, "seed": seed}
    run |= asdict(model.config)
    optimizer = optim.AdamW(model.parameters(), betas=(0.9, 0.95), weight_decay=0.1)
    first, least = go_on(save, model, optimizer, run, steps)
    for step in range(first, steps + 1):
        if step % every == 0 or step == steps:
            if save:
                weights, averages = model.state_dict(), optimizer.state_dict()
                kept = {"model": weights, "optimizer": averages, "run": run}
                torch.save(kept | {"step": step, "least": least}, save)
            loss = loss_of(model, held_out)
            yield step, loss, loss < least
            least = min(loss, least)
        if step < steps:
            # by the step, so that a run that goes on reads what it would have read
            read = windows(learn, count, length, Random(f"{seed} {step}"))
            read, now = read.to(model.device), rate(step, steps, peak)
            take_step(model, optimizer, read, now, bfloat16)


def main(said=None):
    """Read the flags, train, keep the best model, and let it write."""
    parser = ArgumentParser(description="Train a language model on a text.")
    parser.add_argument("text")
    for flag, usual in FLAGS.items():
        takes = {"type": type(usual), "default": usual}
        takes = {"action": "store_true"} if usual is False else takes
        parser.add_argument(f"--{flag}", **takes)
    said = parser.parse_args(said)
    parts = split(f"(?={said.chapter})", Path(said.text).read_text("utf-8"))
    tokenizer, learn, held_out = cut(*hold_out(parts), said.vocab)
    torch.manual_seed(said.seed)
    sizes = {"d_model": said.width, "d_ff": said.width * 8 // 3}
    sizes |= {"num_heads": said.heads, "num_decoder_layers": said.layers}
    model = new_model(tokenizer.vocab_size, max_len=said.length, **sizes)
    way = {"peak": said.rate, "count": said.windows, "every": said.every}
    way |= {"save": f"{said.output}.pt", "seed": said.seed, "bfloat16": said.bfloat16}
    model.to(said.device)
    if said.compile:
        model.compile()
    if Path(way["save"]).exists():
        print(f"found {way['save']} to go on with; another --output begins anew")
    for step, loss, best in train(model, learn, held_out, said.steps, **way):
        print(f"step {step}: held-out loss {loss:.2f} nats a token")
        if best:
            model.save(said.output, tokenizer=tokenizer)
    best, tokenizer = load(said.output)
    went_on = best.generate(said.prompt, tokenizer=tokenizer, temperature=0.7)
    print(said.prompt + went_on)


if __name__ == "__main__" and "__file__" in globals():  # a terminal, and no notebook
    main()
