"""Longer sequences than trained: writing a row backward, and writing it sorted.

An encoder-decoder learns on rows of 4 to 10 symbols, with the sinusoidal encoding,
with rotary positions or without any, and then writes rows of other lengths.
"""

from math import isfinite

import torch
import torch.nn.functional as F
from jaxtyping import Int
from torch import Tensor

from chapters.laboratory.fit import fit, same_numbers
from chapters.laboratory.study import Study
from transformer.config import TransformerConfig
from transformer.models import Transformer

# By name the task and how positions are told apart.
VARIANTS = {
    "backward, sinusoids": ("reverse", "sinusoidal"),
    "backward, no positions": ("reverse", "none"),
    "sorted, sinusoids": ("sort", "sinusoidal"),
    "sorted, no positions": ("sort", "none"),
    "sorted, rotary": ("sort", "rotary"),
}
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


def inputs_and_labels(
    task: str, symbols: Int[Tensor, "batch time"]
) -> tuple[tuple[Tensor, Tensor], Tensor]:
    """Return what encoder and decoder read in training, and what is to be written."""
    labels = answers(task, symbols)
    begin = torch.full_like(labels[:, :1], BEGIN)
    return (with_end(symbols), torch.cat((begin, labels[:, :-1]), dim=1)), labels


def draw_batch(task: str) -> tuple[tuple[Tensor, Tensor], Tensor]:
    """Return 64 rows of one of the trained lengths, as inputs and labels."""
    length = TRAINED[int(torch.randint(len(TRAINED), ()))]
    symbols = torch.randint(SYMBOLS, (64, length))
    return inputs_and_labels(task, symbols)


@torch.no_grad()
def exact_match(model: Transformer, task: str, symbols: Tensor) -> float:
    """Return the share of rows that are written without a fault, the end included.

    Each token that is written is read again; nothing of the answer is seen.

    Args:
        model: A trained model.
        task: "reverse" or "sort".
        symbols: The rows, all of one length.
    """
    memory = model.encode(with_end(symbols))
    wanted = answers(task, symbols)
    written = torch.full_like(symbols[:, :1], BEGIN)
    for _ in range(wanted.size(1)):
        following = model.decode(written, memory)[:, -1:].argmax(dim=-1)
        written = torch.cat((written, following), dim=1)
    return (written[:, 1:] == wanted).all(dim=1).double().mean().item()


@torch.no_grad()
def loss(model: Transformer, task: str, symbols: Tensor) -> float:
    """Return the loss on rows of one length, fed as in training, in nats per token."""
    inputs, labels = inputs_and_labels(task, symbols)
    logits = model(*inputs).double()
    return F.cross_entropy(logits.flatten(end_dim=-2), labels.flatten()).item()


def measured(variant: str, learning_rate: float, steps: int, seed: int) -> dict:
    """Train one model and let it write rows of each length of `TESTED`.

    Returns:
        "validation", the mean loss over rows of each trained length, which chooses
        the rate; "exact", the share of faultless rows for each length; "known", that
        of the trained length, and "longer", the mean of the others.
    """
    task, position = VARIANTS[variant]
    device = torch.get_default_device()
    with same_numbers(seed):
        model = Transformer(config(position)).to(torch.float32)
        options = {"steps": steps, "learning_rate": learning_rate, "warm_up": 50}
        fit(model, lambda: draw_batch(task), **options, device=device)
        tests = [torch.randint(SYMBOLS, (ROWS, length)) for length in TESTED]
        seen = [torch.randint(SYMBOLS, (ROWS, length)) for length in TRAINED]
    model.eval()
    losses = [loss(model, task, rows.to(device)) for rows in seen]
    row = {"validation": sum(losses) / len(losses)}
    if not isfinite(row["validation"]):
        return row
    exact = [exact_match(model, task, rows.to(device)) for rows in tests]
    longer = sum(exact[1:]) / len(exact[1:])
    return row | {"exact": exact, "known": exact[0], "longer": longer}


STUDY = Study(
    "sinusoidal",
    "longer_rows",
    train=measured,
    variants=tuple(VARIANTS),
    budgets=(400, 1600),
)


if __name__ == "__main__":
    STUDY.run()
