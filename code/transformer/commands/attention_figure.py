"""A figure of what a model looked at while it translated."""

from collections.abc import Sequence
from pathlib import Path

import torch
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from torch import Tensor

from transformer.commands.inference import encode
from transformer.data import BOS_ID, Tokenizer
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

    Rows are the tokens of the translation that were read, columns those of the
    source; the first row is the begin token, from which the first word is predicted.

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
    device = next(model.parameters()).device
    read = encode(model, tokenizer, text)
    written = [BOS_ID, *tokenizer.encode(translation)][: model.config.max_len]
    with torch.no_grad(), attention_maps(model) as maps:
        model(*(torch.tensor([ids], device=device) for ids in (read, written)))
    layers = [weights[0] for name, weights in maps.items() if name.endswith(CROSS)]
    rows = ["begin", *(tokenizer.decode([id]) for id in written[1:])]
    columns = [*(tokenizer.decode([id]) for id in read[:-1]), "end"]
    draw_attention(layers, rows, columns).savefig(path, bbox_inches="tight")


def draw_attention(
    layers: Sequence[Tensor], rows: Sequence[str], columns: Sequence[str]
) -> Figure:
    """Draw a grid of panels: a row for each layer, a column for each head."""
    heads = layers[0].size(0)  # each is (heads, target, source)
    size = (
        heads * (1.2 + INCHES * len(columns)),
        len(layers) * (1.2 + INCHES * len(rows)),
    )
    figure = Figure(figsize=size, layout="constrained")
    FigureCanvasAgg(figure)
    panels = figure.subplots(len(layers), heads, squeeze=False)
    for layer, weights in enumerate(layers):
        for head, panel in enumerate(panels[layer]):
            panel.imshow(weights[head].cpu().numpy(), vmin=0, vmax=1, cmap="Greys")
            panel.set_title(f"layer {layer + 1}, head {head + 1}", fontsize=9)
            panel.set_xticks(range(len(columns)), columns, rotation=90)
            panel.set_yticks(range(len(rows)), rows)
    figure.supxlabel("key (source)")
    figure.supylabel("query (translation)")
    return figure
