"""Small encoders, and a network of convolutions, that learn to tell digits apart."""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from chapters.beyond_words.digits import SIDE, Digits, digits
from chapters.laboratory.fit import same_numbers
from transformer import TransformerConfig
from transformer.layers import patchify, unpatchify
from transformer.models import ImageEncoder
from transformer.training import cosine_schedule

BATCH, WARM_UP = 32, 20
SIZES = {
    "vocab_size": 10,
    "image_size": SIDE,
    "patch_size": 2,
    "image_channels": 1,
    "num_encoder_layers": 2,
    "d_model": 32,
    "num_heads": 2,
    "d_ff": 128,
    "position": "learned",
    "rotary_base": 100.0,
    "norm_placement": "pre",
    "final_norm": True,
    "activation": "gelu",
    "attention_bias": True,
}
Change = Callable[[Float[Tensor, "batch 1 height width"]], Tensor]


def new_encoder(**choices: object) -> ImageEncoder:
    """Return a fresh encoder for digits, in float32.

    Args:
        **choices: Fields of `TransformerConfig`, where they are not `SIZES`.
    """
    return ImageEncoder(TransformerConfig.encoder_only(**SIZES | choices)).float()


def new_convolutions() -> nn.Sequential:
    """Return a fresh network of three convolutions for digits, in float32.

    It has about as many parameters as the encoder.
    """
    layers = [nn.Conv2d(1, 32, 3, padding=1), nn.GELU()]
    layers += [nn.Conv2d(32, 32, 3, stride=2, padding=1), nn.GELU()]
    layers += [nn.Conv2d(32, 32, 3, padding=1), nn.GELU()]
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(512, 10)).float()


def learn(
    model: nn.Module,
    learned: Digits,
    *,
    steps: int,
    learning_rate: float,
    change: Change | None = None,
) -> list[float]:
    """Train with Adam, a warm-up and a cosine to zero; return the loss of each step.

    Args:
        model: Returns a score for each label.
        learned: What it learns from, in batches drawn at random.
        steps: Number of batches.
        learning_rate: The highest learning rate.
        change: What to do to each batch of images before it is shown.
    """
    optimizer = torch.optim.Adam(model.parameters(), lr=learning_rate, fused=True)
    images, losses = learned.images.to(next(model.parameters()).dtype), []
    model.train()
    for step in range(1, steps + 1):
        for group in optimizer.param_groups:
            group["lr"] = cosine_schedule(
                step,
                peak=learning_rate,
                warmup=min(WARM_UP, steps - 1),
                steps=steps,
            )
        picked = torch.randint(len(images), (BATCH,))
        shown = images[picked] if change is None else change(images[picked])
        loss = F.cross_entropy(model(shown), learned.labels[picked])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    model.eval()
    return losses


@torch.no_grad()
def judged(model: nn.Module, part: Digits) -> tuple[float, float]:
    """Return the loss in nats, and the share of right answers."""
    scores = model(part.images.to(next(model.parameters()).dtype))
    right = (scores.argmax(dim=-1) == part.labels).double().mean()
    return F.cross_entropy(scores, part.labels).item(), right.item()


def measured(
    new_model: Callable[[], nn.Module], learned: Digits, *, seed: int, **options: object
) -> dict[str, float]:
    """Train one model, and judge it.

    Args:
        new_model: Makes the model.
        learned: What it learns from.
        seed: Of the parameters and the order.
        **options: Of `learn`.

    Returns:
        The loss on the part that chooses the rate ("validation"), on the digits that
        test it the loss ("loss") and the share of right answers ("right"), and this
        share of the digits that it has learned from ("known").
    """
    with same_numbers(seed):
        model = new_model()
        learn(model, learned, **options)
    validation, _ = judged(model, digits().chooses)
    loss, right = judged(model, digits().tested)
    _, known = judged(model, learned)
    return {"validation": validation, "loss": loss, "right": right, "known": known}


def moved(
    images: Float[Tensor, "batch 1 height width"],
) -> Float[Tensor, "batch 1 height width"]:
    """Turn, stretch and shift each image a little, by chance.

    By at most eleven degrees, a tenth of its size and three fifths of a pixel.
    """
    count = len(images)
    turn, stretch = 0.2 * signed(count), 1 + 0.1 * signed(count)
    cosine, sine = stretch * turn.cos(), stretch * turn.sin()
    rows = (
        torch.stack((cosine, -sine, 0.15 * signed(count)), dim=-1),
        torch.stack((sine, cosine, 0.15 * signed(count)), dim=-1),
    )
    grid = F.affine_grid(
        torch.stack(rows, dim=1).to(images.dtype),
        list(images.shape),
        align_corners=False,
    )
    return F.grid_sample(images, grid, align_corners=False)


def signed(count: int) -> Float[Tensor, " count"]:
    """Return numbers between -1 and 1, drawn by chance."""
    return 2 * torch.rand(count) - 1


def rearranged(order: Int[Tensor, " patches"], patch_size: int = 2) -> Change:
    """Return what puts the patches of each image in one other order."""

    def change(images: Tensor) -> Tensor:
        patches = patchify(images, patch_size)[:, order]
        columns = images.size(-1) // patch_size
        return unpatchify(patches, patch_size=patch_size, columns=columns)

    return change
