"""A family: models that one configuration and one way of storing them describe."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from torch import Tensor, nn

from transformer.checks.values import check_choice
from transformer.config import TransformerConfig
from transformer.models import (
    DecoderOnlyTransformer,
    EncoderOnlyTransformer,
    Transformer,
)
from transformer.zoo.fields import Fields, read_fields
from transformer.zoo.layout import Layout
from transformer.zoo.loading import load_model

Model = Transformer | EncoderOnlyTransformer | DecoderOnlyTransformer


@dataclass(frozen=True, kw_only=True)
class Family:
    """Know how Hugging Face describes and stores the models of a family.

    Args:
        model_types: The `model_type` of their configurations.
        configs: The presets, by name.
        convert: From the fields of their configuration to ours.
        layout: Where they store our parameters.
        build: Makes the model.
        settle: Completes a configuration from what is stored, where theirs leaves
            something open.
    """

    model_types: tuple[str, ...]
    configs: Mapping[str, TransformerConfig]
    convert: Callable[[Fields], TransformerConfig]
    layout: Callable[[TransformerConfig], Layout]
    build: Callable[[TransformerConfig], Model]
    settle: Callable[[TransformerConfig, Mapping[str, Tensor]], TransformerConfig] = (
        lambda config, tensors: config
    )

    def config_from_hugging_face(self, config: object) -> TransformerConfig:
        """Return our configuration for a Hugging Face one, or for its config.json.

        Args:
            config: Their configuration, as an object or as a dictionary.

        Raises:
            TypeError: If `config` is neither, or a field of the rotation has a wrong
                type.
            ValueError: If it is of another family, lacks a field, or asks for what
                this package does not have.
        """
        return self.convert(read_fields(config, *self.model_types))

    def from_hugging_face(
        self,
        model_or_state_dict: nn.Module | Mapping[str, Tensor],
        *,
        config: object = None,
    ) -> Model:
        """Return our model with the weights of a Hugging Face model.

        Args:
            model_or_state_dict: The model, or its tensors by name.
            config: What the tensors are of: the name of a preset, a configuration of
                ours, or a Hugging Face configuration; that of the model when None.

        Returns:
            The model in evaluation mode, in the dtype of the weights and on their
            device.

        Raises:
            TypeError: If an argument has the wrong type.
            ValueError: If the configuration or a tensor does not fit; one error names
                all tensors that do not, and nothing is loaded.
        """
        tensors, config = self.open(model_or_state_dict, config)
        return load_model(lambda: self.build(config), tensors, self.layout(config))

    def open(
        self, source: object, config: object
    ) -> tuple[Mapping[str, Tensor], TransformerConfig]:
        """Return the tensors of a model or state dict, and their configuration."""
        check_source(source)
        tensors = source
        if not isinstance(source, Mapping):
            tensors = source.state_dict()
            config = source.config if config is None else config
        if config is None:
            raise ValueError(
                "a dictionary of tensors must come with its configuration, got none; "
                f"pass config=, such as a preset: {', '.join(self.configs)}."
            )
        if isinstance(config, str):
            check_choice("config", config, self.configs)
            config = self.configs[config]
        if not isinstance(config, TransformerConfig):
            config = self.config_from_hugging_face(config)
        return tensors, self.settle(config, tensors)


def check_source(source: object) -> None:
    """Refuse what is no model of Hugging Face and no dictionary of named tensors."""
    if isinstance(source, Mapping):
        for name in source:
            if not isinstance(name, str):
                raise TypeError(
                    f"tensors must be named by text, got {name!r} "
                    f"({type(name).__name__}); pass model.state_dict()."
                )
    elif not (hasattr(source, "config") and hasattr(source, "state_dict")):
        found = repr(source) if isinstance(source, str) else type(source).__name__
        raise TypeError(
            "model_or_state_dict must be a Hugging Face model or a dictionary of "
            f"tensors, got {found}; pass model or model.state_dict(), or load a "
            "published model by its name with transformer.zoo.load."
        )
