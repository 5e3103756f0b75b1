"""The encoder for images: patches go in, the scores of labels come out, as in ViT."""

from jaxtyping import Float
from torch import Tensor, nn

from transformer.blocks.encoder import Encoder
from transformer.blocks.image_inputs import (
    ImageEmbedding,
    check_pixels,
    check_reads_images,
)
from transformer.checks.doors import doors
from transformer.checks.values import check_choice
from transformer.config import TransformerConfig
from transformer.models.device import HasDevice
from transformer.models.heads import LabelHead, Pooler
from transformer.models.parameters import initialize

HEADS = {
    "labels": LabelHead,
    "pooler": Pooler,
    None: lambda config: nn.Identity(),
}


@doors(
    init=lambda: check_image_encoder,
    forward=lambda: check_encoded_images,
    encode=lambda: check_encoded_images,
)
class ImageEncoder(HasDevice, nn.Module):
    r"""Read an image as an encoder reads a text, each patch as a word.

    $$\mathbf{H} = \mathrm{Encoder}(\mathrm{Embed}(\mathrm{patches})), \qquad
    \mathbf{y} = \mathrm{Head}(\mathbf{H})$$

    Source: Dosovitskiy et al. (2021), section 3.1, equations (1) to (4). With rotary
    positions queries and keys turn by row and column, see `GridRotaryEmbedding`.

    Args:
        config: Sizes and choices, with an `image_size`; no decoder layers.
        head: `"labels"` scores each of `vocab_size` labels, `"pooler"` makes one vector
            of an image, None leaves the hidden states as they are.

    Shape:
        images: (batch, channels, height, width).
        hidden states: (batch, time, d_model), that of the class token first.
        logits: (batch, vocab); what the pooler makes: (batch, d_model).

    Raises:
        ValueError: If the configuration has no images, the head is not known, or
            images are of another size.
    """

    def __init__(
        self, config: TransformerConfig, *, head: str | None = "labels"
    ) -> None:
        super().__init__()
        self.config = config
        self.embedding = ImageEmbedding(config)
        self.encoder = Encoder(config)
        self.head = HEADS[head](config)
        initialize(self, config)

    def encode(
        self, images: Float[Tensor, "batch channels height width"]
    ) -> Float[Tensor, "batch time d_model"]:
        """Return the hidden state of each position after the last layer."""
        return self.encoder(self.embedding(images))

    def forward(
        self, images: Float[Tensor, "batch channels height width"]
    ) -> Float[Tensor, "batch ..."]:
        """Return what the head makes of the hidden states."""
        return self.head(self.encode(images))


# Checks


def check_image_encoder(config: object, head: object) -> None:
    """Check the settings of an encoder for images."""
    check_reads_images(config)
    check_choice("head", head, HEADS)
    if head == "pooler" and not config.class_token:
        raise ValueError(
            "a pooler must have a class token to read, got class_token=False; set it, "
            "or choose another head."
        )


def check_encoded_images(model: nn.Module, images: object) -> None:
    """Check that an encoder can read images; an embedding of another kind may judge."""
    if isinstance(model.embedding, ImageEmbedding):
        check_pixels(model.embedding, images)
