"""Feed-forward layers that start alike: what they add has the same size at first."""

import torch
from torch import nn

SIZE = 0.5  # root mean square of what a fresh layer adds


@torch.no_grad()
def output_size(layer: nn.Module, d_model: int) -> float:
    """Return the root mean square of what a layer makes of standard normal numbers."""
    cpu = {"device": "cpu", "dtype": torch.float64}
    generator = torch.Generator("cpu").manual_seed(0)
    x = torch.randn(32, 64, d_model, generator=generator, **cpu)
    return layer(x.to(next(layer.parameters()))).square().mean().sqrt().item()


@torch.no_grad()
def match_sizes(model: nn.Module) -> None:
    """Let the feed-forward layers of a fresh model start at `SIZE`, in place.

    Their last matrices get a factor, those of all experts the same; nothing else
    changes. A layer without such a matrix stays as it is.
    """
    layers = [m.feed_forward for m in model.modules() if hasattr(m, "feed_forward")]
    for layer in layers:
        last = [m for m in layer.modules() if hasattr(m, "down_projection")]
        if not last:
            continue
        factor = SIZE / output_size(layer, model.config.d_model)
        for part in last:
            part.down_projection.weight *= factor
