"""Contradictions: fields of a configuration that do not go together.

Here stands what would be wrong without an error: a field that nothing reads, or one
that a part would read in another sense. What a layer refuses when it is built, such as
a head that cannot be rotated, is left to the layer.
"""

from collections.abc import Sequence
from typing import Any

from transformer.checks.values import check_divisible
from transformer.layers.mixture_of_experts import check_asked

Config = Any  # a `TransformerConfig`, which stands above this module

GIVEN = "a value"  # any but that of a field that is left out
# Positions that only attention with softmax knows.
IN_SOFTMAX = ("rotary", "relative", "relative_keys", "alibi")
# Positions that first tokens which stay in sight may have, counted in the cache.
STAYING = ("rotary", "sinusoidal", "learned", "none")
OF_EXPERTS = {"num_experts": GIVEN}
OF_SIGMOIDS = {"router": "sigmoid"}  # the other router has no such parts
OF_LATENT = {"d_latent": GIVEN}
# What a field, once it is not at its default, needs of others.
NEEDS: dict[str, dict[str, object]] = {
    # A branch of each of these is normalized before; parallel ones are several.
    "parallel_residual": {"norm_placement": "pre", "feed_forward": True},
    "norm_branches": {"norm_placement": "pre"},
    "gain_from_one": {"norm": "rms"},
    "scale_tied_logits": {"tie_embeddings": True},
    "num_segments": {"num_decoder_layers": 0},
    # A window is that of attention with softmax, in a model that continues a text.
    "window": {"num_encoder_layers": 0, "has_states": False},
    "sink_tokens": {"window": GIVEN},
    "local_rotary_base": {"window": GIVEN, "position": "rotary"},
    "gate_limit": {"gated": True},
    # Experts are gated networks of a decoder alone.
    "num_experts": {"gated": True, "feed_forward": True, "num_encoder_layers": 0},
    "d_expert": OF_EXPERTS,
    "dense_layers": OF_EXPERTS,
    "shared_experts": OF_EXPERTS | OF_SIGMOIDS,
    # Latent attention is that of a decoder alone, and turns features of their own.
    "d_latent": {
        "position": "rotary",
        "d_rotary": GIVEN,
        "num_encoder_layers": 0,
        "num_kv_heads": None,
        "window": None,
        "learned_sinks": False,
        "query_key_norm": False,
    },
    "query_latent": OF_LATENT,
    "d_rotary": OF_LATENT,
    "d_value": OF_LATENT,
    # An image is read by an encoder alone.
    "image_size": {"num_decoder_layers": 0, "num_segments": 0},
}
NEEDS_WITH_EXPERTS = dict.fromkeys(
    ("expert_groups", "groups_per_token", "normalize_shares", "expert_scale"),
    OF_SIGMOIDS,
)


def check_contradictions(config: Config) -> None:
    """Check the fields of a configuration against each other."""
    check_sizes(config)
    check_needs(config, NEEDS)
    check_mixers(config)
    if config.sink_tokens and config.position not in STAYING:
        raise ValueError(
            "sink tokens must have positions that can be counted in the cache, got "
            f"position={config.position!r}; choose one of {', '.join(STAYING)}."
        )
    if config.num_experts:
        check_needs(config, NEEDS_WITH_EXPERTS)
        check_asked(config.experts_per_token, config.num_experts)
    if config.image_size is not None:
        check_image(config)


def check_needs(config: Config, needs: dict[str, dict[str, object]]) -> None:
    """Check that the fields that are in use find what they need of others."""
    for name, others in needs.items():
        value = getattr(config, name)
        if value == type(config).__dataclass_fields__[name].default:
            continue
        for other, wanted in others.items():
            found = getattr(config, other)
            if found != wanted if wanted is not GIVEN else not found:
                must = wanted if wanted is GIVEN else repr(wanted)
                raise ValueError(
                    f"{name}={value!r} must come with {must} for {other}, got "
                    f"{found!r}; change one of them."
                )


def check_sizes(config: Config) -> None:
    """Check the sizes against each other."""
    if config.num_encoder_layers + config.num_decoder_layers == 0:
        raise ValueError(
            "a Transformer must have layers, got num_encoder_layers=0 and "
            "num_decoder_layers=0; set one of them."
        )
    if config.d_head is None:
        check_divisible("d_model", config.d_model, "num_heads", config.num_heads)
    check_divisible("num_heads", config.num_heads, "num_kv_heads", config.kv_heads)
    if config.pad_id is not None and config.pad_id >= config.vocab_size:
        raise ValueError(
            f"pad_id must be below vocab_size={config.vocab_size}, got "
            f"{config.pad_id}; pass the id that the tokenizer pads with."
        )


def check_mixers(config: Config) -> None:
    """Check that the mixers fit the layers, and what they have to know."""
    names, layers = config.mixers.split(), config.num_decoder_layers
    if layers == 0 and (names != ["softmax"] or not config.feed_forward):
        raise ValueError(
            "mixers and feed_forward are of the decoder, got mixers="
            f"{config.mixers!r} and feed_forward={config.feed_forward} without decoder "
            "layers; leave them out."
        )
    if layers % len(names):
        raise ValueError(
            "the layers of the decoder must take the mixers in whole turns, got "
            f"{len(names)} mixers and num_decoder_layers={layers}; name one for "
            "each layer, or for each of a turn."
        )
    if layers and "softmax" not in names and config.position in IN_SOFTMAX:
        raise ValueError(
            f"{config.position} positions act in attention with softmax, got mixers="
            f"{config.mixers!r}; choose position='none', or add a layer of softmax."
        )


def check_image(config: Config) -> None:
    """Check that an image falls into patches, and heads into turns of its axes."""
    for name, size in zip(("height", "width"), pair_of(config.image_size), strict=True):
        check_divisible(f"the {name}", size, "patch_size", config.patch_size)
    kept = (config.rotary_fraction, config.rotary_scaling) == (1.0, "none")
    if config.position == "rotary" and not (kept and config.head_size % 4 == 0):
        raise ValueError(
            "rows and columns must turn half of a whole head each, got d_head="
            f"{config.head_size}, rotary_fraction={config.rotary_fraction} and "
            f"rotary_scaling={config.rotary_scaling!r}; make d_head a multiple of 4, "
            "and leave the others out."
        )


def pair_of(size: int | Sequence[int]) -> tuple[int, int]:
    """Return height and width, where one number stands for both."""
    height, width = (size, size) if isinstance(size, int) else size
    return height, width
