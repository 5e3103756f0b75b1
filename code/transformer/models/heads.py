"""Heads: what is read out of the last representation of each position."""

import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor, nn

from transformer.blocks.parts import build_norm
from transformer.checks.doors import door, doors
from transformer.checks.tensors import check_float_tensor
from transformer.config import TransformerConfig
from transformer.layers.activations import ACTIVATIONS
from transformer.layers.attention import check_sequences
from transformer.layers.embeddings import TokenEmbedding
from transformer.layers.masks import check_real
from transformer.layers.projections import start_projections


@doors(init=lambda: check_head)
class LanguageModelHead(nn.Module):
    r"""Score each token of the vocabulary, at each position.

    $$\mathrm{logits}_t = s\,\mathbf{x}_t W^\top + \mathbf{b}, \qquad
    W = U \text{ if tied}$$

    Source: Vaswani et al. (2017), section 3.4; tied weights: Press and Wolf (2017);
    the factor $s = 1/\sqrt{d_{\mathrm{model}}}$: released code of Raffel et al.
    (2020).

    Args:
        config: Whether the weights are tied and scaled, and have a bias.
        embedding: The embedding that tied weights share.
    """

    def __init__(self, config: TransformerConfig, embedding: TokenEmbedding) -> None:
        super().__init__()
        self.scale = config.d_model**-0.5 if config.scale_tied_logits else 1.0
        self.projection = nn.Linear(
            config.d_model, config.vocab_size, bias=config.logits_bias
        )
        if config.logits_bias:
            nn.init.zeros_(self.projection.bias)
        if config.tie_embeddings:
            self.projection.weight = embedding.embedding.weight
        else:
            nn.init.xavier_uniform_(self.projection.weight)

    def forward(
        self, x: Float[Tensor, "batch time d_model"]
    ) -> Float[Tensor, "batch time vocab"]:
        """Return the logits of the tokens."""
        return self.projection(x if self.scale == 1 else x * self.scale)


@doors(init=lambda: check_head)
class MaskedLanguageModelHead(nn.Module):
    r"""Transform each position once more, then score each token of the vocabulary.

    $$\mathrm{logits}_t = \mathrm{Norm}(\phi(\mathbf{x}_t W + \mathbf{b}))\,
    U^\top + \mathbf{c}$$

    Source: Devlin et al. (2019), section 3.1, task 1; the transformation in the
    middle: their released code.

    Args:
        config: Sizes and choices.
        embedding: The embedding that tied weights share.
    """

    def __init__(self, config: TransformerConfig, embedding: TokenEmbedding) -> None:
        super().__init__()
        self.transform = square_projection(config.d_model)
        self.activation = ACTIVATIONS[config.activation]
        self.norm = build_norm(config)
        self.output = LanguageModelHead(config, embedding)

    def forward(
        self, x: Float[Tensor, "batch time d_model"]
    ) -> Float[Tensor, "batch time vocab"]:
        """Return the logits of the tokens."""
        return self.output(self.norm(self.activation(self.transform(x))))


@doors(forward=lambda x: check_sequences(x=x))
class Pooler(nn.Module):
    r"""Make one vector of a sequence, from its first position.

    $$\mathbf{y} = \tanh(\mathbf{x}_0 W + \mathbf{b})$$

    Source: Devlin et al. (2019), section 3, for the first token, `[CLS]`; the layer:
    their released code.

    Args:
        config: Sizes.
    """

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.projection = square_projection(config.d_model)

    def forward(
        self, x: Float[Tensor, "batch time d_model"]
    ) -> Float[Tensor, "batch d_model"]:
        """Return one vector for each sequence."""
        return self.projection(x[:, 0]).tanh()


@doors(forward=lambda x: check_sequences(x=x))
class LabelHead(nn.Module):
    r"""Score each label of a whole sequence, or of an image.

    $$\mathrm{logits} = \mathbf{x}_0 W + \mathbf{b}$$

    where $\mathbf{x}_0$ is the class token, or, without one, the mean of all positions.

    Source: Dosovitskiy et al. (2021), section 3.1, equation (4); the mean instead:
    Appendix D.3 there.

    Args:
        config: The width, the number of labels as `vocab_size`, and whether there is a
            class token.
    """

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.class_token = config.class_token
        self.projection = nn.Linear(config.d_model, config.vocab_size)
        start_projections(self.projection)

    def forward(
        self, x: Float[Tensor, "batch time d_model"]
    ) -> Float[Tensor, "batch vocab"]:
        """Return the logits of the labels."""
        return self.projection(x[:, 0] if self.class_token else x.mean(dim=1))


def square_projection(d_model: int) -> nn.Linear:
    """Return a linear map that keeps the number of features, as attention starts it.

    The weights start from the normalized initialization of Glorot and Bengio (2010),
    the biases at zero.
    """
    projection = nn.Linear(d_model, d_model)
    start_projections(projection)
    return projection


@door(lambda: check_mean)
def mean_pooling(
    x: Float[Tensor, "batch time d_model"], mask: Bool[Tensor, "batch time"]
) -> Float[Tensor, "batch d_model"]:
    r"""Make one vector of unit length of a sequence: the mean of its real positions.

    $$\mathbf{y} = \frac{\bar{\mathbf{x}}}{\lVert \bar{\mathbf{x}} \rVert}, \qquad
    \bar{\mathbf{x}} = \frac{\sum_t m_t\, \mathbf{x}_t}{\sum_t m_t}$$

    The dot product of two such vectors is their cosine similarity.

    Source: Reimers and Gurevych (2019), section 3, MEAN-strategy.

    Args:
        x: One vector for each position.
        mask: True where a position is real.

    Returns:
        One vector of length 1 for each sequence, shape (batch, d_model); zeros for a
        sequence without any real position.
    """
    # At least float32: in float16 the sum may overflow, and the eps below is zero.
    real = mask.unsqueeze(-1).float()  # (batch, time, 1)
    # To divide by the number of real positions would change the length alone.
    return F.normalize((x * real).sum(dim=1), dim=-1).to(x.dtype)


# Checks


def check_head(config: object, embedding: TokenEmbedding) -> None:
    """Check that a head and the embedding that it may share have one shape."""
    sizes = tuple(embedding.embedding.weight.shape)
    if sizes != (config.vocab_size, config.d_model):
        raise ValueError(
            "the embedding must have the shape (vocab_size, d_model)="
            f"{(config.vocab_size, config.d_model)}, got {sizes}; build it from "
            "the same configuration."
        )


def check_mean(x: object, mask: object) -> None:
    """Check the arguments of `mean_pooling`."""
    check_float_tensor("x", x)
    check_sequences(x=x)
    check_real("mask", mask, x.shape[:2], x.device)
