"""Fields: what the configuration of a Hugging Face model says, in our words."""

from collections.abc import Mapping, Sequence
from math import log

from transformer.checks.values import check_choice, check_positive

# Their names of activation functions, and ours.
ACTIVATION_NAMES = {
    "relu": "relu",
    "gelu": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_fast": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "quick_gelu": "gelu_sigmoid",
    "silu": "silu",
    "swish": "silu",
}
# Their kinds of rotation, and our kinds of scaling.
ROTATION_NAMES = {
    "default": "none",
    "linear": "linear",
    "llama3": "llama3",
    "yarn": "yarn",
}
# Their kinds of layers: with a window, and without.
LAYER_TYPES = ("sliding_attention", "full_attention")
# What the configuration of a Llama is where it does not say.
DECODER_DEFAULTS = {
    "num_key_value_heads": None,
    "head_dim": None,
    "attention_bias": False,
    "tie_word_embeddings": False,
}
# What our scalings set, as their authors published it.
ROTATION_CONSTANTS = {
    "low_freq_factor": (1,),
    "high_freq_factor": (4,),
    "beta_fast": (32, None),
    "beta_slow": (1, None),
    "truncate": (True, False),
}


class Fields(dict):
    """The fields of a configuration, by name; one that is missing is named."""

    def __missing__(self, name: str) -> object:
        raise ValueError(
            f"the configuration must say {name}, got {', '.join(self) or 'nothing'}; "
            "pass the whole configuration."
        )


def read_fields(config: object, *model_types: str) -> Fields:
    """Return the fields of a Hugging Face configuration.

    Raises:
        ValueError: If it describes a model of another type.
    """
    if not isinstance(config, Mapping) and not hasattr(config, "to_dict"):
        raise TypeError(
            "config must be a TransformerConfig, the name of a preset or a Hugging "
            f"Face configuration, got {type(config).__name__}; pass one of them."
        )
    fields = Fields(config if isinstance(config, Mapping) else config.to_dict())
    if fields.get("model_type") not in model_types:
        raise ValueError(
            f"config must have model_type {' or '.join(map(repr, model_types))}, got "
            f"{fields.get('model_type')!r}; let transformer.zoo.from_hugging_face "
            "find the family."
        )
    return fields


def check_fields(fields: Mapping, **allowed: tuple) -> None:
    """Check that a configuration asks only for what this package has.

    Args:
        fields: The configuration.
        allowed: The values that a field may have, where it is there at all.
    """
    found = [
        f"{name}={fields[name]!r} instead of {' or '.join(map(repr, values))}"
        for name, values in allowed.items()
        if name in fields and fields[name] not in values
    ]
    if found:
        raise ValueError(
            f"the configuration must be one that this package can follow, got "
            f"{', '.join(found)}; load another model."
        )


def activation_name(theirs: object) -> str:
    """Return our name of an activation function."""
    check_choice("the activation function", theirs, ACTIVATION_NAMES)
    return ACTIVATION_NAMES[theirs]


def size_fields(fields: Mapping, *, layers: str) -> dict:
    """Return our fields of the sizes, for families that name them as BERT does.

    Args:
        fields: Their configuration.
        layers: Our field that takes the number of layers.
    """
    return {
        "vocab_size": fields["vocab_size"],
        "max_len": fields["max_position_embeddings"],
        layers: fields["num_hidden_layers"],
        "d_model": fields["hidden_size"],
        "d_ff": fields["intermediate_size"],
        "num_heads": fields["num_attention_heads"],
        "activation": activation_name(fields["hidden_act"]),
    }


def decoder_fields(fields: Mapping, **usual: object) -> dict:
    """Return our fields of what Llama and its kin name alike, all but the positions.

    Args:
        fields: Their configuration.
        usual: What a field is where it does not say, if that is not as in Llama.
    """
    said = DECODER_DEFAULTS | usual | fields
    return {
        "num_kv_heads": said["num_key_value_heads"],
        "d_head": said["head_dim"],
        "attention_bias": said["attention_bias"],
        "tie_embeddings": said["tie_word_embeddings"],
        "norm_eps": fields["rms_norm_eps"],
        "attention_dropout": fields.get("attention_dropout") or 0.0,
        **size_fields(fields, layers="num_decoder_layers"),
    }


def rotary_fields(fields: Mapping, *, fraction: float | None = None) -> dict:
    """Return our fields of the rotation of queries and keys.

    Args:
        fields: Their configuration, in its present spelling (`rope_parameters`) or in
            an older one (`rope_theta`, `rope_scaling`, `rotary_pct`).
        fraction: Share of each head that is rotated where it does not say. None for a
            family that rotates whole heads, and does not look at what is said of it.
    """
    rope = rotation_of(fields)
    for name, older in (
        ("rope_type", "type"),
        ("rope_theta", "rotary_emb_base"),
        ("partial_rotary_factor", "rotary_pct"),
    ):
        for candidate in (rope.get(older), fields.get(name), fields.get(older)):
            if rope.get(name) is None and candidate is not None:
                rope[name] = candidate
    check_fields(rope, rope_type=tuple(ROTATION_NAMES), **ROTATION_CONSTANTS)
    scaling = ROTATION_NAMES[rope.get("rope_type", "default")]
    if scaling == "yarn" and not rope.get("truncate", True):
        scaling = "yarn_unrounded"
    chosen = {
        "rotary_base": _number(rope, "rope_theta", 10_000.0),
        "rotary_scaling": scaling,
    }
    if fraction is not None:
        chosen["rotary_fraction"] = _number(rope, "partial_rotary_factor", fraction)
    elif scaling != "none":  # whose frequencies are then those of a part of a head
        check_fields(rope, partial_rotary_factor=(1, None))
    if scaling != "none":
        chosen["rotary_factor"] = _number(rope, "factor")
    if scaling.startswith(("yarn", "llama3")):
        original = rope.get("original_max_position_embeddings")
        chosen["rotary_original_len"] = original or fields["max_position_embeddings"]
    if scaling.startswith("yarn"):
        chosen["rotary_magnitude"] = _magnitude(rope)
    return chosen


def rotation_of(fields: Mapping) -> Fields:
    """Return what a configuration says of the rotation, in a dictionary of its own."""
    for name in ("rope_parameters", "rope_scaling"):
        found = fields.get(name)
        if found is not None and not isinstance(found, Mapping):
            raise TypeError(
                f"{name} must be a dictionary, got {found!r} "
                f"({type(found).__name__}); pass one, such as "
                "{'rope_type': 'default'}."
            )
        if found:
            return Fields(found)
    return Fields()


def window_fields(
    fields: Mapping, *, layers: int, window: int | None, types: Sequence[str]
) -> dict:
    """Return our field of the windows of layers, for families that have some.

    Args:
        fields: Their configuration, which may list `layer_types`.
        layers: Number of layers.
        window: How many positions a layer sees that has a window.
        types: Their kinds of layers where it lists none.
    """
    found = fields.get("layer_types")
    types = list(types if found is None else found)
    for kind in types:
        check_fields({"a layer type": kind}, **{"a layer type": LAYER_TYPES})
    if len(types) != layers:
        raise ValueError(
            f"the configuration must have a type for each of {layers} layers, got "
            f"{len(types)} in layer_types; pass the whole configuration."
        )
    windows = [window if kind == LAYER_TYPES[0] else None for kind in types]
    if LAYER_TYPES[0] in types and window is None:
        raise ValueError(
            "the configuration must say how wide a window is, got sliding_window=None "
            f"and {LAYER_TYPES[0]} in layer_types; pass the whole configuration."
        )
    turn = next(n for n in range(1, layers + 1) if windows == repeated(windows, n))
    chosen = windows[0] if turn == 1 else tuple(windows[:turn])
    return {"window": chosen}


def repeated(values: list, number: int) -> list:
    """Return a list whose first values come again and again, in turn."""
    return [values[place % number] for place in range(len(values))]


def _magnitude(rope: Fields) -> float | None:
    """Return by what YaRN is to lengthen the rotated vectors; None for its own factor.

    The factor and the two scales are read as the package `transformers` reads them.
    """
    if rope.get("attention_factor") is not None:
        return _number(rope, "attention_factor")
    if not (rope.get("mscale") and rope.get("mscale_all_dim")):
        return None
    slowed = 0.1 * log(_number(rope, "factor"))
    own, everywhere = (_number(rope, name) for name in ("mscale", "mscale_all_dim"))
    return (own * slowed + 1) / (everywhere * slowed + 1)


def _number(rope: Fields, name: str, default: float | None = None) -> float:
    """Return a number of the rotation; without a default it must be there."""
    value = rope[name] if default is None else rope.get(name)
    value = default if value is None else value
    check_positive(name, value)
    return float(value)
