"""What other libraries make a method of a model, and which function it is here."""

from torch import nn

from transformer.checks.attributes import OfTheClass

_WHY = ", because models only compute"
_MADE = "transformer.load_model(folder), or transformer.zoo.load(name)"
_FUNCTIONS = {
    "from_pretrained": _MADE,
    "fit": "transformer.Trainer(model, loss=loss, optimizer=optimizer)",
    "generate": "transformer.generate(model, ids, max_new_tokens=20)",
    "load": _MADE,
    "num_parameters": "transformer.count_parameters(model)",
    "predict": "transformer.generate(model, ids, max_new_tokens=20)",
    "sample": "transformer.sample(model, ids, max_new_tokens=20)",
    "save": "transformer.save_model(model, folder)",
    "save_pretrained": "transformer.save_model(model, folder)",
}


def missing_attribute(model: nn.Module, name: str) -> object:
    """Return a part of a model as PyTorch does; for what is a function here, name it.

    This is the `__getattr__` of a model: only what is not found otherwise comes here.

    Raises:
        AttributeError: If there is no such part.
    """
    if name in _FUNCTIONS:
        said = f"{type(model).__name__} has no attribute {name!r}{_WHY}"
        raise AttributeError(f"{said}; write {_FUNCTIONS[name]}.", obj=None)
    return nn.Module.__getattr__(model, name)


def made_elsewhere() -> OfTheClass:
    """Return a method that a class does not have, which would make a model."""
    return OfTheClass(_MADE, _WHY)
