"""The parameter budget: how many parameters a configuration asks for, and where."""

from dataclasses import dataclass, fields

from transformer.checks.values import check_choice
from transformer.config import TransformerConfig

# Vectors of d_model numbers in a norm: a gain, and for the layer norm a shift.
NORM_VECTORS = {"layer": 2, "rms": 1}


@dataclass(frozen=True, kw_only=True)
class Parts:
    """Whole numbers, one for each part of a model; a subclass names the parts."""

    @property
    def parts(self) -> dict[str, int]:
        """The parts by name, in the order in which they are declared."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @property
    def total(self) -> int:
        """The sum of all parts."""
        return sum(self.parts.values())


@dataclass(frozen=True, kw_only=True)
class ParameterBudget(Parts):
    """The number of parameters of a model, by part; shared ones are counted once.

    Args:
        embedding: Of tokens and segments.
        positions: Tables of positions or distances, wherever they stand.
        encoder_attention: Of self-attention in the encoder.
        decoder_attention: Of self-attention in the decoder.
        cross_attention: Of attention from the decoder to the memory.
        encoder_feed_forward: Of the feed-forward networks of the encoder.
        decoder_feed_forward: Of the feed-forward networks of the decoder.
        norms: Gains and shifts of all norms of the input and of the stacks.
        head: What reads the result, without a matrix shared with the embedding.
    """

    embedding: int
    positions: int
    encoder_attention: int
    decoder_attention: int
    cross_attention: int
    encoder_feed_forward: int
    decoder_feed_forward: int
    norms: int
    head: int


def parameter_budget(
    config: TransformerConfig, *, head: str | None = "masked_language_model"
) -> ParameterBudget:
    r"""Count the parameters of a model from its configuration, without building it.

    With $N_e$ encoder and $N_d$ decoder layers, attention of $A$ parameters,
    feed-forward networks of $F$ and norms of $n$, the total is

    $$(N_e + N_d)(A + F) + N_d\, A\, [N_e > 0] + n\,K + (V + S)\,d_{\mathrm{model}}
    + \text{positions} + \text{head}$$

    where $K$ counts the norms, for a vocabulary of $V$ tokens and $S$ segments. Which
    model it is follows from the numbers of layers: an encoder-decoder, an encoder or a
    decoder.

    Source: sizes as in Vaswani et al. (2017), sections 3.2 to 3.4.

    Args:
        config: Sizes and choices.
        head: That of an encoder-only model, as in `EncoderOnlyTransformer`; the other
            models have one kind of head, whatever is asked for.
    """
    check_counted(config)
    check_choice("head", head, HEADS)
    encoder, decoder = config.num_encoder_layers, config.num_decoder_layers
    attention, feed_forward = count_attention(config), count_feed_forward(config)
    sinks = config.num_heads if config.learned_sinks else 0
    return ParameterBudget(
        embedding=(config.vocab_size + config.num_segments) * config.d_model,
        positions=count_positions(config),
        encoder_attention=encoder * (attention + sinks),
        decoder_attention=decoder * (attention + sinks),
        cross_attention=decoder * attention if encoder else 0,
        encoder_feed_forward=encoder * feed_forward,
        decoder_feed_forward=decoder * feed_forward,
        norms=count_norms(config),
        head=count_vocabulary_scores(config) if decoder else HEADS[head](config),
    )


def count_linear(reads: int, writes: int, *, bias: bool) -> int:
    """Return the number of parameters of a linear map."""
    return reads * writes + (writes if bias else 0)


def count_attention(config: TransformerConfig) -> int:
    r"""Return the parameters of the four projections of one attention.

    $$A = 2\, d_{\mathrm{model}}\, (h + h_{\mathrm{kv}})\, d_{\mathrm{head}}$$

    and, with biases, one more for each feature that is written.
    """
    d_model, bias = config.d_model, config.attention_bias
    queries = config.num_heads * config.head_size
    keys = config.kv_heads * config.head_size
    return (
        count_linear(d_model, queries, bias=bias)
        + 2 * count_linear(d_model, keys, bias=bias)
        + count_linear(queries, d_model, bias=bias)
    )


def count_feed_forward(config: TransformerConfig) -> int:
    r"""Return the parameters of one feed-forward network.

    $$F = 2\, d_{\mathrm{model}}\, d_{\mathrm{ff}} + d_{\mathrm{ff}}
    + d_{\mathrm{model}}$$

    with biases; a gate adds a third matrix.
    """
    ups = 2 if config.gated else 1
    up = count_linear(config.d_model, config.d_ff, bias=config.bias)
    return ups * up + count_linear(config.d_ff, config.d_model, bias=config.bias)


def count_norm(config: TransformerConfig) -> int:
    """Return the parameters of one norm."""
    return NORM_VECTORS[config.norm] * config.d_model


def count_norms(config: TransformerConfig) -> int:
    """Return the parameters of all norms: one for each residual branch, and others."""
    encoder, decoder = config.num_encoder_layers, config.num_decoder_layers
    number = 2 * encoder + (3 if encoder else 2) * decoder
    if config.norm_branches:
        number *= 2
    if config.final_norm:
        number += (encoder > 0) + (decoder > 0)
    if config.norm_embeddings:
        number += 1
    heads = 0
    if config.query_key_norm:  # one gain for all queries of a layer, one for all keys
        heads = 2 * (encoder + decoder) * NORM_VECTORS[config.norm] * config.head_size
    return number * count_norm(config) + heads


def count_positions(config: TransformerConfig) -> int:
    """Return the parameters that tell positions; most kinds have none."""
    encoder, decoder = config.num_encoder_layers, config.num_decoder_layers
    stacks = (encoder > 0) + (decoder > 0)
    if config.position == "learned":
        return config.max_len * config.d_model
    if config.position == "relative":  # one table for each stack
        return stacks * config.relative_buckets * config.num_heads
    if config.position == "relative_keys":  # one table for each self-attention
        distances = 2 * config.relative_max_distance + 1
        return (encoder + decoder) * distances * config.head_size
    return 0


def count_vocabulary_scores(config: TransformerConfig) -> int:
    """Return the parameters of the scores that the embedding does not hold already."""
    matrix = 0 if config.tie_embeddings else config.vocab_size * config.d_model
    return matrix + (config.vocab_size if config.logits_bias else 0)


def count_square(config: TransformerConfig) -> int:
    """Return the parameters of a linear map that keeps the number of features."""
    return count_linear(config.d_model, config.d_model, bias=True)


# Of a model without a decoder; any other model scores the vocabulary.
HEADS = {
    "masked_language_model": lambda config: (
        count_square(config) + count_norm(config) + count_vocabulary_scores(config)
    ),
    "pooler": count_square,
    None: lambda config: 0,
}


def check_counted(config: TransformerConfig) -> None:
    """Check that a configuration is one of which the costs are known."""
    if config.image_size is not None:
        raise ValueError(
            "costs are counted of models of texts, got image_size="
            f"{config.image_size}; count the parameters of the model by "
            "count_parameters."
        )
    if config.has_states or not config.feed_forward:
        raise ValueError(
            "costs are counted of layers with attention by softmax and a network, got "
            f"mixers={config.mixers!r} and feed_forward={config.feed_forward}; count "
            "the parameters of the model by count_parameters."
        )
    if config.num_experts or config.d_latent is not None:
        raise ValueError(
            "costs are counted of layers without experts and latent vectors, got "
            f"num_experts={config.num_experts} and d_latent={config.d_latent}; count "
            "the parameters of the model by count_parameters."
        )
