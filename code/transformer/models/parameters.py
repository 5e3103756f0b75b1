"""The parameters of a model: how they start, and how many there are."""

from collections.abc import Callable, Mapping

from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from transformer.checks.values import check_kind
from transformer.config import TransformerConfig
from transformer.layers.initialization import INITIALIZATIONS

_DRAWN_INTO = {Tensor.normal_, Tensor.uniform_}


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


class SkipInitialization(TorchFunctionMode):
    """Leave the parameters of a model as its memory is: all are loaded afterwards.

    So a load draws no random number, whatever the device, and takes no time for what
    it replaces.
    """

    def __torch_function__(
        self,
        function: Callable,
        types: object,
        args: tuple = (),
        kwargs: Mapping[str, object] | None = None,
    ) -> object:
        """Call a function of PyTorch, unless it is one that draws into a tensor."""
        kwargs = kwargs or {}
        is_initialization = getattr(function, "__module__", None) == nn.init.__name__
        if is_initialization or function in _DRAWN_INTO:
            return args[0] if args else kwargs["tensor"]
        return function(*args, **kwargs)


def count_parameters(model: nn.Module) -> int:
    """Return the number of parameters of a model, shared ones counted once.

    Args:
        model: Any module; it may be on the meta device, where it takes no memory.

    Raises:
        TypeError: If `model` is no module.
    """
    check_kind("model", model, nn.Module)
    return sum(parameter.numel() for parameter in model.parameters())
