"""A figure of what a model looked at while it translated."""

from collections.abc import Sequence
from pathlib import Path
from textwrap import wrap

import torch
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from torch import Tensor

from transformer.commands.inference import encode
from transformer.data import BOS_ID, EOS_ID, Tokenizer
from transformer.models import Transformer, attention_maps

CROSS = "cross_attention"
# In inches: a token, the space between two panels, a panel at least, the scale.
CELL, GAP, NARROWEST, SCALE = 0.24, 0.35, 1.2, 2.2


def save_attention(
    path: Path,
    model: Transformer,
    tokenizer: Tokenizer,
    text: str,
    translation: str,
) -> None:
    """Save a figure of the cross-attention of each layer and head.

    Rows are the words to be written, the end included, columns those that are read:
    each row shows where the model looked before it wrote its word. The ending of the
    path chooses the format, such as .svg or .png.
    """
    device = model.device
    read = encode(model, tokenizer, text)
    to_write = [*tokenizer.encode(translation), EOS_ID]
    written = [BOS_ID, *to_write[:-1]][: model.config.max_len]
    with torch.no_grad(), attention_maps(model) as maps:
        model(*(torch.tensor([ids], device=device) for ids in (read, written)))
    layers = [weights[0] for name, weights in maps.items() if name.endswith(CROSS)]
    rows = named(tokenizer, to_write)[: len(written)]
    title = f"Where the model looked\n{text}\nto write: {translation}"
    figure = draw_attention(layers, rows, named(tokenizer, read), title=title)
    figure.savefig(path, bbox_inches="tight")


def named(tokenizer: Tokenizer, ids: Sequence[int]) -> list[str]:
    """Return the words of a text as they are written, its last id as its end."""
    return [*(tokenizer.decode([id]) for id in ids[:-1]), "end"]


def draw_attention(
    layers: Sequence[Tensor], rows: Sequence[str], columns: Sequence[str], *, title: str
) -> Figure:
    """Draw a grid of panels: a row for each layer, a column for each head.

    Each row of weights is named by the word that is written from it, each column by
    the word that is read.
    """
    heads = layers[0].size(0)
    width, height = max(CELL * len(columns), NARROWEST), CELL * len(rows)
    across = heads * (width + GAP) - GAP
    high = len(layers) * (height + GAP) - GAP
    # The panels fill the figure; words stand around it, as long as they may be, and are
    # saved with it.
    figure = Figure(figsize=(across, high))
    FigureCanvasAgg(figure)
    grid = {"left": 0, "right": 1, "bottom": 0, "top": 1}
    grid |= {"wspace": GAP / width, "hspace": GAP / height}
    panels = figure.subplots(
        len(layers), heads, sharex=True, sharey=True, squeeze=False, gridspec_kw=grid
    )
    for layer, weights in enumerate(layers):
        for head, panel in enumerate(panels[layer]):
            shown = weights[head].cpu().numpy()
            image = panel.imshow(shown, vmin=0, vmax=1, cmap="Greys", aspect="auto")
            panel.set_title(f"layer {layer + 1}, head {head + 1}", fontsize=9)
            panel.set_xticks(
                range(len(columns)), columns, rotation=90, parse_math=False
            )
            panel.set_yticks(range(len(rows)), rows, parse_math=False)
    panels[-1][0].set_xlabel("read", x=across / width / 2)
    panels[-1][0].set_ylabel("word to be written", y=high / height / 2)
    box = (1 + GAP / across, 1 - SCALE / high, CELL / across, SCALE / high)
    figure.colorbar(
        image, cax=figure.add_axes(box), label="weight (a row adds up to 1)"
    )
    figure.suptitle(
        broken(title, inches=max(across, 4.0)),
        **{"x": 0, "y": 1 + GAP / high, "ha": "left", "va": "bottom"},
        **{"fontsize": 10, "parse_math": False},
    )
    return figure


def broken(text: str, *, inches: float) -> str:
    """Return a text with its lines broken to about a width, in letters of 10 points."""
    lines = (wrap(line, int(inches * 12)) for line in text.splitlines())
    return "\n".join("\n".join(line) for line in lines)
