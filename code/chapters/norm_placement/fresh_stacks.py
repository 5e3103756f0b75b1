"""A signal through fresh stacks: the stream and its gradients before training."""

from collections.abc import Sequence
from typing import NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from chapters.laboratory.fit import same_numbers
from transformer.blocks import Encoder
from transformer.config import TransformerConfig

CLASSES = 31  # of the random labels behind a stack


class Signal(NamedTuple):
    """The residual stream before the first and after each layer, and gradients."""

    stream: Float[Tensor, "depths batch time d_model"]
    gradients: Float[Tensor, " layers"]

    def variances(self) -> Float[Tensor, " depths"]:
        """Return the variance over the features, the mean over tokens."""
        return self.stream.var(dim=-1, correction=0).mean(dim=(1, 2))

    def cosines(self) -> Float[Tensor, " depths"]:
        """Return the cosine with the input, the mean over tokens."""
        return F.cosine_similarity(self.stream, self.stream[:1], dim=-1).mean((1, 2))

    def likeness(self) -> Float[Tensor, " depths"]:
        """Return the cosine between two tokens of one sequence, the mean over pairs."""
        unit = F.normalize(self.stream, dim=-1)
        time = unit.size(2)
        every_pair = unit.sum(dim=2).square().sum(dim=-1)  # and each with itself
        return ((every_pair - time) / (time * (time - 1))).mean(dim=1)


def fresh_stack(placement: str, *, layers: int, d_model: int) -> Encoder:
    """Return an untrained encoder; placement "none" takes every norm away."""
    config = TransformerConfig(
        vocab_size=1,
        num_encoder_layers=layers,
        num_decoder_layers=0,
        d_model=d_model,
        d_ff=4 * d_model,
        num_heads=4,
        position="none",
        norm_placement="post" if placement == "post" else "pre",
        final_norm=placement == "pre",
    )
    encoder = Encoder(config)
    if placement == "none":
        for layer in encoder.layers:
            layer.self_attention_residual.norm = nn.Identity()
            layer.feed_forward_residual.norm = nn.Identity()
    return encoder


def send_signal(
    placement: str,
    *,
    layers: int,
    seed: int,
    d_model: int = 64,
    batch: int = 2,
    time: int = 16,
    deviation: float | None = None,
) -> Signal:
    """Send random vectors through a fresh encoder, and a gradient back.

    The loss is the cross-entropy of random labels under a random linear output; a
    pre-norm stack has its final norm before it.

    Args:
        placement: "pre", "post", or "none" for a stack without norms.
        layers: Number of encoder layers.
        seed: Seed of the parameters, the vectors and the labels.
        d_model: Number of features.
        batch: Number of sequences.
        time: Vectors in a sequence.
        deviation: Of the normal numbers from which every matrix starts; without one
            they start as the package has it.

    Returns:
        The stream at each depth, and the norm of the gradient of each layer's second
        feed-forward matrix.
    """
    device = torch.get_default_device()
    with same_numbers(seed):
        encoder = fresh_stack(placement, layers=layers, d_model=d_model).to(device)
        x = torch.randn(batch, time, d_model).to(device)
        output = torch.randn(d_model, CLASSES).to(device) / d_model**0.5
        labels = torch.randint(CLASSES, (batch * time,)).to(device)
        if deviation is not None:
            for part in encoder.modules():
                if isinstance(part, nn.Linear):
                    nn.init.normal_(part.weight, std=deviation)
    stream = [x]
    for layer in encoder.layers:
        stream.append(layer(stream[-1]))
    scores = encoder.norm(stream[-1]) @ output  # (batch, time, classes)
    F.cross_entropy(scores.flatten(end_dim=1), labels).backward()
    matrices = [layer.feed_forward.down_projection.weight for layer in encoder.layers]
    gradients = torch.stack([matrix.grad.norm() for matrix in matrices])
    return Signal(torch.stack(stream).detach(), gradients)


def ends_of(runs: Sequence[Signal]) -> list[Tensor]:
    """Return variance, cosine and likeness behind the last layer, means over runs."""
    found = [(run.variances(), run.cosines(), run.likeness()) for run in runs]
    return [torch.stack(kind).mean(dim=0)[-1] for kind in zip(*found, strict=True)]
