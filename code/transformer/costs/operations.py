"""What a model costs in arithmetic: the operations of its matrix products."""

from dataclasses import dataclass

from transformer.checks.values import check_choice, check_size
from transformer.config import TransformerConfig
from transformer.costs.budget import Parts, check_counted

# Heads of an encoder-only model: square matrices and logits at each position, and
# square matrices at the first one.
ENCODER_HEADS = {
    "masked_language_model": (1, 1, 0),
    "pooler": (0, 0, 1),
    None: (0, 0, 0),
}


@dataclass(frozen=True, kw_only=True)
class Flops(Parts):
    """The floating-point operations of matrix products, by part of a model.

    Args:
        projections: Queries, keys, values and outputs of self-attention.
        scores: Queries that meet keys, and weights that mix values.
        cross_attention: All of attention to the memory.
        feed_forward: The feed-forward networks.
        head: What reads the result.
    """

    projections: int = 0
    scores: int = 0
    cross_attention: int = 0
    feed_forward: int = 0
    head: int = 0


def forward_flops(
    config: TransformerConfig,
    *,
    batch: int = 1,
    source: int | None = None,
    target: int | None = None,
    head: str | None = "masked_language_model",
) -> Flops:
    r"""Count the operations of a forward pass, two for each multiply-and-add.

    $$\mathrm{FLOPs}(A, B) = 2\,m\,k\,n, \qquad A \in \mathbb{R}^{m \times k}, \quad
    B \in \mathbb{R}^{k \times n}$$

    summed over all matrix products. Norms, activations, softmax, biases, sums and
    look-ups are left out. A causal mask or a window saves nothing: the products are
    counted in full, as the written-out formula computes them.

    Source: Kaplan et al. (2020), section 2.1, who leave the embeddings out.

    Args:
        config: Sizes and choices.
        batch: Number of sequences.
        source: Length of the encoder's input; with encoder layers only.
        target: Length of the decoder's input; with decoder layers only.
        head: That of an encoder-only model, as in `EncoderOnlyTransformer`; the other
            models have one kind of head, whatever is asked for.

    Raises:
        ValueError: If a length is missing, not wanted or below 1, or the head is not
            known.
    """
    check_counted(config)
    check_size("batch", batch)
    check_choice("head", head, ENCODER_HEADS)
    check_length("source", source, config.num_encoder_layers)
    check_length("target", target, config.num_decoder_layers)
    encoder, decoder = batch * (source or 0), batch * (target or 0)  # positions
    read, write = config.num_encoder_layers, config.num_decoder_layers
    return Flops(
        projections=read * count_projections(config, encoder, encoder)
        + write * count_projections(config, decoder, decoder),
        scores=read * count_scores(config, encoder, source or 0, own=True)
        + write * count_scores(config, decoder, target or 0, own=True),
        cross_attention=write * count_projections(config, decoder, encoder)
        + write * count_scores(config, decoder, source or 0)
        if read
        else 0,
        feed_forward=read * count_feed_forward(config, encoder)
        + write * count_feed_forward(config, decoder),
        head=count_logits(config, decoder)
        if write
        else count_encoder_head(config, encoder, batch, head),
    )


def training_flops(config: TransformerConfig, **sizes: object) -> Flops:
    r"""Count the operations of a forward and a backward pass.

    The way back through $Y = XW$ has two products, $\bar X = \bar Y W^\top$ and
    $\bar W = X^\top \bar Y$, each as large as the one on the way forth. A fused kernel
    of attention computes the scores once more; that is not counted.

    Source: Kaplan et al. (2020), section 2.1.

    Args:
        config: Sizes and choices.
        **sizes: Those of `forward_flops`.
    """
    once = forward_flops(config, **sizes)
    return Flops(**{name: 3 * part for name, part in once.parts.items()})


def step_flops(
    config: TransformerConfig, *, held: int, batch: int = 1, source: int | None = None
) -> Flops:
    """Count the operations of a decoding step with a cache: one new token a row.

    The keys and values of earlier tokens and of the memory are in the cache. A layer
    with a window meets what this shows.

    Args:
        config: Sizes and choices, with decoder layers.
        held: Number of earlier tokens, which the cache holds.
        batch: Number of sequences.
        source: Length of the memory; with encoder layers only.

    Raises:
        ValueError: If there are no decoder layers, or a length does not fit.
    """
    check_decoder(config, batch, source)
    check_size("held", held, minimum=0)
    layers = config.num_decoder_layers
    crossing = count_projections(config, batch, 0)
    crossing += count_scores(config, batch, source or 0)
    return Flops(
        projections=layers * count_projections(config, batch, batch),
        scores=sum(
            count_scores(
                config, batch, count_in_sight(config, layer, held + 1), own=True
            )
            for layer in range(layers)
        ),
        cross_attention=layers * crossing if source else 0,
        feed_forward=layers * count_feed_forward(config, batch),
        head=count_logits(config, batch),
    )


def count_projections(config: TransformerConfig, asking: int, answering: int) -> int:
    """Count the projections of `asking` queries and `answering` keys."""
    queries = asking * config.num_heads * config.head_size
    keys = answering * config.kv_heads * config.head_size
    return 4 * config.d_model * (queries + keys)


def count_scores(
    config: TransformerConfig, asking: int, seen: int, *, own: bool = False
) -> int:
    """Count scores and mixing for `asking` queries over `seen` keys each."""
    vectors = 2 * seen
    if own and config.position == "relative_keys":
        vectors += 2 * config.relative_max_distance + 1
    return 2 * asking * config.num_heads * config.head_size * vectors


def count_in_sight(config: TransformerConfig, layer: int, positions: int) -> int:
    """Count the positions that the last of some sees in a layer of the decoder."""
    window = config.window_of(layer)
    if window is None:
        return positions
    return min(positions, window + config.sink_tokens)


def count_feed_forward(config: TransformerConfig, positions: int) -> int:
    """Count two matrices, or three with a gate."""
    return 2 * positions * (3 if config.gated else 2) * config.d_model * config.d_ff


def count_logits(config: TransformerConfig, positions: int) -> int:
    """Count the scores of the vocabulary."""
    return 2 * positions * config.d_model * config.vocab_size


def count_encoder_head(
    config: TransformerConfig, positions: int, batch: int, head: str | None
) -> int:
    """Count the head of an encoder-only model."""
    squares, logits, once = ENCODER_HEADS[head]
    square = 2 * config.d_model**2 * (squares * positions + once * batch)
    return square + logits * count_logits(config, positions)


def check_length(name: str, length: object, layers: int) -> None:
    """Check that a length is given exactly if there is a stack that reads it."""
    if layers and length is not None:
        check_size(name, length)
    elif layers or length is not None:
        stack = {"source": "encoder", "target": "decoder"}[name]
        raise ValueError(
            f"{name} must be given if there are {stack} layers, and only then, got "
            f"{name}={length} and num_{stack}_layers={layers}; "
            f"{'pass a length' if layers else 'leave it out'}."
        )


def check_decoder(config: object, batch: object, source: object) -> None:
    """Check that there is a decoder, and that the sizes fit it."""
    check_counted(config)
    if config.num_decoder_layers == 0:
        raise ValueError(
            "decoding must have decoder layers, got num_decoder_layers=0; take a model "
            "that writes."
        )
    check_size("batch", batch)
    check_length("source", source, config.num_encoder_layers)
