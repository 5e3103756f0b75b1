"""What a model costs, counted from its configuration: parameters, operations, bytes."""

from transformer.costs.budget import ParameterBudget, parameter_budget
from transformer.costs.memory_bytes import TrainingBytes, cache_bytes, training_bytes
from transformer.costs.operations import (
    Flops,
    forward_flops,
    step_flops,
    training_flops,
)

__all__ = [
    "Flops",
    "ParameterBudget",
    "TrainingBytes",
    "cache_bytes",
    "forward_flops",
    "parameter_budget",
    "step_flops",
    "training_bytes",
    "training_flops",
]
