"""The configuration: all that tells one Transformer from another."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from types import NoneType
from typing import Any, get_args

from transformer.checks.values import (
    check_choice,
    check_divisible,
    check_dropout,
    check_even,
    check_flag,
    check_kind,
    check_positive,
    check_size,
)
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
    "initialization": tuple(INITIALIZATIONS),
}
# What mixes positions in a layer of the decoder; `blocks/parts.py` builds them.
MIXERS = ("softmax", "linear", "retention", "gated", "delta", "gated_delta", "mamba2")
# Positions that only attention with softmax knows.
IN_SOFTMAX = ("rotary", "relative", "relative_keys", "alibi")
# Positions that first tokens which stay in sight may have, counted in the cache.
STAYING = ("rotary", "sinusoidal", "learned", "none")
# Scalings that must know the context length of the model they stretch.
STRETCHED = ("yarn", "llama3")


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
        TypeError: If a field has the wrong type.
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
        self._check_sizes()
        self._check_positions()
        self._check_choices()
        self._check_mixers()
        self._check_windows()
        self._check_images()

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
        if self.window is None or (
            isinstance(self.window, int) and self.local_rotary_base is None
        ):
            return self
        window = self.window_of(number)
        chosen = {"window": window, "local_rotary_base": None}
        if window is None:
            chosen["sink_tokens"] = 0
        elif self.local_rotary_base is not None:
            chosen |= {"rotary_base": self.local_rotary_base, "rotary_scaling": "none"}
            chosen |= {"rotary_factor": 1.0, "rotary_magnitude": None}
        return replace(self, **chosen)

    def _check_fields(self) -> None:
        """Check each field by itself."""
        counts = ("num_segments", "num_encoder_layers", "num_decoder_layers", "pad_id")
        counts += ("sink_tokens",)
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
            elif name.endswith("dropout"):
                check_dropout(name, value)
            elif field.type in (float, float | None):
                check_positive(name, value)
            else:
                check_size(name, value, minimum=0 if name in counts else 1)
                object.__setattr__(self, name, int(value))  # also of numpy

    def _check_sizes(self) -> None:
        """Check the sizes against each other."""
        if self.num_encoder_layers + self.num_decoder_layers == 0:
            raise ValueError(
                "a Transformer must have layers, got num_encoder_layers=0 and "
                "num_decoder_layers=0; set one of them."
            )
        if self.num_segments and self.num_decoder_layers:
            raise ValueError(
                "segments belong to encoder-only models, got num_segments="
                f"{self.num_segments} and num_decoder_layers={self.num_decoder_layers};"
                " set one of them to 0."
            )
        if self.d_head is None:
            check_divisible("d_model", self.d_model, "num_heads", self.num_heads)
        check_divisible("num_heads", self.num_heads, "num_kv_heads", self.kv_heads)
        if self.pad_id is not None and self.pad_id >= self.vocab_size:
            raise ValueError(
                f"pad_id must be below vocab_size={self.vocab_size}, got "
                f"{self.pad_id}; pass the id that the tokenizer pads with."
            )

    def _check_positions(self) -> None:
        """Check the fields that the kind of positions needs."""
        if self.position == "sinusoidal":
            check_even("d_model", self.d_model)
        if self.position == "relative" and (
            self.relative_buckets < 4
            or self.relative_buckets % 2
            or self.relative_max_distance <= self.relative_buckets // 2
        ):
            raise ValueError(
                "relative positions must have an even number of buckets, at least 4, "
                "and more distances than half of them, got relative_buckets="
                f"{self.relative_buckets} and relative_max_distance="
                f"{self.relative_max_distance}; T5 has 32 and 128."
            )
        if self.position == "rotary":
            self._check_rotary()

    def _check_rotary(self) -> None:
        """Check the fields that the rotation of queries and keys needs."""
        check_positive("rotary_base", self.rotary_base, above=1.0)
        rotated = round(min(self.rotary_fraction, 2.0) * self.head_size)
        if self.rotary_fraction > 1 or rotated < 2 or rotated % 2:
            raise ValueError(
                "the rotated part of a head must be an even number of features, at "
                f"least 2 and at most d_head={self.head_size}, got rotary_fraction="
                f"{self.rotary_fraction}, which gives {rotated}; change d_model, "
                "d_head or rotary_fraction."
            )
        if self.rotary_scaling == "yarn" and rotated < 4:
            raise ValueError(
                "YaRN must have at least 4 rotated features to compare, got "
                f"{rotated}; widen the heads or choose another rotary_scaling."
            )
        if self.rotary_factor < 1:
            raise ValueError(
                "rotary_factor must be at least 1, by which the context is stretched, "
                f"got {self.rotary_factor}; pass new length / old length."
            )
        if self.rotary_scaling == "none" and self.rotary_factor != 1:
            raise ValueError(
                "a factor needs a way of scaling, got rotary_factor="
                f"{self.rotary_factor} and rotary_scaling='none'; choose one of "
                f"{', '.join(CHOICES['rotary_scaling'][1:])}."
            )
        if self.rotary_scaling in STRETCHED and self.rotary_original_len is None:
            raise ValueError(
                f"rotary_scaling={self.rotary_scaling!r} must know the length that "
                "the model was trained with, got rotary_original_len=None; set it."
            )

    def _check_choices(self) -> None:
        """Check the choices against each other."""
        if self.parallel_residual and self.norm_placement == "post":
            raise ValueError(
                "parallel residual branches must be normalized before, got "
                "parallel_residual=True and norm_placement='post'; set it to 'pre'."
            )
        if self.norm_branches and self.norm_placement == "post":
            raise ValueError(
                "branches that are normalized after must be so before, got "
                "norm_branches=True and norm_placement='post'; set it to 'pre'."
            )
        if self.gain_from_one and self.norm != "rms":
            raise ValueError(
                "a gain that counts from one is that of an RMS norm, got "
                f"gain_from_one=True and norm={self.norm!r}; set it to 'rms'."
            )
        if self.scale_tied_logits and not self.tie_embeddings:
            raise ValueError(
                "only tied logits are scaled, got scale_tied_logits=True and "
                "tie_embeddings=False; change one of them."
            )

    def _check_mixers(self) -> None:
        """Check that the mixers fit the layers, and what they have to know."""
        names, layers = self.mixers.split(), self.num_decoder_layers
        if layers == 0 and (names != ["softmax"] or not self.feed_forward):
            raise ValueError(
                "mixers and feed_forward are of the decoder, got mixers="
                f"{self.mixers!r} and feed_forward={self.feed_forward} without decoder "
                "layers; leave them out."
            )
        if layers % len(names):
            raise ValueError(
                "the layers of the decoder must take the mixers in whole turns, got "
                f"{len(names)} mixers and num_decoder_layers={layers}; name one for "
                "each layer, or for each of a turn."
            )
        if layers and "softmax" not in names and self.position in IN_SOFTMAX:
            raise ValueError(
                f"{self.position} positions act in attention with softmax, got mixers="
                f"{self.mixers!r}; choose position='none', or add a layer of softmax."
            )
        if "mamba2" in names:
            check_divisible(
                "num_heads", self.num_heads, "state_groups", self.state_groups
            )
            check_size("convolution_size", self.convolution_size, minimum=2)
        if self.parallel_residual and not self.feed_forward:
            raise ValueError(
                "parallel branches must be several, got parallel_residual=True and "
                "feed_forward=False; change one of them."
            )

    def _check_windows(self) -> None:
        """Check what belongs to a window, and that a decoder alone has one."""
        if self.window is not None and self.num_encoder_layers:
            raise ValueError(
                "a window belongs to a model that continues a text, got window="
                f"{self.window} and num_encoder_layers={self.num_encoder_layers}; "
                "leave the window out, or set the encoder layers to 0."
            )
        if self.window is not None and self.has_states:
            raise ValueError(
                "a window must be that of attention with softmax, got window="
                f"{self.window} and mixers={self.mixers!r}; leave one of them out."
            )
        for name in ("sink_tokens", "local_rotary_base"):
            if getattr(self, name) and self.window is None:
                raise ValueError(
                    f"{name} must come with a window, got {getattr(self, name)} and "
                    "window=None; set one, or leave it out."
                )
        if self.local_rotary_base is not None and self.position != "rotary":
            raise ValueError(
                "local_rotary_base must come with rotary positions, got "
                f"position={self.position!r}; leave it out."
            )
        if self.sink_tokens and self.position not in STAYING:
            raise ValueError(
                "sink tokens must have positions that can be counted in the cache, got "
                f"position={self.position!r}; choose one of {', '.join(STAYING)}."
            )

    def _check_images(self) -> None:
        """Check that an image falls into patches, and that an encoder reads it."""
        if self.image_size is None:
            return
        for name, size in zip(
            ("height", "width"), pair_of(self.image_size), strict=True
        ):
            check_divisible(f"the {name}", size, "patch_size", self.patch_size)
        for name in ("num_decoder_layers", "num_segments"):
            if getattr(self, name):
                raise ValueError(
                    f"an image is read by an encoder alone, got image_size="
                    f"{self.image_size} and {name}={getattr(self, name)}; set {name} "
                    "to 0."
                )
        if self.position == "rotary":
            self._check_turns_of_the_grid()

    def _check_turns_of_the_grid(self) -> None:
        """Check that rows and columns can turn half of the pairs of a head each."""
        kept = (self.rotary_fraction, self.rotary_scaling) == (1.0, "none")
        if not kept or self.head_size % 4:
            raise ValueError(
                "rows and columns must turn half of a whole head each, got d_head="
                f"{self.head_size}, rotary_fraction={self.rotary_fraction} and "
                f"rotary_scaling={self.rotary_scaling!r}; make d_head a multiple of 4, "
                "and leave the others out."
            )


def pair_of(size: int | Sequence[int]) -> tuple[int, int]:
    """Return height and width, where one number stands for both."""
    height, width = (size, size) if isinstance(size, int) else size
    return height, width


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


def check_config(config: object) -> None:
    """Check that a configuration is one."""
    check_kind("config", config, TransformerConfig)
