"""The way in for images: patches become the vectors that the first layer reads."""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from transformer.blocks.inputs import POSITION_AT_INPUT
from transformer.blocks.parts import build_norm
from transformer.checks.doors import doors
from transformer.config import TransformerConfig
from transformer.contradictions import pair_of
from transformer.layers.patches import check_images, patchify
from transformer.layers.projections import start_projections


@doors(init=lambda: check_reads_images, forward=lambda: check_pixels)
class ImageEmbedding(nn.Module):
    r"""Make a vector of each patch, put the class token before them, and say where.

    $$\mathbf{x}_0 = \mathbf{c} + P_0, \qquad
    \mathbf{x}_t = \mathbf{p}_t E + \mathbf{b} + P_t, \qquad t = 1, \dots, N$$

    for the patches $\mathbf{p}_1, \dots, \mathbf{p}_N$ of an image, row after row.
    Without a class token the patches count from 0.

    Source: Dosovitskiy et al. (2021), section 3.1, equation (1).

    Args:
        config: Sizes of the image and of a patch, and which positions are added.

    Shape:
        images: (batch, channels, height, width); the result: (batch, time, d_model),
        with as many positions as patches, and one more for the class token.

    Raises:
        ValueError: If the configuration has no images, or they are of another size.
    """

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        rows, columns = config.patch_grid
        numbers = config.image_channels * config.patch_size**2
        self.size = (config.image_channels, *pair_of(config.image_size))
        self.patch_size = config.patch_size
        self.patches = nn.Linear(numbers, config.d_model)
        start_projections(self.patches)
        self.class_token = None
        if config.class_token:
            self.class_token = nn.Parameter(torch.empty(config.d_model))
            nn.init.normal_(self.class_token, std=config.init_std)
        self.positions = None
        if config.position in POSITION_AT_INPUT:
            add_positions = POSITION_AT_INPUT[config.position]
            time = rows * columns + int(config.class_token)
            self.positions = add_positions(config.d_model, max_len=time)
        self.norm = build_norm(config) if config.norm_embeddings else nn.Identity()
        self.dropout = nn.Dropout(config.dropout)

    def forward(
        self, images: Float[Tensor, "batch channels height width"]
    ) -> Float[Tensor, "batch time d_model"]:
        """Embed the patches of images."""
        x = self.patches(patchify(images, self.patch_size))  # (batch, patches, d_model)
        if self.class_token is not None:
            first = self.class_token.expand(x.size(0), 1, -1)
            x = torch.cat((first, x), dim=1)
        if self.positions is not None:
            x = self.positions(x)
        return self.dropout(self.norm(x))


# Checks


def check_reads_images(config: object) -> None:
    """Check that a configuration is that of a model of images."""
    if config.image_size is None:
        raise ValueError(
            "a model of images must know their size, got image_size=None; set it, and "
            "patch_size."
        )


def check_pixels(embedding: nn.Module, images: object) -> None:
    """Check that images have the size that an embedding was made for."""
    check_images(images)
    if tuple(images.shape[1:]) != embedding.size:
        raise ValueError(
            "images must have the shape (batch, channels, height, width)=(batch, "
            f"{', '.join(map(str, embedding.size))}), got {tuple(images.shape)}; "
            "resize them, or make the model for their size."
        )
