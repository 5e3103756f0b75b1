"""Our layers and stacks against those of PyTorch, with the same weights."""

from collections.abc import Iterator
from functools import partial

import torch
from bench_case import Case, Sides
from bench_modes import MODES, Side, inference
from bench_sizes import Sizes
from bench_weights import as_pytorch, perturb
from torch import Tensor, nn

from transformer.blocks import Decoder, DecoderLayer, Encoder, EncoderLayer
from transformer.config import TransformerConfig
from transformer.layers import causal_mask

SHARE_OF_CEILING = 0.90  # aimed at, in a forward pass
# A product as a layer calls it takes new memory for its result, which costs time of
# its own; one into memory that is there comes closer to what the machine can do.
CEILINGS = {"torch.mm": False, "torch.mm(out=)": True}


class Stacks(nn.Module):
    """An encoder and a decoder, as `nn.Transformer` has them."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.encoder = Encoder(config)
        self.decoder = Decoder(config, cross_attention=True)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        """Return the representation of each target position."""
        return self.decoder(target, self.encoder(source))


def layer_cases(sizes: Sizes) -> Iterator[Case]:
    """Yield each kind of layer at each length, in each mode."""
    for kind in KINDS:
        for length in sizes.lengths:
            for mode, (_, aim, random) in MODES.items():
                if kind == "stacks" and random:
                    continue  # as in the layers, and takes long
                yield Case(
                    name=f"{kind}, {length} tokens, {mode}",
                    reference="torch.nn",
                    build=partial(build_sides, kind, mode, sizes, length),
                    aim=aim,
                )


def ceiling_cases(sizes: Sizes) -> Iterator[Case]:
    """Yield how close a forward pass comes to the speed of a matrix product."""
    for kind in ("encoder layer", "decoder layer"):
        for length in sizes.lengths:
            for reference, in_place in CEILINGS.items():
                yield Case(
                    name=f"{kind}, {length} tokens, inference",
                    reference=f"ceiling: {reference}",
                    build=partial(build_ceiling, kind, in_place, sizes, length),
                    aim=1 / SHARE_OF_CEILING,
                )


def build_sides(
    kind: str, mode: str, sizes: Sizes, length: int, device: torch.device
) -> Sides:
    """Build both sides with the same weights, to be called on the same input."""
    run, _, random = MODES[mode]
    dropout = sizes.dropout if random else 0.0
    ours, theirs = KINDS[kind](sizes, length, dropout, device)
    ours[0].to(device)
    perturb(ours[0])
    theirs[0].to(device).load_state_dict(as_pytorch(ours[0].state_dict()))
    compared = None
    if random:  # without dropout they must agree
        compared = (inference(*ours), inference(*theirs))
    return Sides(ours=run(*ours), reference=run(*theirs), compared=compared)


def build_ceiling(
    kind: str, in_place: bool, sizes: Sizes, length: int, device: torch.device
) -> Sides:
    """Build a layer, and one matrix product to compare multiplications per second.

    The product is the first one of the feed-forward network.
    """
    sides = build_sides(kind, "inference", sizes, length, device)
    left = torch.randn(sizes.batch * length, sizes.d_model, device=device)
    right = torch.randn(sizes.d_model, sizes.d_ff, device=device)
    product = left @ right
    return Sides(
        ours=sides.ours,
        reference=partial(torch.mm, left, right, out=product if in_place else None),
        compared=(sides.ours, sides.reference),
        work=multiplications(kind, sizes, length) / (product.numel() * sizes.d_model),
    )


def multiplications(kind: str, sizes: Sizes, length: int) -> int:
    """Count the multiplications in the matrix products of a layer."""
    attentions = 2 if kind == "decoder layer" else 1
    each = 4 * sizes.d_model**2 + 2 * length * sizes.d_model  # of a position
    position = attentions * each + 2 * sizes.d_model * sizes.d_ff
    return sizes.batch * length * position


def encoder_layers(
    sizes: Sizes, length: int, dropout: float, device: torch.device
) -> tuple[Side, Side]:
    """Return our encoder layer and PyTorch's."""
    x = torch.randn(sizes.batch, length, sizes.d_model, device=device)
    x.requires_grad_()
    ours = EncoderLayer(config_for(sizes, dropout))
    theirs = nn.TransformerEncoderLayer(**pytorch_sizes(sizes, dropout))
    return (ours, lambda: (ours(x), x)), (theirs, lambda: (theirs(x), x))


def decoder_layers(
    sizes: Sizes, length: int, dropout: float, device: torch.device
) -> tuple[Side, Side]:
    """Return our decoder layer and PyTorch's."""
    x, memory = torch.randn(2, sizes.batch, length, sizes.d_model, device=device)
    x.requires_grad_()
    allowed = causal_mask(length, device=device)
    forbidden = ~allowed
    ours = DecoderLayer(config_for(sizes, dropout), cross_attention=True)
    theirs = nn.TransformerDecoderLayer(**pytorch_sizes(sizes, dropout))
    return (
        (ours, lambda: (ours(x, memory, mask=allowed), x)),
        (theirs, lambda: (theirs(x, memory, forbidden, tgt_is_causal=True), x)),
    )


def stacks(
    sizes: Sizes, length: int, dropout: float, device: torch.device
) -> tuple[Side, Side]:
    """Return our encoder and decoder and PyTorch's."""
    source, x = torch.randn(2, sizes.batch, length, sizes.d_model, device=device)
    x.requires_grad_()
    forbidden = ~causal_mask(length, device=device)
    ours = Stacks(config_for(sizes, dropout))
    theirs = nn.Transformer(
        num_encoder_layers=sizes.num_layers,
        num_decoder_layers=sizes.num_layers,
        **pytorch_sizes(sizes, dropout),
    )
    run = partial(theirs, source, x, tgt_mask=forbidden, tgt_is_causal=True)
    return (ours, lambda: (ours(source, x), x)), (theirs, lambda: (run(), x))


KINDS = {
    "encoder layer": encoder_layers,
    "decoder layer": decoder_layers,
    "stacks": stacks,
}


def config_for(sizes: Sizes, dropout: float) -> TransformerConfig:
    """Return the configuration of what PyTorch calls a Transformer."""
    return TransformerConfig(
        vocab_size=1,
        num_encoder_layers=sizes.num_layers,
        num_decoder_layers=sizes.num_layers,
        d_model=sizes.d_model,
        num_heads=sizes.num_heads,
        d_ff=sizes.d_ff,
        attention_bias=True,
        final_norm=True,
        dropout=dropout,
        attention_dropout=dropout,
        activation_dropout=dropout,
    )


def pytorch_sizes(sizes: Sizes, dropout: float) -> dict:
    """Return the same for the modules of PyTorch."""
    return {
        "d_model": sizes.d_model,
        "nhead": sizes.num_heads,
        "dim_feedforward": sizes.d_ff,
        "dropout": dropout,
        "batch_first": True,
    }
