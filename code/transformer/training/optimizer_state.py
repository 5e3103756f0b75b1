"""The state of an optimizer: which tensors it keeps of each parameter.

No table tells, for any optimizer will do: a copy takes one step with zeros, and what it
keeps of them is looked at.
"""

import json
from collections import OrderedDict, defaultdict

import torch
from torch import Tensor, nn, optim

KERNELS = ("foreach", "fused", "capturable", "differentiable")  # how, not what


def kept_of(
    optimizer: optim.Optimizer, group: dict[str, object], x: nn.Parameter
) -> dict[str, object]:
    """Return what an optimizer keeps of a parameter, or will keep, by name.

    Args:
        optimizer: It stays as it is.
        group: The group of the parameter, whose options count.
        x: The parameter.
    """
    if optimizer.state.get(x):
        return dict(optimizer.state[x])
    zeros = nn.Parameter(torch.zeros(x.shape, dtype=x.dtype, device="cpu"))
    zeros.grad = torch.zeros_like(zeros)
    options = {name: value for name, value in group.items() if name not in KERNELS}
    options["lr"] = 0.0  # the usual one may be any
    probe = object.__new__(type(optimizer))  # whose constructor may ask for anything
    vars(probe).update(vars(optimizer))
    vars(probe).pop("step", None)  # where a schedule has put its own around it
    probe._optimizer_step_pre_hooks = probe._optimizer_step_post_hooks = OrderedDict()
    probe.state = defaultdict(dict)
    probe.param_groups = [{**dict.fromkeys(KERNELS), **options, "params": [zeros]}]
    probe.step()
    return dict(probe.state[zeros])


def check_resumable(optimizer: optim.Optimizer) -> None:
    """Check that a checkpoint can hold all that an optimizer keeps.

    Raises:
        ValueError: If it needs more than gradients for a step, or keeps what is no
            tensor.
    """
    name = type(optimizer).__name__
    for group in optimizer.param_groups:
        options = {n: value for n, value in group.items() if n != "params"}
        try:
            json.dumps(options)
            kept = kept_of(optimizer, group, min(group["params"], key=Tensor.numel))
        except Exception as error:  # of an optimizer that may be anything
            raise ValueError(
                "the optimizer must take a step from gradients alone, with options "
                f"that are numbers, got {name} ({type(error).__name__}: {error}); "
                "choose another one."
            ) from error
        others = [n for n, x in kept.items() if not isinstance(x, Tensor | None)]
        if others:
            raise ValueError(
                "the optimizer must keep tensors, which a checkpoint can hold, got "
                f"{name}, which keeps {', '.join(others)}; choose another one."
            )
