"""RMSNorm beside LayerNorm and beside no norm: language models trained with each.

The trainings take minutes, so the chapter reads their results from a file that
`python -m chapters.rms_norm.experiments` writes.
"""

from collections.abc import Mapping

import torch
from jaxtyping import Float
from torch import Tensor, nn

from chapters.laboratory.language import held_out_windows
from chapters.laboratory.language_model import LENGTH, exchange, train_and_measure
from chapters.laboratory.study import Study
from transformer.layers import LayerNorm
from transformer.models import DecoderOnlyTransformer

EPS = 1e-5  # of both norms: with other numbers they could not be compared


def take_norms_out(model: nn.Module) -> None:
    """Put nothing in the place of every layer norm of a model, in place."""
    exchange(model, LayerNorm, lambda child: nn.Identity())


# What each kind asks of the model, by name. Without norms the first sublayer reads the
# embeddings as they are; scaled, they have the size that a norm would give them.
NORMS: Mapping[str, Mapping] = {
    "LayerNorm": {"norm": "layer"},
    "RMSNorm": {"norm": "rms"},
    "none": {"change": take_norms_out, "scale_embeddings": True},
    "none, embeddings small": {"change": take_norms_out},
}


@torch.no_grad()
def mean_shares(model: DecoderOnlyTransformer) -> Float[Tensor, " norms"]:
    """Return the squared mean by the mean square of what each norm reads.

    It is the mean over tokens of text that was held out, on the CPU.
    """
    shares = []

    def note(module: nn.Module, inputs: tuple[Tensor]) -> None:
        x = inputs[0].double()
        ratio = x.mean(dim=-1).square() / x.square().mean(dim=-1)
        shares.append(ratio.mean().cpu())

    hooks = [norm.register_forward_pre_hook(note) for norm in norms_of(model)]
    text = held_out_windows(32, LENGTH)
    model(text.to(torch.get_default_device()))
    for hook in hooks:
        hook.remove()
    return torch.stack(shares)


def norms_of(model: DecoderOnlyTransformer) -> list[nn.Module]:
    """Return the norms of a pre-norm model in the order in which they act."""
    norms = []
    for layer in model.decoder.layers:
        norms += [layer.self_attention_residual.norm, layer.feed_forward_residual.norm]
    return [*norms, model.decoder.norm]


def measured(variant: str, **setting: float) -> dict:
    """Train one model with one kind of norm at every place.

    Args:
        variant: A name of `NORMS`.
        **setting: The learning rate, the steps and the seed.

    Returns:
        What `train_and_measure` returns, and with a norm the "mean_shares".
    """

    def look(model: DecoderOnlyTransformer) -> dict:
        normed = "norm" in NORMS[variant]
        return {"mean_shares": mean_shares(model).tolist()} if normed else {}

    return train_and_measure(look, norm_eps=EPS, **NORMS[variant], **setting)


STUDY = Study(
    "rms_norm",
    train=measured,
    variants=tuple(NORMS),
    rates=(3e-3, 1e-2, 3e-2),
    seeds=(0, 1, 2, 3, 4),
)


if __name__ == "__main__":
    STUDY.run()
