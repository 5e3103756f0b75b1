"""What a model costs in memory: bytes of a training step, and of a cache."""

from dataclasses import dataclass

import torch

from transformer.checks.tensors import check_float_dtype
from transformer.checks.values import check_size
from transformer.config import TransformerConfig
from transformer.costs.budget import Parts, check_counted, parameter_budget
from transformer.costs.operations import check_decoder, check_length, count_in_sight

# Activations whose gradient needs their input; that of the others is told by the
# output, which the next product keeps.
KEEP_INPUT = ("gelu", "gelu_tanh", "silu", "squared_relu")
# Numbers that a norm keeps beside its input, for each position: vectors of d_model,
# and single ones.
NORM_KEEPS = {"layer": (0, 2), "rms": (1, 1)}


@dataclass(frozen=True, kw_only=True)
class TrainingBytes(Parts):
    """The bytes of a training step at its peak, by part.

    Args:
        parameters: All parameters.
        gradients: One number for each parameter.
        moments: The two running means of Adam, two numbers for each parameter.
        activations: What the layers keep for the backward pass.
        passing: What is there for a moment: gradients of activations and of logits.
    """

    parameters: int
    gradients: int
    moments: int
    activations: int
    passing: int


def training_bytes(
    config: TransformerConfig,
    *,
    batch: int = 1,
    source: int | None = None,
    target: int | None = None,
    fused: bool = True,
    dtype: torch.dtype = torch.float32,
) -> TrainingBytes:
    r"""Count the bytes of a training step with Adam and cross-entropy.

    $$s\,(4P + N A + E + T)$$

    for $P$ parameters, numbers of $s$ bytes, $N$ layers that keep $A$ numbers each, $E$
    that are kept before and after the layers, and $T$ that pass. With $b$ sequences of
    $n$ positions, a layer norm, ReLU and $d_{\mathrm{ff}} = 4 d$

    $$A_{\mathrm{fused}} = b\,\big(12\,n\,d + h\,n + 4\,n\big), \qquad
    A_{\mathrm{formula}} = b\,\big(12\,n\,d + h\,n^2 + 4\,n\big)$$

    by a fused kernel of attention, which hides the future without a mask, and by its
    formula. $T$ is the greatest of three: $3\,b\,n\,V$ where the loss of $V$ tokens is
    computed, the gradients within a layer, and those of the embedding at the end.

    Gradients of an earlier batch are there: where they are not, they come while the
    activations go, and the peak is lower. Masks of padding, of windows and of dropout,
    biases of positions and norms inside the branches come on top. The tests hold the
    sum against the peak that PyTorch measures: they are within 10 %.

    Source: ours, after Korthikanti et al. (2023), section 4.1, who count half-precision
    layers with dropout, and Rajbhandari et al. (2020), section 3.1.

    Args:
        config: Sizes and choices.
        batch: Number of sequences.
        source: Length of the encoder's input; with encoder layers only.
        target: Length of the decoder's input; with decoder layers only.
        fused: Whether a fused kernel computes attention; if not, the formula. With a
            learned bias of positions PyTorch has no fused kernel on a CPU.
        dtype: Type of all numbers.

    Raises:
        ValueError: If a length is missing, not wanted or below 1.
    """
    check_counted(config)
    check_size("batch", batch)
    check_length("source", source, config.num_encoder_layers)
    check_length("target", target, config.num_decoder_layers)
    check_float_dtype("dtype", dtype)
    parameters = parameter_budget(config).total * dtype.itemsize
    kept = keep_stacks(config, batch, source or 0, target or 0, fused)
    passing = pass_by(config, batch, source or 0, target or 0, fused, kept)
    return TrainingBytes(
        parameters=parameters,
        gradients=parameters,
        moments=2 * parameters,
        activations=kept * dtype.itemsize,
        passing=passing * dtype.itemsize,
    )


def cache_bytes(
    config: TransformerConfig,
    *,
    batch: int = 1,
    max_len: int | None = None,
    source: int | None = None,
    dtype: torch.dtype = torch.float32,
) -> int:
    r"""Count the bytes of the keys and values that decoding holds.

    $$2\, N\, b\, (n + m)\, h_{\mathrm{kv}}\, d_{\mathrm{head}}\, s$$

    for $N$ layers, $b$ sequences, room for $n$ positions, a memory of $m$, and numbers
    of $s$ bytes. A layer with a window holds it and the first tokens that stay in sight
    in the place of $n$ positions, if they are fewer.

    Source: Shazeer (2019), section 2.4; grouped heads: Ainslie et al. (2023); windows:
    Jiang et al. (2023, "Mistral 7B"), section 2.

    Args:
        config: Sizes, with decoder layers.
        batch: Number of sequences.
        max_len: Room for positions; that of the configuration when not given.
        source: Length of the memory; with encoder layers only.
        dtype: Type of the numbers.

    Raises:
        ValueError: If there are no decoder layers, or a length does not fit.
    """
    check_decoder(config, batch, source)
    check_float_dtype("dtype", dtype)
    max_len = config.max_len if max_len is None else max_len
    check_size("max_len", max_len)
    layers = config.num_decoder_layers
    held = sum(count_in_sight(config, layer, max_len) for layer in range(layers))
    positions = batch * (held + layers * (source or 0))
    features = config.kv_heads * config.head_size
    return 2 * positions * features * dtype.itemsize


def keep_stacks(
    config: TransformerConfig, batch: int, source: int, target: int, fused: bool
) -> int:
    """Count the numbers that the layers keep, and what stands before and after them."""
    read, write = config.num_encoder_layers, config.num_decoder_layers
    kept = keep_stack(config, batch, read, source, fused)
    kept += keep_stack(config, batch, write, target, fused)
    if not write:  # a transformation stands before the scores of the vocabulary
        inputs = config.d_model * (1 + (config.activation in KEEP_INPUT))
        return kept + batch * source * (inputs + keep_norm(config))
    crossing = keep_attention(config, batch, target, source, fused) if read else 0
    return kept + write * crossing


def keep_stack(
    config: TransformerConfig,
    batch: int,
    layers: int,
    time: int,
    fused: bool,
) -> int:
    """Count what an encoder or a decoder keeps, without its look at a memory."""
    if not layers:
        return 0
    own = keep_attention(config, batch, time, time, fused)
    ends = config.d_model + config.norm_embeddings * keep_norm(config)
    ends += config.final_norm * keep_norm(config)
    return layers * own + batch * time * (layers * keep_feed_forward(config) + ends)


def keep_attention(
    config: TransformerConfig,
    batch: int,
    asking: int,
    seen: int,
    fused: bool,
) -> int:
    """Count what a branch of attention keeps, with the input and the norm of it."""
    queries = config.num_heads * config.head_size
    keys = config.kv_heads * config.head_size if fused else queries  # or copied
    vectors = asking * (2 * queries + config.d_model + keep_norm(config))
    vectors += 2 * seen * keys
    if not fused:
        return batch * (vectors + config.num_heads * asking * seen)
    return batch * (vectors + config.num_heads * asking)


def keep_feed_forward(config: TransformerConfig) -> int:
    """Count what a network keeps of a position, with the input and the norm of it."""
    hidden = 1 + (config.activation in KEEP_INPUT) + 2 * config.gated
    # Side by side with attention, both have one input, which is counted there.
    inputs = 0 if config.parallel_residual else config.d_model
    return inputs + keep_norm(config) + hidden * config.d_ff


def keep_norm(config: TransformerConfig) -> int:
    """Count what a norm keeps of a position: its input, and by what it divides."""
    vectors, numbers = NORM_KEEPS[config.norm]
    return (1 + vectors) * config.d_model + numbers


def pass_by(
    config: TransformerConfig,
    batch: int,
    source: int,
    target: int,
    fused: bool,
    kept: int,
) -> int:
    """Count what is there for a moment beside all else, at the worst of three."""
    last = target or source  # the length of what is scored
    table = config.vocab_size * config.d_model
    loss = 3 * batch * last * config.vocab_size  # log-probabilities, two gradients
    layer = pass_by_layer(config, batch, last, max(source, target), fused)
    if source and target:  # the decoder has been passed when the encoder is reached
        read = keep_stack(config, batch, config.num_encoder_layers, source, fused)
        encoder = pass_by_layer(config, batch, source, source, fused)
        layer = max(layer, encoder - (kept - read))
    if config.tie_embeddings:  # the gradient of the scores waits for that of the input
        return max(loss, layer + table, 3 * table - kept)
    return max(loss, layer, table - kept)


def pass_by_layer(
    config: TransformerConfig, batch: int, asking: int, seen: int, fused: bool
) -> int:
    """Count the gradients within a layer: of what is hidden, or of the scores."""
    hidden = 2 * batch * asking * config.d_ff
    if fused:
        return hidden
    scores = 2 * batch * config.num_heads * asking * seen
    # The network has been passed when attention is reached.
    return max(hidden, scores - batch * asking * keep_feed_forward(config))
