"""The parameters of a model: how they start, and how many there are."""

from torch import nn

from transformer.checks.values import check_kind
from transformer.config import TransformerConfig
from transformer.layers.initialization import INITIALIZATIONS


def initialize(model: nn.Module, config: TransformerConfig) -> None:
    """Draw the parameters of a model as its configuration says.

    Args:
        model: What to initialize, in place.
        config: Names the initialization; see `INITIALIZATIONS`.

    Raises:
        TypeError: If an argument has the wrong type.
    """
    check_kind("model", model, nn.Module)
    check_kind("config", config, TransformerConfig)
    start = INITIALIZATIONS[config.initialization]
    start(model, d_model=config.d_model, std=config.init_std)


def count_parameters(model: nn.Module) -> int:
    """Return the number of parameters of a model, shared ones counted once.

    Args:
        model: Any module; it may be on the meta device, where it takes no memory.

    Raises:
        TypeError: If `model` is no module.
    """
    check_kind("model", model, nn.Module)
    return sum(parameter.numel() for parameter in model.parameters())
