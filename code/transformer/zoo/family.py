"""A family: models that one configuration and one way of storing them describe."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import torch
from torch import Tensor, nn

from transformer.checks.tensors import check_float_dtype
from transformer.checks.values import check_choice
from transformer.config import TransformerConfig
from transformer.models import (
    DecoderOnlyTransformer,
    EncoderOnlyTransformer,
    ImageEncoder,
    Transformer,
    unwrapped,
)
from transformer.models.parameters import check_layers
from transformer.zoo.fields import Fields, read_fields
from transformer.zoo.layout import Layout
from transformer.zoo.loading import cast, load_model, without_wrappers

Model = Transformer | EncoderOnlyTransformer | DecoderOnlyTransformer | ImageEncoder
STORED = "stored"  # asks for an option as the stored tensors have it


@dataclass(frozen=True, kw_only=True)
class Family:
    """Describe how Hugging Face configures and stores the models of a family.

    Args:
        model_types: The `model_type` of their configurations.
        configs: The presets, by name.
        convert: From the fields of their configuration to ours.
        layout: Where they store our parameters.
        build: Makes the model; a decoder alone unless it says otherwise.
        settle: Completes a configuration from what is stored, where theirs leaves
            something open.
        options: What else `from_hugging_face` takes, by name, and what it comes to:
            from what was asked for (`"stored"` if nothing was) and the stored tensors
            to what `layout` and `build` take under this name.
    """

    model_types: tuple[str, ...]
    configs: Mapping[str, TransformerConfig] = field(default_factory=dict)
    convert: Callable[[Fields], TransformerConfig]
    layout: Callable[..., Layout]
    build: Callable[..., Model] = DecoderOnlyTransformer
    settle: Callable[[TransformerConfig, Mapping[str, Tensor]], TransformerConfig] = (
        lambda config, tensors: config
    )
    options: Mapping[str, Callable[[object, Mapping[str, Tensor]], object]] = field(
        default_factory=dict
    )

    def config_from_hugging_face(self, config: object) -> TransformerConfig:
        """Return our configuration for a Hugging Face one, or for its config.json.

        Raises:
            ValueError: If it is of another family, lacks a field, or asks for what
                this package does not have.
        """
        return self.convert(read_fields(config, *self.model_types))

    def from_hugging_face(
        self,
        model_or_state_dict: nn.Module | Mapping[str, Tensor],
        *,
        config: object = None,
        dtype: torch.dtype | None = None,
        **options: object,
    ) -> Model:
        """Return our model with the weights of a Hugging Face model.

        Args:
            model_or_state_dict: The model, or its tensors by name.
            config: What the tensors are of: the name of a preset, a configuration of
                ours, or a Hugging Face configuration; that of the model when None.
            dtype: That of all parameters; as stored when not given, where it must be
                one.
            options: What the family takes besides, such as the `head` of BERT.

        Returns:
            The model in evaluation mode, on the device of the weights.

        Raises:
            ValueError: If the configuration or a tensor does not fit; one error names
                all tensors that do not, and nothing is loaded.
        """
        check_source(model_or_state_dict)
        self.check_options(" or ".join(self.model_types), options)
        return self.load(model_or_state_dict, config, options, dtype=dtype)

    def check_options(self, name: str, options: Mapping[str, object]) -> None:
        """Check that the family takes the options that are given for a model."""
        if surplus := sorted(options.keys() - self.options.keys()):
            raise TypeError(
                f"the options of {name} must be "
                f"{' or '.join(sorted(self.options)) or 'none'}, got "
                f"{', '.join(surplus)}; leave out what is not taken."
            )

    def load(
        self,
        source: nn.Module | Mapping[str, Tensor],
        config: object,
        options: Mapping[str, object],
        *,
        dtype: torch.dtype | None = None,
    ) -> Model:
        """Load a source and options that were checked; see `from_hugging_face`."""
        tensors, config = self._open(source, config)
        if dtype is not None:
            check_float_dtype("dtype", dtype)
            tensors = {name: cast(x, dtype) for name, x in tensors.items()}
        chosen = {
            name: choose(options.get(name, STORED), tensors)
            for name, choose in self.options.items()
        }
        check_layers(config, tensors)
        layout = self.layout(config, **chosen)
        return load_model(lambda: self.build(config, **chosen), tensors, layout)

    def _open(
        self, source: nn.Module | Mapping[str, Tensor], config: object
    ) -> tuple[Mapping[str, Tensor], TransformerConfig]:
        """Return the tensors of a model or state dict, and their configuration."""
        tensors = source
        if not isinstance(source, Mapping):
            inner = unwrapped(source)
            tensors = inner.state_dict()
            config = inner.config if config is None else config
        tensors = without_wrappers(tensors)
        if config is None:
            such = f"a preset: {', '.join(self.configs)}" if self.configs else "theirs"
            raise ValueError(
                "a dictionary of tensors must come with its configuration, got none; "
                f"pass config=, such as {such}."
            )
        if isinstance(config, str):
            check_choice("config", config, self.configs)
            config = self.configs[config]
        if not isinstance(config, TransformerConfig):
            config = self.config_from_hugging_face(config)
        return tensors, self.settle(config, tensors)


class StoredHead(NamedTuple):
    """How a head is stored: in which class, and under which names."""

    source: str
    pattern: str
    names: dict[str, str]


def choose_head(
    heads: Mapping[str | None, StoredHead],
    body: str,
    asked: object,
    tensors: Mapping[str, Tensor],
) -> str | None:
    """Return the head that was asked for.

    Args:
        heads: All there are; None for no head stands last.
        body: What the names of the body begin with in a model that has a head.
        asked: One of them; `"stored"` takes the first of them that is there.
        tensors: The stored tensors, by name.
    """
    check_choice("head", asked, (*heads, STORED))
    if asked != STORED:
        return asked
    names = [name.removeprefix(body) for name in tensors]
    found = (h for h in heads if any(re.match(heads[h].pattern, n) for n in names))
    return next(found, None)


def check_source(source: object) -> None:
    """Check that a source is a Hugging Face model or a dictionary of tensors."""
    if isinstance(source, Mapping):
        return
    if not (hasattr(unwrapped(source), "config") and hasattr(source, "state_dict")):
        found = repr(source) if isinstance(source, str) else type(source).__name__
        raise TypeError(
            "model_or_state_dict must be a Hugging Face model or a dictionary of "
            f"tensors, got {found}; pass model or model.state_dict(), or load a "
            "published model by its name with transformer.zoo.load."
        )
