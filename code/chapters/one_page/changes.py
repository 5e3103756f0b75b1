"""The file of this chapter with other lines, and what one sees of it at once."""

import re
from contextlib import redirect_stdout
from difflib import unified_diff
from io import StringIO
from pathlib import Path
from types import ModuleType

import torch
from torch import nn

from chapters.one_page import one_page_transformer
from transformer.config import TransformerConfig
from transformer.models import Transformer

FILE = Path(one_page_transformer.__file__)

# The norm before each sublayer, where it was after the sum.
NORM_FIRST = (
    (
        "x = self.norm_1(x + self.attention(x, x, mask))",
        "y = self.norm_1(x)\n        x = x + self.attention(y, y, mask)",
    ),
    (
        "return self.norm_2(x + self.feed_forward(x))",
        "return x + self.feed_forward(self.norm_2(x))",
    ),
    (
        "x = self.norm_1(x + self.self_attention(x, x, causal))",
        "y = self.norm_1(x)\n        x = x + self.self_attention(y, y, causal)",
    ),
    (
        "x = self.norm_2(x + self.cross_attention(x, memory, not_pad))",
        "x = x + self.cross_attention(self.norm_2(x), memory, not_pad)",
    ),
    (
        "return self.norm_3(x + self.feed_forward(x))",
        "return x + self.feed_forward(self.norm_3(x))",
    ),
)
# What goes, and the few lines that change, in a model that has no source.
DECODER_ONLY = (
    ("        self.cross_attention = Attention(d_model, num_heads)\n", ""),
    (
        "        self.norm_2 = nn.LayerNorm(d_model)\n"
        "        self.feed_forward = FeedForward(d_model, d_ff)\n"
        "        self.norm_3",
        "        self.feed_forward = FeedForward(d_model, d_ff)\n        self.norm_3",
    ),
    (
        "def forward(self, x, memory, causal, not_pad):",
        "def forward(self, x, causal):",
    ),
    (
        "        x = self.norm_2(x + self.cross_attention(x, memory, not_pad))\n",
        "",
    ),
    (
        "self.encoder, self.decoder = nn.ModuleList(), nn.ModuleList()",
        "self.decoder = nn.ModuleList()",
    ),
    ("            self.encoder.append(EncoderLayer(d_model, num_heads, d_ff))\n", ""),
    (
        "    def encode(self, source, not_pad):\n"
        "        x = self.embed(source)\n"
        "        for layer in self.encoder:\n"
        "            x = layer(x, not_pad)\n"
        "        return x  # the memory\n\n",
        "",
    ),
    ("def decode(self, target, memory, not_pad):", "def forward(self, target):"),
    ("x = layer(x, memory, causal, not_pad)", "x = layer(x, causal)"),
    (
        "    def forward(self, source, target):\n"
        "        not_pad = (source != PAD)[:, None, None, :]  # (batch, 1, 1, time)\n"
        "        return self.decode(target, self.encode(source, not_pad), not_pad)\n",
        "",
    ),
    # Row and answer become one text, such as "cabbage_<egabbac>".
    (
        "    source = torch.tensor([[SIGNS.index(sign) for sign in text]])\n"
        "    ids, device = [START], model.embedding.weight.device\n"
        "    while len(ids) < LONGEST + 2 and",
        '    ids = [SIGNS.index(sign) for sign in text.ljust(8, "_") + "<"]\n'
        "    device = model.embedding.weight.device\n"
        "    while len(ids) < 2 * LONGEST + 2 and",
    ),
    ("model(source.to(device), target)", "model(target)"),
    ("for number in ids[1:])", "for number in ids[9:])"),
    ("source, target = draw_rows(64)", "target = torch.cat(draw_rows(64), dim=1)"),
    ("model(source, given)", "model(given)"),
)

# The layer of a BERT: attention has biases too, and GELU stands in the place of ReLU.
AS_IN_BERT = (
    *(
        (
            f"self.{name} = nn.Linear(d_model, d_model, bias=False)",
            f"self.{name} = nn.Linear(d_model, d_model)",
        )
        for name in ("query", "key", "value", "output")
    ),
    ("self.down(self.up(x).relu())", "self.down(F.gelu(self.up(x)))"),
)


def listing() -> str:
    """Return the text of the file."""
    return FILE.read_text(encoding="utf-8")


def rewritten(*changes: tuple[str, str]) -> str:
    """Return the text of the file in which some pieces are others.

    Args:
        *changes: Each a piece that the file holds once, and what stands in its place.

    Raises:
        ValueError: If the file does not hold a piece, or holds it more than once.
    """
    text = listing()
    for old, new in changes:
        if (count := text.count(old)) != 1:
            raise ValueError(
                f"the file must hold {old!r} once, and holds it {count} times; copy a "
                "whole line."
            )
        text = text.replace(old, new)
    return text


def changed(*changes: tuple[str, str]) -> ModuleType:
    """Return the file as a module in which some pieces of text are others."""
    module = ModuleType("changed")
    exec(compile(rewritten(*changes), "changed", "exec"), vars(module))
    return module


def difference(*changes: tuple[str, str]) -> str:
    """Return which lines of the model go, with a minus, and come, with a plus."""
    before, after = (
        text.partition("\ndef draw_rows")[0].splitlines()
        for text in (listing(), rewritten(*changes))
    )
    lines = list(unified_diff(before, after, lineterm="", n=0))[2:]
    return "\n".join(line for line in lines if not line.startswith("@@"))


@torch.no_grad()
def leak(machine: ModuleType) -> float:
    """Return how far earlier logits of a fresh model move with the last sign."""
    torch.manual_seed(0)
    model = machine.Transformer(len(machine.SIGNS), **machine.SIZES)
    source, target = machine.draw_rows(64)
    other = target.clone()
    other[:, -1] = (other[:, -1] + 1) % len(machine.SIGNS)
    moved = model(source, target) - model(source, other)
    return moved[:, :-1].abs().max().item()


@torch.no_grad()
def padding_leak(machine: ModuleType) -> float:
    """Return how far logits of a fresh model move with padding behind the source."""
    torch.manual_seed(0)
    model = machine.Transformer(len(machine.SIGNS), **machine.SIZES)
    source, target = machine.draw_rows(64)
    longer = torch.nn.functional.pad(source, (0, 3), value=machine.PAD)
    return (model(source, target) - model(longer, target)).abs().max().item()


@torch.no_grad()
def apart(machine: ModuleType) -> float:
    """Return how far a fresh model is from the package's with copied weights."""
    torch.manual_seed(0)
    vocab_size, sizes = len(machine.SIGNS), dict(machine.SIZES)
    model = machine.Transformer(vocab_size, **sizes)
    layers = sizes.pop("num_layers")
    config = TransformerConfig(
        vocab_size=vocab_size,
        num_encoder_layers=layers,
        num_decoder_layers=layers,
        pad_id=machine.PAD,
        **sizes,
    )
    package = Transformer(config)
    pairs = zip(package.parameters(), model.parameters(), strict=True)
    for theirs, ours in pairs:
        theirs.copy_(ours)
    source, target = machine.draw_rows(64)
    moved = model(source, target) - package(source, target)
    return moved[target != machine.PAD].abs().max().item()


def watched(
    machine: ModuleType, steps: int
) -> tuple[dict[int, tuple[float, str]], nn.Module]:
    """Train a machine; return loss and text of every tenth step, and the model.

    Raises:
        RuntimeError: If it cannot be trained.
    """
    with redirect_stdout(StringIO()) as said:
        model = machine.train(steps, shown=range(0, steps + 1, 10))
    found = re.findall(r"step +(\d+): loss (\S+), writes (\S*)", said.getvalue())
    return {int(step): (float(loss), text) for step, loss, text in found}, model


def record(machine: ModuleType, steps: int) -> dict[int, tuple[float, str]]:
    """Train a machine, and return loss and text of every tenth step, as it prints them.

    Raises:
        RuntimeError: If it cannot be trained.
    """
    return watched(machine, steps)[0]


def first_loss(machine: ModuleType) -> float:
    """Return the loss before the first step."""
    return record(machine, 0)[0][0]
