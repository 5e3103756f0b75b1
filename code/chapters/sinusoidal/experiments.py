"""Longer sequences than trained: writing a row backward, and writing it sorted.

An encoder-decoder learns on rows of 4 to 10 symbols, with the sinusoidal encoding or
without positions, and then writes rows of other lengths. The trainings take minutes, so
the chapter reads their results from a file that
`python -m chapters.sinusoidal.experiments` writes, and repeats one of them.
"""

from itertools import product

import torch
from jaxtyping import Int
from torch import Tensor

from chapters.laboratory.fit import fit, same_numbers
from chapters.laboratory.measurements import Measurements, measure_all
from transformer.config import TransformerConfig
from transformer.models import Transformer

MEASUREMENTS = Measurements("sinusoidal")
TASKS = ("reverse", "sort")
POSITIONS = ("sinusoidal", "none")
SEEDS = (0, 1, 2)
STEPS = 1500
SYMBOLS = 16
BEGIN, END = SYMBOLS, SYMBOLS + 1  # tokens that are not symbols
TRAINED = range(4, 11)  # lengths
TESTED = (10, *range(11, 17))
ROWS = 128  # rows that are written at each length


def config(position: str) -> TransformerConfig:
    """Return the sizes of a model: one layer on each side, 64 features."""
    return TransformerConfig(
        vocab_size=SYMBOLS + 2,
        max_len=32,
        num_encoder_layers=1,
        num_decoder_layers=1,
        d_model=64,
        d_ff=128,
        num_heads=4,
        position=position,
        norm_placement="pre",
        final_norm=True,
    )


def answers(
    task: str, symbols: Int[Tensor, "batch time"]
) -> Int[Tensor, "batch time+1"]:
    """Return what is to be written: the row backward or sorted, and an end."""
    written = symbols.flip(1) if task == "reverse" else symbols.sort(dim=1).values
    return torch.nn.functional.pad(written, (0, 1), value=END)


def with_end(symbols: Int[Tensor, "batch time"]) -> Int[Tensor, "batch time+1"]:
    """Return rows as the encoder reads them, closed by an end."""
    return torch.nn.functional.pad(symbols, (0, 1), value=END)


def draw_batch(task: str) -> tuple[tuple[Tensor, Tensor], Tensor]:
    """Return 64 rows of one of the trained lengths, as inputs and labels."""
    length = TRAINED[int(torch.randint(len(TRAINED), ()))]
    symbols = torch.randint(SYMBOLS, (64, length))
    labels = answers(task, symbols)
    begin = torch.full_like(labels[:, :1], BEGIN)
    return (with_end(symbols), torch.cat((begin, labels[:, :-1]), dim=1)), labels


@torch.no_grad()
def exact_match(model: Transformer, task: str, symbols: Tensor) -> float:
    """Return the share of rows that are written without a fault, the end included.

    Each token that is written is read again; nothing of the answer is seen.

    Args:
        model: A trained model.
        task: One of `TASKS`.
        symbols: The rows, all of one length.
    """
    memory = model.encode(with_end(symbols))
    wanted = answers(task, symbols)
    written = torch.full_like(symbols[:, :1], BEGIN)
    for _ in range(wanted.size(1)):
        following = model.decode(written, memory)[:, -1:].argmax(dim=-1)
        written = torch.cat((written, following), dim=1)
    return (written[:, 1:] == wanted).all(dim=1).double().mean().item()


def measured(task: str, position: str, seed: int, *, steps: int = STEPS) -> dict:
    """Train one model and let it write rows of each length of `TESTED`.

    Args:
        task: "reverse" or "sort".
        position: "sinusoidal" or "none".
        seed: Seed of the parameters and of the rows.
        steps: Training steps of 64 rows (Adam, learning rate 0.001).

    Returns:
        "exact", the share of faultless rows for each length.
    """
    device = torch.get_default_device()
    with same_numbers(seed):
        model = Transformer(config(position)).to(torch.float32)
        options = {"steps": steps, "learning_rate": 1e-3, "warm_up": 50}
        fit(model, lambda: draw_batch(task), **options, device=device)
        tests = [torch.randint(SYMBOLS, (ROWS, length)) for length in TESTED]
    model.eval()
    return {"exact": [exact_match(model, task, rows.to(device)) for rows in tests]}


def rounds() -> list[dict]:
    """Return the settings of every training that the file holds."""
    return [
        {"task": task, "position": position, "seed": seed}
        for task, position, seed in product(TASKS, POSITIONS, SEEDS)
    ]


def shares(rows: list[dict], task: str, position: str) -> Tensor:
    """Return the exact matches of the trainings of a task, a row for each seed.

    Args:
        rows: What `MEASUREMENTS.read` returned.
        task: One of `TASKS`.
        position: One of `POSITIONS`.

    Shape:
        (seeds, lengths).
    """
    chosen = [
        r["exact"] for r in rows if (r["task"], r["position"]) == (task, position)
    ]
    return torch.tensor(chosen, dtype=torch.float64, device="cpu")


if __name__ == "__main__":
    MEASUREMENTS.write(measure_all(measured, rounds()), steps=STEPS)
