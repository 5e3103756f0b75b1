"""The configuration: all that tells one Transformer from another."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from types import NoneType
from typing import Any, get_args

from transformer.checks.values import (
    check_choice,
    check_dropout,
    check_flag,
    check_positive,
    check_size,
)
from transformer.contradictions import check_contradictions, pair_of
from transformer.layers.activations import ACTIVATIONS
from transformer.layers.initialization import INITIALIZATIONS
from transformer.layers.norms import NORMS
from transformer.layers.rotary_scaling import SCALINGS
from transformer.layers.rotation import PARTNERS

# What can be chosen, by field. Most names are those of a dictionary of the layers; for
# positions `blocks/inputs.py` and `blocks/parts.py` tell where each of them acts.
CHOICES = {
    "position": (
        "sinusoidal",
        "learned",
        "rotary",
        "relative",
        "relative_keys",
        "alibi",
        "none",
    ),
    "norm": tuple(NORMS),
    "norm_placement": ("post", "pre"),
    "activation": tuple(ACTIVATIONS),
    "rotary_layout": tuple(PARTNERS),
    "rotary_scaling": tuple(SCALINGS),
    "router": ("softmax", "sigmoid"),
    "initialization": tuple(INITIALIZATIONS),
}
# What mixes positions in a layer of the decoder; `blocks/parts.py` builds them.
MIXERS = ("softmax", "linear", "retention", "gated", "delta", "gated_delta", "mamba2")
# What a layer is without experts, and a rotation that was not slowed down.
NO_EXPERTS = {"num_experts": 0, "d_expert": None, "shared_experts": 0}
UNSTRETCHED = {"rotary_scaling": "none", "rotary_factor": 1.0, "rotary_magnitude": None}


@dataclass(frozen=True, kw_only=True, repr=False)
class TransformerConfig:
    """Describe a Transformer; each default is the base model of 2017.

    Source: Vaswani et al. (2017), Table 3, row "base", and sections 3.1 to 3.5.

    `max_len` bounds a text only where positions stand in a table, learned or
    sinusoidal. With rotary and other computed positions longer texts pass.

    Args:
        vocab_size: Number of different tokens. This and all other fields stand below,
            each with its meaning and with a model that sets it otherwise.

    Raises:
        ValueError: If a field is out of range, or fields contradict each other.
    """

    # Sizes
    vocab_size: int  # number of different tokens; ViT: of labels
    # Where a table of positions, learned or sinusoidal, ends, and how large a cache is
    # unless told. Rotary and other positions are computed: longer texts pass.
    max_len: int = 512
    num_segments: int = 0  # kinds of segments; BERT: 2
    num_encoder_layers: int = 6  # Llama: 0
    num_decoder_layers: int = 6  # BERT: 0
    d_model: int = 512
    d_ff: int = 2048
    num_heads: int = 8
    num_kv_heads: int | None = None  # num_heads if None; Llama 3: fewer
    d_head: int | None = None  # d_model / num_heads if None; T5 sets it by itself

    # Choices
    position: str = "sinusoidal"  # BERT, GPT-2: learned; Llama: rotary; T5: relative
    norm: str = "layer"  # T5, Llama: rms
    norm_placement: str = "post"  # GPT-2 and later: pre
    final_norm: bool = False  # a norm after each stack; all pre-norm models: True
    norm_embeddings: bool = False  # BERT: True
    norm_branches: bool = (
        False  # a second norm, of what a branch adds; Gemma 2, 3: True
    )
    gain_from_one: bool = False  # norms multiply by one plus their weight; Gemma: True
    activation: str = "relu"  # BERT: gelu; GPT-2: gelu_tanh; Llama: silu
    gated: bool = False  # T5 1.1, Llama: True
    bias: bool = True  # in the feed-forward network; T5, Llama: False
    attention_bias: bool = False  # in the projections; BERT, GPT-2: True
    scale_embeddings: bool = True  # by the root of d_model; BERT and later: False
    scale_attention: bool = True  # by the inverse root of d_head; T5: False
    # The factor on the scores itself, instead; Gemma 3 27B: the inverse root of 168.
    attention_scale: float | None = None
    tie_embeddings: bool = True  # output weights = embeddings; Llama: False
    scale_tied_logits: bool = False  # by the inverse root of d_model; T5 1.0: True
    logits_bias: bool = False  # Marian, BERT: True
    parallel_residual: bool = False  # GPT-NeoX: True
    # What mixes positions in the layers of the decoder, one after the other and over
    # again: "delta delta delta softmax" has attention in each fourth layer.
    mixers: str = "softmax"  # Mamba-2: mamba2
    feed_forward: bool = True  # a network in each layer of the decoder; Mamba-2: False
    query_key_norm: bool = False  # of each query and key, by head; Qwen3, Gemma 3: True
    # How many positions a layer of the decoder sees, itself counted; all if None. If
    # several, layers take them in turn. Mistral 7B: 4096; gpt-oss: (128, None).
    window: int | Sequence | None = None
    sink_tokens: int = 0  # first tokens that stay in sight of a window; StreamingLLM: 4
    learned_sinks: bool = (
        False  # a score for seeing nothing in each head; gpt-oss: True
    )
    initialization: str = "glorot"  # BERT: normal; GPT-2: depth_scaled; T5: t5

    # Sizes of an image, which an `ImageEncoder` reads
    # Height and width, or one number for both; ViT: 224. None for a model of texts.
    image_size: int | Sequence | None = None
    patch_size: int = 16  # of a square patch, which is to an image what a word is
    image_channels: int = 3  # red, green and blue; gray: 1
    class_token: bool = True  # a learned vector before the patches, read by the head

    # Sizes of a Mamba-2 mixer
    state_size: int = 128  # number of features that write into a state, and read it
    state_groups: int = 1  # groups of heads that share them
    convolution_size: int = 4  # number of positions that its convolution mixes

    # Sizes of latent attention, which takes the place of the other if d_latent is set
    d_latent: int | None = None  # what is kept of a position; DeepSeek-V3: 512
    query_latent: int | None = None  # the same of queries; DeepSeek-V3: 1536
    d_rotary: int | None = None  # features beside d_head that turn; DeepSeek-V3: 64
    d_value: int | None = None  # features of a value; d_head if None

    # Experts, in the place of the network in layers of the decoder
    num_experts: int = 0  # none; gpt-oss: 32 or 128; DeepSeek-V3: 256
    experts_per_token: int = 2  # how many a position asks; gpt-oss: 4; DeepSeek-V3: 8
    d_expert: int | None = None  # width of one, d_ff if None; DeepSeek-V3: 2048
    dense_layers: int = 0  # first layers that have none; DeepSeek-V3: 3
    shared_experts: int = 0  # asked by each position; DeepSeek-V3: 1
    router: str = "softmax"  # what makes shares of logits; DeepSeek-V3: sigmoid
    router_bias: bool = False  # gpt-oss: True
    expert_groups: int = 1  # DeepSeek-V3: 8
    groups_per_token: int = 1  # whose experts a position may ask; DeepSeek-V3: 4
    normalize_shares: bool = True  # of sigmoids, to the sum one
    expert_scale: float = 1.0  # on the sum of the experts that were chosen; V3: 2.5
    gate_limit: float | None = None  # of clamped gates, which see up + 1; gpt-oss: 7

    # Constants
    rotary_base: float = 10_000.0  # Llama 3: 500,000
    # Of the layers with a window, which are then not stretched; as the others if None.
    local_rotary_base: float | None = None  # Gemma 3: 10,000 beside 1,000,000
    rotary_fraction: float = 1.0  # share of each head that is rotated; GPT-NeoX: 0.25
    rotary_layout: str = "half"  # which features pair; GPT-J: interleaved
    rotary_scaling: str = "none"  # stretches the context; Llama 3.1: llama3
    rotary_factor: float = 1.0  # by how much; Llama 3.1: 8
    rotary_original_len: int | None = None  # the context before; Llama 3.1: 8192
    rotary_magnitude: float | None = None  # on rotated vectors; that of the scaling
    relative_buckets: int = 32  # T5
    relative_max_distance: int = 128  # T5; the clipping distance of relative_keys
    norm_eps: float = 1e-5  # BERT: 1e-12; T5, Llama 1: 1e-6
    dropout: float = 0.0  # on the sum of embeddings and on each residual branch
    attention_dropout: float = 0.0  # on the attention weights; BERT, GPT-2: 0.1
    activation_dropout: float = 0.0  # inside the feed-forward network; T5: 0.1
    init_std: float = 0.02  # of normal and depth_scaled initialization
    pad_id: int | None = None  # the token that pads; it is masked wherever it stands

    def __repr__(self) -> str:
        """Return what differs from the defaults."""
        values = ((field, getattr(self, field.name)) for field in fields(self))
        said = (f"{f.name}={value!r}" for f, value in values if value != f.default)
        return f"{type(self).__name__}({', '.join(said)})"

    def __post_init__(self) -> None:
        self._check_fields()
        check_contradictions(self)

    @classmethod
    def decoder_only(cls, **fields: Any) -> "TransformerConfig":
        """Return the configuration of a model that continues a text.

        Args:
            fields: As of the class, but for the encoder layers, of which it has none.
        """
        return cls(num_encoder_layers=0, **fields)

    @classmethod
    def encoder_only(cls, **fields: Any) -> "TransformerConfig":
        """Return the configuration of a model that only reads.

        Args:
            fields: As of the class, but for the decoder layers, of which it has none.
        """
        return cls(num_decoder_layers=0, **fields)

    @property
    def head_size(self) -> int:
        """Number of features of a head."""
        return self.d_model // self.num_heads if self.d_head is None else self.d_head

    @property
    def kv_heads(self) -> int:
        """Number of key and value heads."""
        return self.num_heads if self.num_kv_heads is None else self.num_kv_heads

    @property
    def cached_sizes(self) -> dict[str, int]:
        """Sizes of what a cache holds of a position, as `DecoderCache` names them."""
        if self.d_latent is not None:
            sizes = {"num_kv_heads": 1, "d_head": self.d_latent}
            return sizes | {"d_value": self.d_rotary}
        return {"num_kv_heads": self.kv_heads, "d_head": self.head_size}

    @property
    def patch_grid(self) -> tuple[int, int]:
        """How many rows and columns of patches an image has; none without images."""
        if self.image_size is None:
            return 0, 0
        height, width = pair_of(self.image_size)
        return height // self.patch_size, width // self.patch_size

    @property
    def layer_mixers(self) -> list[str]:
        """What mixes positions in each layer of the decoder, by name."""
        names = self.mixers.split()
        return [names[n % len(names)] for n in range(self.num_decoder_layers)]

    @property
    def has_states(self) -> bool:
        """Whether a layer of the decoder keeps a state, not keys and values."""
        return any(name != "softmax" for name in self.layer_mixers)

    def window_of(self, number: int) -> int | None:
        """Return how many positions a layer of the decoder sees; None for all."""
        if self.window is None or isinstance(self.window, int):
            return self.window
        return self.window[number % len(self.window)]

    def of_layer(self, number: int) -> "TransformerConfig":
        """Return the configuration of one layer of the decoder, which has one window.

        Args:
            number: Which layer, from 0.
        """
        chosen = {}
        if self.num_experts and self.dense_layers:
            chosen["dense_layers"] = 0
            if number < self.dense_layers:
                chosen |= NO_EXPERTS
        if isinstance(self.window, tuple) or self.local_rotary_base is not None:
            window = self.window_of(number)
            chosen |= {"window": window, "local_rotary_base": None}
            if window is None:
                chosen["sink_tokens"] = 0
            elif self.local_rotary_base is not None:
                chosen |= {"rotary_base": self.local_rotary_base, **UNSTRETCHED}
        return replace(self, **chosen) if chosen else self

    def _check_fields(self) -> None:
        """Check each field by itself."""
        counts = ("num_segments", "num_encoder_layers", "num_decoder_layers", "pad_id")
        counts += ("sink_tokens", "num_experts", "dense_layers", "shared_experts")
        for field in fields(self):
            name, value = field.name, getattr(self, field.name)
            if name in CHOICES:
                check_choice(name, value, CHOICES[name])
                continue
            if name == "mixers":
                check_mixers(value)
                continue
            if value is None and NoneType in get_args(field.type):
                continue
            if name == "window":
                object.__setattr__(self, name, check_windows(value))
            elif name == "image_size":
                object.__setattr__(self, name, check_image_size(value))
            elif field.type is bool:
                check_flag(name, value)
            elif field.type in (float, float | None):
                check = check_dropout if name.endswith("dropout") else check_positive
                check(name, value)
                if not isinstance(value, int | float):
                    object.__setattr__(self, name, float(value))  # also of numpy
            else:
                check_size(name, value, minimum=0 if name in counts else 1)
                object.__setattr__(self, name, int(value))  # also of numpy


# Checks


def check_image_size(value: object) -> int | tuple[int, int]:
    """Check the size of an image; return one number, or height and width."""
    if not isinstance(value, Sequence) or isinstance(value, str):
        check_size("image_size", value)
        return int(value)
    if len(value) != 2:
        raise ValueError(
            "image_size must be one number, or height and width, got "
            f"{len(value)} numbers; pass (height, width)."
        )
    for name, each in zip(("height", "width"), value, strict=True):
        check_size(f"the {name} of image_size", each)
    return int(value[0]), int(value[1])


def check_mixers(mixers: object) -> None:
    """Check that each word of a text names a mixer."""
    if not isinstance(mixers, str) or not mixers.split():
        raise ValueError(
            f"mixers must be one of {', '.join(MIXERS)}, or several with spaces in "
            f"between, got {mixers!r}; choose one."
        )
    for name in mixers.split():
        check_choice("each of mixers", name, MIXERS)


def check_windows(value: object) -> int | tuple[int | None, ...]:
    """Check a window, or several that layers have in turn; return it, or a tuple."""
    if not isinstance(value, Sequence) or isinstance(value, str):
        check_size("window", value)
        return int(value)
    if len(value) == 0:
        raise ValueError(
            "window must be one number or some, got none; leave it out for layers that "
            "see everything."
        )
    for each in value:
        if each is not None:
            check_size("each window", each)
    return tuple(each if each is None else int(each) for each in value)
