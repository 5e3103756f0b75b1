"""The parameters of a model: how they start, and how many there are."""

from collections.abc import Callable, Collection, Mapping

from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from transformer.config import TransformerConfig
from transformer.layers.initialization import INITIALIZATIONS

_DRAWN_INTO = {Tensor.normal_, Tensor.uniform_}


def initialize(model: nn.Module, config: TransformerConfig) -> None:
    """Draw the parameters of a model as its configuration says.

    Args:
        model: What to initialize, in place.
        config: Names the initialization; see `INITIALIZATIONS`.
    """
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
    """
    return sum(parameter.numel() for parameter in model.parameters())


# Checks


def check_layers(config: object, tensors: Collection[object]) -> None:
    """Check that there are tensors for so many layers, before any is built."""
    layers = config.num_encoder_layers + config.num_decoder_layers
    if layers > len(tensors):
        raise ValueError(
            "a configuration must have a tensor for each layer at least, got "
            f"{layers} layers and {len(tensors)} tensors; both must be of one model."
        )
