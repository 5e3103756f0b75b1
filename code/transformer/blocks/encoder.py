"""The encoder: layers in which each position sees all others."""

from jaxtyping import Bool, Float
from torch import Tensor, nn

from transformer.blocks.decoder_layer import ParallelLayer
from transformer.blocks.parts import (
    build_feed_forward,
    build_final_norm,
    build_layers,
    build_position_bias,
    build_residual,
    build_self_attention,
    check_branches,
    plain,
)
from transformer.checks.doors import doors
from transformer.config import TransformerConfig
from transformer.layers.attention import check_allowed, check_sequences
from transformer.layers.positions import Positions


@doors(init=lambda: check_encoder_layer, forward=lambda: check_encoder_layer_call)
class EncoderLayer(nn.Module):
    r"""Let the positions of a sequence exchange information, then work on each.

    $$\mathbf{X}' = \mathrm{Residual}(\mathbf{X}, \mathrm{MultiHead}), \qquad
    \mathbf{Y} = \mathrm{Residual}(\mathbf{X}', \mathrm{FFN})$$

    Source: Vaswani et al. (2017), section 3.1 and Figure 1.

    Args:
        config: Sizes and choices of the layer.

    Shape:
        x: (batch, time, d_model); the result has the same shape.
        mask, bias: broadcast to (batch, heads, time, time); of rank 2 or 4.

    Raises:
        ValueError: If shapes do not fit, or the configuration asks for a
            `ParallelLayer`.
    """

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.self_attention = build_self_attention(config)
        self.self_attention_residual = build_residual(config)
        self.feed_forward = build_feed_forward(config)
        self.feed_forward_residual = build_residual(config)

    def forward(
        self,
        x: Float[Tensor, "batch time d_model"],
        *,
        mask: Bool[Tensor, "..."] | None = None,
        bias: Float[Tensor, "..."] | None = None,
        positions: Positions | None = None,
    ) -> Float[Tensor, "batch time d_model"]:
        """Return what each position has become."""

        def attend(x: Tensor) -> Tensor:
            return self.self_attention(
                x, x, x, mask=mask, bias=bias, positions=positions
            ).values

        x = self.self_attention_residual(x, attend)
        return self.feed_forward_residual(x, self.feed_forward)


@doors(
    init=lambda: check_encoder,
    forward=lambda x, mask: check_encoder_layer_call(x, mask, None),
)
class Encoder(nn.Module):
    r"""Stack encoder layers, each reading what the one before has written.

    $$\mathbf{X}^{(l)} = \mathrm{EncoderLayer}_l(\mathbf{X}^{(l-1)}), \qquad
    l = 1, \dots, N$$

    and, if the configuration asks for it, a norm after the last.

    Source: Vaswani et al. (2017), section 3.1; one position bias for the whole
    stack: Raffel et al. (2020), section 2.1.

    Args:
        config: Number of layers, sizes and choices.

    Shape:
        x: (batch, time, d_model); the result has the same shape.
        mask: broadcasts to (batch, heads, time, time); of rank 2 or 4.

    Raises:
        ValueError: If the configuration has no encoder layers, or shapes do not fit.
    """

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        kind = ParallelLayer if config.parallel_residual else EncoderLayer
        self.layers = build_layers(kind, [plain(config)] * config.num_encoder_layers)
        self.position_bias = build_position_bias(config, bidirectional=True)
        self.norm = build_final_norm(config)

    def forward(
        self,
        x: Float[Tensor, "batch time d_model"],
        *,
        mask: Bool[Tensor, "..."] | None = None,
    ) -> Float[Tensor, "batch time d_model"]:
        """Return the representation of each position after the last layer."""
        positions = Positions(0, x.size(1), device=x.device)
        bias = None
        if self.position_bias is not None:
            bias = self.position_bias(positions.all, positions.all, dtype=x.dtype)
        for layer in self.layers:
            x = layer(x, mask=mask, bias=bias, positions=positions)
        return self.norm(x)


# Checks


def check_encoder_layer(config: object) -> None:
    """Check the settings of an encoder layer, whose branches come in a row."""
    check_branches(config, side_by_side=False)


def check_encoder_layer_call(
    x: Tensor, mask: object | None, bias: object | None
) -> None:
    """Check that an encoder layer can take `x`, with this mask and bias."""
    check_sequences(x=x)
    check_allowed(mask, bias)


def check_encoder(config: object) -> None:
    """Check that a configuration has encoder layers."""
    if config.num_encoder_layers == 0:
        raise ValueError(
            "an encoder must have layers, got num_encoder_layers=0; set it, or "
            "take a decoder-only model."
        )
