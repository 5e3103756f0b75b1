"""Contradictions: fields of a configuration that do not go together."""

from collections.abc import Sequence
from typing import Any

from transformer.checks.values import (
    check_divisible,
    check_even,
    check_positive,
    check_size,
)
from transformer.layers.grouped_experts import check_groups
from transformer.layers.mixture_of_experts import check_asked
from transformer.layers.rotary_scaling import SCALINGS

Config = Any  # a `TransformerConfig`, which stands above this module

# Positions that only attention with softmax knows.
IN_SOFTMAX = ("rotary", "relative", "relative_keys", "alibi")
# Positions that first tokens which stay in sight may have, counted in the cache.
STAYING = ("rotary", "sinusoidal", "learned", "none")
# Scalings that must know the context length of the model they stretch.
STRETCHED = ("yarn", "yarn_unrounded", "llama3")
# What only a router of sigmoids knows, with what it is where it does not matter.
OF_SIGMOIDS = {"shared_experts": 0, "expert_groups": 1, "groups_per_token": 1}
OF_SIGMOIDS |= {"normalize_shares": True, "expert_scale": 1.0}


def check_contradictions(config: Config) -> None:
    """Check the fields of a configuration against each other."""
    check_sizes(config)
    check_latent(config)
    check_positions(config)
    check_choices(config)
    check_mixers(config)
    check_windows(config)
    check_experts(config)
    check_images(config)


def check_sizes(config: Config) -> None:
    """Check the sizes against each other."""
    if config.num_encoder_layers + config.num_decoder_layers == 0:
        raise ValueError(
            "a Transformer must have layers, got num_encoder_layers=0 and "
            "num_decoder_layers=0; set one of them."
        )
    if config.num_segments and config.num_decoder_layers:
        raise ValueError(
            "segments belong to encoder-only models, got num_segments="
            f"{config.num_segments} and num_decoder_layers={config.num_decoder_layers};"
            " set one of them to 0."
        )
    if config.d_head is None:
        check_divisible("d_model", config.d_model, "num_heads", config.num_heads)
    check_divisible("num_heads", config.num_heads, "num_kv_heads", config.kv_heads)
    if config.pad_id is not None and config.pad_id >= config.vocab_size:
        raise ValueError(
            f"pad_id must be below vocab_size={config.vocab_size}, got "
            f"{config.pad_id}; pass the id that the tokenizer pads with."
        )


def check_positions(config: Config) -> None:
    """Check the fields that the kind of positions needs."""
    if config.position == "sinusoidal":
        check_even("d_model", config.d_model)
    if config.position == "relative" and (
        config.relative_buckets < 4
        or config.relative_buckets % 2
        or config.relative_max_distance <= config.relative_buckets // 2
    ):
        raise ValueError(
            "relative positions must have an even number of buckets, at least 4, "
            "and more distances than half of them, got relative_buckets="
            f"{config.relative_buckets} and relative_max_distance="
            f"{config.relative_max_distance}; T5 has 32 and 128."
        )
    if config.position == "rotary":
        check_rotary(config)


def check_rotary(config: Config) -> None:
    """Check the fields that the rotation of queries and keys needs."""
    check_positive("rotary_base", config.rotary_base, above=1.0)
    head = config.d_rotary or config.head_size  # of latent attention, or of any other
    rotated = round(min(config.rotary_fraction, 2.0) * head)
    if config.rotary_fraction > 1 or rotated < 2 or rotated % 2:
        raise ValueError(
            "the rotated part of a head must be an even number of features, at "
            f"least 2 and at most d_head={head}, got rotary_fraction="
            f"{config.rotary_fraction}, which gives {rotated}; change d_model, "
            "d_head or rotary_fraction."
        )
    if config.rotary_scaling.startswith("yarn") and rotated < 4:
        raise ValueError(
            "YaRN must have at least 4 rotated features to compare, got "
            f"{rotated}; widen the heads or choose another rotary_scaling."
        )
    if config.rotary_factor < 1:
        raise ValueError(
            "rotary_factor must be at least 1, by which the context is stretched, "
            f"got {config.rotary_factor}; pass new length / old length."
        )
    if config.rotary_scaling == "none" and config.rotary_factor != 1:
        raise ValueError(
            "a factor needs a way of scaling, got rotary_factor="
            f"{config.rotary_factor} and rotary_scaling='none'; choose one of "
            f"{', '.join([*SCALINGS][1:])}."
        )
    if config.rotary_scaling in STRETCHED and config.rotary_original_len is None:
        raise ValueError(
            f"rotary_scaling={config.rotary_scaling!r} must know the length that "
            "the model was trained with, got rotary_original_len=None; set it."
        )


def check_choices(config: Config) -> None:
    """Check the choices against each other."""
    if config.parallel_residual and config.norm_placement == "post":
        raise ValueError(
            "parallel residual branches must be normalized before, got "
            "parallel_residual=True and norm_placement='post'; set it to 'pre'."
        )
    if config.norm_branches and config.norm_placement == "post":
        raise ValueError(
            "branches that are normalized after must be so before, got "
            "norm_branches=True and norm_placement='post'; set it to 'pre'."
        )
    if config.gain_from_one and config.norm != "rms":
        raise ValueError(
            "a gain that counts from one is that of an RMS norm, got "
            f"gain_from_one=True and norm={config.norm!r}; set it to 'rms'."
        )
    if config.scale_tied_logits and not config.tie_embeddings:
        raise ValueError(
            "only tied logits are scaled, got scale_tied_logits=True and "
            "tie_embeddings=False; change one of them."
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
    if "mamba2" in names:
        check_divisible(
            "num_heads", config.num_heads, "state_groups", config.state_groups
        )
        check_size("convolution_size", config.convolution_size, minimum=2)
    if config.parallel_residual and not config.feed_forward:
        raise ValueError(
            "parallel branches must be several, got parallel_residual=True and "
            "feed_forward=False; change one of them."
        )


def check_windows(config: Config) -> None:
    """Check what belongs to a window, and that a decoder alone has one."""
    if config.window is not None and config.num_encoder_layers:
        raise ValueError(
            "a window belongs to a model that continues a text, got window="
            f"{config.window} and num_encoder_layers={config.num_encoder_layers}; "
            "leave the window out, or set the encoder layers to 0."
        )
    if config.window is not None and config.has_states:
        raise ValueError(
            "a window must be that of attention with softmax, got window="
            f"{config.window} and mixers={config.mixers!r}; leave one of them out."
        )
    for name in ("sink_tokens", "local_rotary_base"):
        if getattr(config, name) and config.window is None:
            raise ValueError(
                f"{name} must come with a window, got {getattr(config, name)} and "
                "window=None; set one, or leave it out."
            )
    if config.local_rotary_base is not None and config.position != "rotary":
        raise ValueError(
            "local_rotary_base must come with rotary positions, got "
            f"position={config.position!r}; leave it out."
        )
    if config.sink_tokens and config.position not in STAYING:
        raise ValueError(
            "sink tokens must have positions that can be counted in the cache, got "
            f"position={config.position!r}; choose one of {', '.join(STAYING)}."
        )


def check_latent(config: Config) -> None:
    """Check that latent attention knows its sizes, and meets nothing that it cannot."""
    sizes = ("query_latent", "d_rotary", "d_value")
    if config.d_latent is None:
        for name in sizes:
            if getattr(config, name) is not None:
                raise ValueError(
                    f"{name} is a size of latent attention, got {getattr(config, name)}"
                    " and d_latent=None; set both, or leave it out."
                )
        return
    if config.position != "rotary" or config.d_rotary is None:
        raise ValueError(
            "latent attention must have rotary positions and features that turn, got "
            f"position={config.position!r} and d_rotary={config.d_rotary}; set "
            "position='rotary' and d_rotary."
        )
    others = {"num_encoder_layers": 0, "num_kv_heads": None, "window": None}
    others |= {"learned_sinks": False, "query_key_norm": False}
    for name, wanted in others.items():
        if getattr(config, name) != wanted:
            raise ValueError(
                f"latent attention, of a decoder alone, must have {name}={wanted}, got "
                f"{getattr(config, name)} and d_latent={config.d_latent}; leave one of "
                "them out."
            )


def check_experts(config: Config) -> None:
    """Check that experts have a layer to stand in, and a router that can choose."""
    if config.gate_limit is not None and not config.gated:
        raise ValueError(
            f"gate_limit must come with gates, got {config.gate_limit} and gated=False;"
            " set it to True, or leave the limit out."
        )
    if not config.num_experts:
        for name in ("d_expert", "dense_layers", "shared_experts"):
            if getattr(config, name):
                raise ValueError(
                    f"{name} must come with experts, got {getattr(config, name)} and "
                    "num_experts=0; set it, or leave the other out."
                )
        return
    wanted = {"gated": True, "feed_forward": True, "num_encoder_layers": 0}
    for name, value in wanted.items():
        if getattr(config, name) != value:
            raise ValueError(
                f"experts, gated networks of a decoder alone, must have {name}={value},"
                f" got {getattr(config, name)} and num_experts={config.num_experts}; "
                "change one of them."
            )
    if config.router == "softmax":
        for name, value in OF_SIGMOIDS.items():
            if getattr(config, name) != value:
                raise ValueError(
                    f"{name} must come with router='sigmoid', got "
                    f"{getattr(config, name)} and router='softmax'; change one of them."
                )
        check_asked(config.experts_per_token, config.num_experts)
    else:
        check_groups(
            config.num_experts,
            config.experts_per_token,
            config.expert_groups,
            config.groups_per_token,
        )


def check_images(config: Config) -> None:
    """Check that an image falls into patches, and that an encoder reads it."""
    if config.image_size is None:
        return
    for name, size in zip(("height", "width"), pair_of(config.image_size), strict=True):
        check_divisible(f"the {name}", size, "patch_size", config.patch_size)
    for name in ("num_decoder_layers", "num_segments"):
        if getattr(config, name):
            raise ValueError(
                f"an image is read by an encoder alone, got image_size="
                f"{config.image_size} and {name}={getattr(config, name)}; set {name} "
                "to 0."
            )
    if config.position == "rotary":
        check_turns_of_the_grid(config)


def check_turns_of_the_grid(config: Config) -> None:
    """Check that rows and columns can turn half of the pairs of a head each."""
    kept = (config.rotary_fraction, config.rotary_scaling) == (1.0, "none")
    if not kept or config.head_size % 4:
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
