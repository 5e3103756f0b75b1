"""What other libraries make a method of a model, and which function it is here."""

from torch import nn

_MADE = "transformer.load_model(folder), or transformer.zoo.load(name)"
_FUNCTIONS = {
    "from_pretrained": _MADE,
    "generate": "transformer.generate(model, ids, max_new_tokens=20)",
    "load": _MADE,
    "num_parameters": "transformer.count_parameters(model)",
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
        raise AttributeError(_sentence(type(model), name))
    return nn.Module.__getattr__(model, name)


class ClassElsewhere:
    """A method that a class does not have, and a sentence that says what to call.

    To `hasattr` it is not there.
    """

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, model: object, kind: type) -> None:
        raise AttributeError(_sentence(kind, self.name))


def _sentence(kind: type, name: str) -> str:
    """Return what to write instead of a method."""
    return (
        f"{kind.__name__} has no attribute {name!r}, because models only compute; "
        f"write {_FUNCTIONS[name]}."
    )
