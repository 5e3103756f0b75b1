"""A figure of what a model looked at while it translated."""

from collections.abc import Sequence
from pathlib import Path

import torch
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from torch import Tensor

from transformer.commands.inference import encode
from transformer.data import BOS_ID, EOS_ID, Tokenizer
from transformer.models import Transformer, attention_maps

CROSS = "cross_attention"
INCHES = 0.32  # for each token


def save_attention(
    path: Path,
    model: Transformer,
    tokenizer: Tokenizer,
    text: str,
    translation: str,
) -> None:
    """Save a figure of the cross-attention of each layer and head.

    Rows are the words to be written, the end included, columns those that are read:
    each row shows where the model looked before it wrote its word.

    Args:
        path: Where; the ending chooses the format, such as .svg or .png.
        model: A trained model.
        tokenizer: The one that it was trained with.
        text: What was translated.
        translation: Into what.

    Raises:
        OSError: If the file cannot be written.
        ValueError: If the ending names no format.
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

    Args:
        layers: The weights of each layer.
        rows: The word that is written from each row of weights.
        columns: The words that are read.
        title: What stands above all panels.

    Shape:
        layers: (heads, target, source) each.
    """
    heads = layers[0].size(0)
    size = (
        heads * (1.2 + INCHES * len(columns)),
        len(layers) * (1.2 + INCHES * len(rows)),
    )
    figure = Figure(figsize=size, layout="constrained")
    FigureCanvasAgg(figure)
    panels = figure.subplots(len(layers), heads, squeeze=False)
    for layer, weights in enumerate(layers):
        for head, panel in enumerate(panels[layer]):
            shown = weights[head].cpu().numpy()
            image = panel.imshow(shown, vmin=0, vmax=1, cmap="Greys")
            panel.set_title(f"layer {layer + 1}, head {head + 1}", fontsize=9)
            panel.set_xticks(
                range(len(columns)), columns, rotation=90, parse_math=False
            )
            panel.set_yticks(range(len(rows)), rows, parse_math=False)
    figure.colorbar(image, ax=panels, label="weight (a row adds up to 1)")
    figure.suptitle(title, parse_math=False)
    figure.supxlabel("read")
    figure.supylabel("word to be written")
    return figure
