"""One small language model, six ways to get it wrong, and what five checks say.

Every model here runs, and the loss of each falls. A check gives one number, and says
whether a model that is right could give it. Two of them train the model, so the chapter
reads what they find from a file that `python -m chapters.is_it_the_model.mistakes`
writes, and examines one model anew.
"""

from collections.abc import Callable, Mapping
from functools import partial
from math import log

import torch
import torch.nn.functional as F
from jaxtyping import Int
from torch import Tensor, nn

from chapters.laboratory.fit import same_numbers
from chapters.laboratory.measurements import Measurements

MEASUREMENTS = Measurements("is_it_the_model", "mistakes")
SONG = "twinkle twinkle little star how i wonder what you are"
SIGNS = sorted(set(SONG))
PIECE = 24  # letters of the song that are read at once
VOCAB, LENGTH, WIDTH, LAYERS = len(SIGNS), 8, 32, 2  # as of `Small`
STEPS, BATCH, RATE = 120, 32, 5e-3
AS_MEANT = "as it was meant"
SHIFTED_TWICE = "shifted twice"  # which none of the five checks sees
MISTAKES = (
    "head is a copy",
    "entries of size 1",
    "layers in a list",
    "mask forgotten",
    "labels not shifted",
    "softmax twice",
)


class Small(nn.Module):
    """A decoder-only model: 16 tokens, width 32, two layers."""

    def __init__(self, length: int = 8) -> None:
        super().__init__()
        self.tokens = nn.Embedding(16, 32)
        self.places = nn.Embedding(length, 32)
        sizes = {"d_model": 32, "nhead": 2, "dim_feedforward": 128}
        look = {"dropout": 0.0, "batch_first": True, "norm_first": True}
        layers = [nn.TransformerEncoderLayer(**sizes, **look) for _ in range(2)]
        self.layers = nn.ModuleList(layers)
        self.norm = nn.LayerNorm(32)
        self.head = nn.Linear(32, 16, bias=False)
        nn.init.normal_(self.tokens.weight, std=32**-0.5)
        self.head.weight = self.tokens.weight  # one matrix

    def forward(self, ids: Int[Tensor, "batch time"]) -> Tensor:
        """Return the logits of the token after each one."""
        time = ids.size(1)
        x = self.tokens(ids) + self.places.weight[:time]
        later = torch.ones(time, time, dtype=torch.bool).triu(1)
        for layer in self.layers:
            x = layer(x, src_mask=later)
        return self.head(self.norm(x))  # (batch, time, 16)

    def loss(self, ids: Int[Tensor, "batch time"]) -> Tensor:
        """Return the mean loss of the tokens after the first."""
        logits, labels = self(ids[:, :-1]), ids[:, 1:]
        return F.cross_entropy(logits.flatten(0, 1), labels.flatten())


class _SeesAll(Small):
    """The causal mask is forgotten."""

    def forward(self, ids: Int[Tensor, "batch time"]) -> Tensor:
        x = self.tokens(ids) + self.places.weight[: ids.size(1)]
        for layer in self.layers:
            x = layer(x)
        return self.head(self.norm(x))


class _NamesWhatItReads(Small):
    """The labels are not shifted."""

    def loss(self, ids: Int[Tensor, "batch time"]) -> Tensor:
        logits, labels = self(ids[:, :-1]), ids[:, :-1]
        return F.cross_entropy(logits.flatten(0, 1), labels.flatten())


class _SkipsOne(Small):
    """The labels are shifted twice."""

    def loss(self, ids: Int[Tensor, "batch time"]) -> Tensor:
        logits, labels = self(ids[:, :-1])[:, :-1], ids[:, 2:]
        return F.cross_entropy(logits.flatten(0, 1), labels.flatten())


class _EndsInSoftmax(Small):
    """The softmax is taken before a loss that takes it too."""

    def loss(self, ids: Int[Tensor, "batch time"]) -> Tensor:
        probabilities, labels = self(ids[:, :-1]).softmax(dim=-1), ids[:, 1:]
        return F.cross_entropy(probabilities.flatten(0, 1), labels.flatten())


_KINDS: Mapping[str, type[Small]] = {
    "mask forgotten": _SeesAll,
    "labels not shifted": _NamesWhatItReads,
    SHIFTED_TWICE: _SkipsOne,
    "softmax twice": _EndsInSoftmax,
}


def build(mistake: str = AS_MEANT, *, length: int = LENGTH) -> Small:
    """Return a fresh `Small` with one mistake, or as it was meant.

    Args:
        mistake: `AS_MEANT`, one of `MISTAKES`, or `SHIFTED_TWICE`.
        length: The longest text.

    Raises:
        ValueError: If there is no such mistake.
    """
    if mistake not in (AS_MEANT, SHIFTED_TWICE, *MISTAKES):
        raise ValueError(f"mistake must be one of MISTAKES, not {mistake!r}.")
    model = _KINDS.get(mistake, Small)(length)
    if mistake == "head is a copy":
        model.head.weight = nn.Parameter(model.tokens.weight.detach().clone())
    if mistake == "entries of size 1":
        nn.init.normal_(model.tokens.weight)
    if mistake == "layers in a list":
        layers = list(model.layers)
        del model.layers
        model.layers = layers
    return model


def noise(
    *, vocab: int, batch: int, time: int, seed: int = 0
) -> Int[Tensor, "batch time"]:
    """Return random tokens, drawn on the CPU from a seed."""
    generator = torch.Generator().manual_seed(seed)
    sizes = (batch, time)
    ids = torch.randint(vocab, sizes, generator=generator, device="cpu")
    return ids.to(torch.get_default_device())


def draw(count: int = BATCH) -> Int[Tensor, "batch time"]:
    """Draw random tokens; nobody can foretell any of them."""
    return torch.randint(VOCAB, (count, LENGTH + 1))


def draw_song(count: int = 8) -> Int[Tensor, "batch time"]:
    """Draw pieces of the song, each with one letter more than is read."""
    song = torch.tensor([SIGNS.index(sign) for sign in SONG])
    pieces = song.unfold(0, PIECE + 1, 1)
    return pieces[torch.randint(len(pieces), (count,))]


@torch.no_grad()
def write(model: nn.Module, start: str) -> str:
    """Return what a model adds to a start, always its most probable letter."""
    ids = [SIGNS.index(sign) for sign in start]
    while len(ids) <= PIECE:
        ids.append(model(torch.tensor([ids]))[0, -1].argmax().item())
    return "".join(SIGNS[number] for number in ids)


def trained(model: Small, batches: Callable[[], Tensor]) -> float:
    """Train with Adam, and return the mean loss of the last ten steps."""
    # Fused: so small a model spends most of a step between its tensors.
    optimizer = torch.optim.Adam(model.parameters(), lr=RATE, fused=True)
    losses = []
    for _ in range(STEPS):
        loss = model.loss(batches())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return sum(losses[-10:]) / 10


def too_many(model: Small) -> float:
    """Count the parameters, less what the formula says."""
    layer = 12 * WIDTH**2 + 13 * WIDTH
    expected = (VOCAB + LENGTH) * WIDTH + LAYERS * layer + 2 * WIDTH
    return float(sum(p.numel() for p in model.parameters()) - expected)


@torch.no_grad()
def first_loss(model: Small) -> float:
    """Return the loss of a fresh model on random tokens, over ln V."""
    return model.loss(draw(512)).item() / log(VOCAB)


@torch.no_grad()
def moved_by_later(model: Small) -> float:
    """Return how far the first logits move when the last token is changed."""
    ids = draw()[:, :LENGTH]
    changed = ids.clone()
    changed[:, -1] = (changed[:, -1] + 1) % VOCAB
    return (model(changed) - model(ids))[:, :-1].abs().max().item()


def loss_on_noise(model: Small) -> float:
    """Return the loss after training on fresh random tokens, over ln V."""
    return trained(model, draw) / log(VOCAB)


def loss_on_one_batch(model: Small) -> float:
    """Return the loss after training on the same four sequences in each step."""
    return trained(model, partial(lambda batch: batch, draw(4)))


# Each check, and whether a number is what a model without a mistake gives.
CHECKS: Mapping[str, tuple[Callable[[Small], float], Callable[[float], bool]]] = {
    "count": (too_many, lambda found: found == 0),
    "first\nloss": (first_loss, lambda found: 0.95 < found < 1.35),
    "future": (moved_by_later, lambda found: found < 1e-5),
    "noise": (loss_on_noise, lambda found: found > 0.95),
    "one\nbatch": (loss_on_one_batch, lambda found: found < 0.1),
}


def examine(mistake: str, seed: int = 0) -> tuple[list[float], list[bool]]:
    """Return what each check finds in a fresh model, and whether it is content.

    Args:
        mistake: One of `MISTAKES`, or any other text for none.
        seed: Of the parameters and of the tokens; each check gets the same model.
    """
    numbers = []
    for check, _ in CHECKS.values():
        with same_numbers(seed):
            numbers.append(check(build(mistake)))
    verdicts = [
        fine(number) for number, (_, fine) in zip(numbers, CHECKS.values(), strict=True)
    ]
    return numbers, verdicts


def stored() -> dict[str, tuple[list[float], list[bool]]]:
    """Return what `examine` returns for each model, from the file."""
    return {
        row["mistake"]: (row["numbers"], row["verdicts"]) for row in MEASUREMENTS.read()
    }


if __name__ == "__main__":
    torch.set_default_dtype(torch.float64)  # as the book computes
    torch.set_num_threads(1)
    fields = ("mistake", "numbers", "verdicts")
    found = [(name, *examine(name)) for name in (AS_MEANT, *MISTAKES)]
    MEASUREMENTS.write([dict(zip(fields, one, strict=True)) for one in found])
