"""The models that translate numbers, untrained: gradients in each of their stacks.

The chapter measures one depth itself. Of others it reads how the gradient changes from
a file that `python -m chapters.norm_placement.fresh_models` writes.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from chapters.laboratory.fit import same_numbers
from chapters.laboratory.measurements import Measurements
from chapters.laboratory.number_words import numbers
from chapters.norm_placement.orders import number_config
from transformer.data import Batch, TrainingBatches, encode_pairs
from transformer.models import DecoderOnlyTransformer, Transformer

MEASUREMENTS = Measurements("norm_placement", "fresh_models")
SEEDS = (0, 1, 2)
OTHER_DEPTHS = (6, 18)  # in post-norm


@cache
def first_batch() -> Batch:
    """Return 64 numbers in English and in French words."""
    splits, tokenizer = numbers()
    pairs = encode_pairs(splits.train, tokenizer)
    return next(iter(TrainingBatches(pairs, batch_size=64, seed=0, bucket=1)))


def fresh_gradients(
    placement: str, *, layers: int, seed: int
) -> dict[str, Float[Tensor, " layers"]]:
    """Send a batch of numbers through fresh models, and a gradient back.

    The models are an encoder-decoder as in the trainings, and a decoder without an
    encoder, which reads the French words alone.

    Args:
        placement: "pre" or "post".
        layers: Layers of each stack.
        seed: Seed of the parameters.

    Returns:
        For the "encoder" and the "decoder" of the encoder-decoder and for the "decoder
        alone" the norm of the gradient of each layer's second feed-forward matrix.
    """
    batch = first_batch().to(torch.get_default_device())
    config = number_config(placement, layers)
    with same_numbers(seed):
        both = Transformer(config)
        alone = DecoderOnlyTransformer(replace(config, num_encoder_layers=0))
    send_back(both, batch)
    send_back(alone, Batch(None, batch.target))
    return {
        "encoder": gradients_of(both.encoder.layers),
        "decoder": gradients_of(both.decoder.layers),
        "decoder alone": gradients_of(alone.decoder.layers),
    }


def send_back(model: nn.Module, batch: Batch) -> None:
    """Leave in a model the gradients of its loss on a batch, computed in float64."""
    logits = model.to(batch.target.device, torch.float64).eval()(*batch.inputs)
    F.cross_entropy(logits.flatten(end_dim=1), batch.labels.flatten()).backward()


def gradients_of(layers: Sequence[nn.Module]) -> Float[Tensor, " layers"]:
    """Return the norm of the gradient of each second feed-forward matrix."""
    return torch.stack(
        [layer.feed_forward.down_projection.weight.grad.norm() for layer in layers]
    )


def ratios_of(runs: Sequence[dict[str, Tensor]]) -> dict[str, list[float]]:
    """Return how large the last layer's gradient is to the first's, the least first.

    Args:
        runs: What `fresh_gradients` returned, for each seed.
    """
    return {
        stack: sorted((run[stack][-1] / run[stack][0]).item() for run in runs)
        for stack in runs[0]
    }


def measured(layers: int) -> dict:
    """Return what `ratios_of` does of fresh post-norm models of one depth."""
    runs = [fresh_gradients("post", layers=layers, seed=seed) for seed in SEEDS]
    return {"layers": layers, "ratios": ratios_of(runs)}


def stored_ratios() -> dict[int, dict[str, list[float]]]:
    """Return what `ratios_of` does for each of `OTHER_DEPTHS`, from the file."""
    return {row["layers"]: row["ratios"] for row in MEASUREMENTS.read()}


@torch.no_grad()
def cross_variances(*, layers: int, seed: int) -> Float[Tensor, " layers"]:
    """Return the variance of what each cross-attention adds in a post-norm decoder.

    Args:
        layers: Layers of the fresh encoder, and of the decoder.
        seed: Seed of the parameters.

    Returns:
        The variance over the features, the mean over tokens.
    """
    batch = first_batch().to(torch.get_default_device())
    with same_numbers(seed):
        model = Transformer(number_config("post", layers))
    added = []
    for layer in model.decoder.layers:
        layer.cross_attention.register_forward_hook(
            lambda *call: added.append(call[-1].values.var(dim=-1, correction=0))
        )
    model.to(batch.target.device, torch.float64).eval()(*batch.inputs)
    return torch.stack([variance.mean() for variance in added])


if __name__ == "__main__":
    torch.set_default_dtype(torch.float64)  # as the book computes
    torch.set_num_threads(1)
    MEASUREMENTS.write([measured(layers) for layers in OTHER_DEPTHS])
