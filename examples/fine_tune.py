"""Fine-tune SmolLM2 on a text of your own, and save it with its tokenizer.

    python examples/fine_tune.py book.txt --steps 50 --output runs/mine

A step of four rows of 128 tokens takes some seconds on two cores. What is saved comes
back by `model, tokenizer = transformer.zoo.load("runs/mine")`.
"""

from argparse import ArgumentParser
from pathlib import Path

import torch
from torch import optim

from transformer import DecoderOnlyTransformer, Trainer, generate, zoo
from transformer.data import Batch
from transformer.training import LabelSmoothingLoss, evaluate


def cut(ids: list[int], *, length: int, rows: int) -> list[Batch]:
    """Return batches of rows of a long text, each of one token more than is read."""
    whole = torch.tensor(ids[: len(ids) // length * length]).view(-1, length)
    lengths = torch.full((len(whole),), length)  # no token is padding, whatever its id
    pairs = zip(whole.split(rows), lengths.split(rows), strict=True)
    return [Batch(None, tokens, count) for tokens, count in pairs]


def fine_tune(
    model: DecoderOnlyTransformer, batches: list[Batch], *, steps: int, rate: float
) -> list[float]:
    """Take some steps, and return the loss of each."""
    loss = LabelSmoothingLoss(smoothing=0.0)
    optimizer = optim.AdamW(model.parameters(), lr=rate)
    trainer = Trainer(model, loss=loss, optimizer=optimizer)
    losses = [trainer.step(batches[n % len(batches)]).loss for n in range(steps)]
    model.eval()
    return losses


def main() -> None:
    """Read the flags, fine-tune, and say what has become of it."""
    parser = ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("text", type=Path)
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--rate", type=float, default=2e-5)
    parser.add_argument("--length", type=int, default=129)
    parser.add_argument("--rows", type=int, default=4)
    parser.add_argument("--output", default="runs/fine-tuned")
    said = parser.parse_args()

    model, tokenizer = zoo.load("smollm2-135m")
    text = said.text.read_text(encoding="utf-8")
    batches = cut(tokenizer.encode(text), length=said.length, rows=said.rows)
    held_out = batches[-max(1, len(batches) // 10) :]
    learned = batches[: -len(held_out)] or batches
    before = evaluate(model, held_out).cross_entropy
    for step, loss in enumerate(
        fine_tune(model, learned, steps=said.steps, rate=said.rate), start=1
    ):
        print(f"step {step}: loss {loss:.3f}")
    after = evaluate(model, held_out).cross_entropy
    print(f"on the last tenth of the text: {before:.3f} nats a token, now {after:.3f}")
    print(generate(model, text[:60], tokenizer=tokenizer, temperature=0.7, seed=0))
    model.save(said.output, tokenizer=tokenizer)


if __name__ == "__main__":
    main()
