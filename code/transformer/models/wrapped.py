"""Wrappers: what `torch.compile` and data parallelism put around a model."""

from torch import nn


def unwrapped(model: nn.Module) -> nn.Module:
    """Return the model inside its wrappers, or itself.

    What a wrapper does to the call of a model is not done to what is returned: a text
    is continued by the plain model. `model.compile()` compiles in place instead.

    Args:
        model: A model, also one inside `torch.compile`, `DataParallel`,
            `DistributedDataParallel` or any wrapper that keeps it as `module`.
    """
    for name in ("_orig_mod", "module"):
        inner = getattr(model, name, None)
        if isinstance(inner, nn.Module):
            return unwrapped(inner)
    return model
