"""Models in fewer bytes: weights as whole numbers of eight bits."""

from torch import nn

from transformer.layers.int8 import Int8Linear


def quantize_weights(model: nn.Module, *, bits: int = 8) -> nn.Module:
    r"""Store the matrix of each linear map in eight bits, and return the model.

    The model is changed, as `model.half()` would change it. Embeddings and norms stay
    as they are; a head that shares the matrix of the embedding gets bytes of its own.
    A token of a text costs SmolLM2 less than 0.02 nats more, as a test holds. The model
    still reads and writes, but cannot be saved.

    Source: as that of `Int8Linear`, which takes the place of each `nn.Linear`.

    Args:
        model: Any module that holds linear maps.
        bits: How many for each weight; there is one choice.

    Raises:
        ValueError: If `bits` is not 8, the model has no linear maps or was quantized
            before, or a weight is not finite; the model is then left as it came.
    """
    check_bits(bits)
    check_floats(model, purpose="to be quantized")
    made = [
        (parent, name, Int8Linear(part))
        for parent in model.modules()
        for name, part in parent.named_children()
        if isinstance(part, nn.Linear)
    ]
    if not made:
        raise ValueError(
            "model must hold linear maps, got "
            f"{type(model).__name__} without any; pass a model or a layer with some."
        )
    for parent, name, linear in made:
        setattr(parent, name, linear)
    return model


# Checks


def check_bits(bits: object) -> None:
    """Check that weights can be stored in so many bits."""
    if type(bits) is not int or bits != 8:
        raise ValueError(
            f"bits must be 8, the one size that weights are stored in here, got "
            f"{bits!r}; leave it out."
        )


def check_floats(model: nn.Module, *, purpose: str) -> None:
    """Check that no weight of a model was quantized before."""
    found = [
        name
        for name, part in model.named_modules()
        if isinstance(part, Int8Linear) or _hides_weights(part)
    ]
    if found:
        raise ValueError(
            f"a model must hold its weights as floats {purpose}, got "
            f"{len(found)} maps that are quantized, such as {found[0] or 'itself'!r}; "
            "pass the model as it was before."
        )


def _hides_weights(part: nn.Module) -> bool:
    """Return whether weights are behind a method, where PyTorch has quantized them."""
    return callable(getattr(part, "weight", None))
