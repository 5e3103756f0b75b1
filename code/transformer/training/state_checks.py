"""Checks that a checkpoint is whole, and belongs to the trainer that goes on from it.

The files of a checkpoint have checksums, and still may be those of another training,
or written by something else: all is compared before anything is changed.
"""

from collections.abc import Mapping
from dataclasses import fields

import torch
from torch import Tensor, nn

from transformer.config import TransformerConfig
from transformer.training.checkpoints import Checkpoint, CheckpointError
from transformer.training.log import TrainingLog
from transformer.training.optimizer_state import KERNELS, kept_of
from transformer.training.step import Trainer

Described = tuple[tuple[int, ...], torch.dtype]


def check_model(checkpoint: Checkpoint, kind: str, config: TransformerConfig) -> None:
    """Check that a checkpoint is of this model; name the differences."""
    state = checkpoint.state
    saved = state.get("config")
    saved = saved if isinstance(saved, Mapping) else {}
    differences = [
        f"{field.name} {saved.get(field.name)!r} instead of {value!r}"
        for field in fields(config)
        if saved.get(field.name) != (value := getattr(config, field.name))
    ]
    if state.get("model") != kind:
        differences.insert(0, f"model {state.get('model')!r} instead of {kind!r}")
    if differences:
        raise CheckpointError(
            f"the checkpoint of step {checkpoint.step} must be of this model, got "
            f"{', '.join(differences)}; use the settings it was written with."
        )


def check_tensors(tensors: Mapping[str, Tensor], model: nn.Module) -> None:
    """Check that tensors are the parameters of a model."""
    first = canonical_names(model)
    wanted = {name: described(x) for name, x in model.named_parameters()}
    found = {
        name: described(x)
        for name, x in tensors.items()
        if first.get(name, name) == name
    }
    check_described("parameters of the model", wanted, found, "it is of another model")


def canonical_names(model: nn.Module) -> dict[str, str]:
    """Name for each parameter the first name under which it stands in the model."""
    first: dict[int, str] = {}
    return {
        name: first.setdefault(id(parameter), name)
        for name, parameter in model.named_parameters(remove_duplicate=False)
    }


def check_finite(checkpoint: Checkpoint) -> None:
    """Check that the parameters and what belongs to them are numbers to go on from."""
    for name, x in [*checkpoint.model.items(), *checkpoint.training.items()]:
        counts = name.endswith(("_sq", "/step"))
        if not bool(x.isfinite().all()) or (counts and bool((x < 0).any())):
            raise CheckpointError(
                f"the checkpoint must hold finite numbers as {name}, none below 0 if "
                "they are squares or counted, got others; take an older checkpoint."
            )


def described(x: Tensor) -> Described:
    """Return the shape and the dtype of a tensor."""
    return tuple(x.shape), x.dtype


def check_described(
    what: str,
    wanted: Mapping[str, Described],
    found: Mapping[str, Described],
    then: str,
) -> None:
    """Check that tensors are there, those that are wanted and no others."""
    for name in sorted(wanted.keys() | found.keys()):
        if wanted.get(name) != found.get(name):
            raise CheckpointError(
                f"the checkpoint must hold the {what}, got for {name} "
                f"{found.get(name, 'nothing')} instead of "
                f"{wanted.get(name, 'nothing')}; {then}."
            )


def read_log(checkpoint: Checkpoint) -> TrainingLog:
    """Return the log of a checkpoint.

    Raises:
        CheckpointError: If it is missing or is not valid.
    """
    try:
        return TrainingLog.from_dict(checkpoint.state.get("log"))
    except (TypeError, ValueError) as error:
        raise CheckpointError(
            f"the checkpoint must hold a log as it was written ({error}); take an "
            "older checkpoint."
        ) from error


def check_scaler(checkpoint: Checkpoint, trainer: Trainer) -> None:
    """Check that a scaler can go on from a checkpoint; one that is off needs none."""
    found, wanted = checkpoint.state.get("scaler"), trainer.scaler.state_dict()
    if (
        not isinstance(found, dict)
        or (wanted and found.keys() != wanted.keys())
        or not all(is_like(name, found[name], wanted) for name in wanted)
    ):
        raise CheckpointError(
            f"the checkpoint must hold the numbers {', '.join(wanted) or 'none'} of "
            f"the scaler that float16 needs, got {found!r:.200}; go on in the "
            "precision it was written in, or take an older checkpoint."
        )


def check_optimizer(checkpoint: Checkpoint, trainer: Trainer) -> None:
    """Check that a checkpoint has the groups of this optimizer.

    Options that another version of PyTorch did not know may be missing.
    """
    mine, saved = options_of(trainer), checkpoint.state.get("optimizer")
    if not isinstance(saved, list) or len(saved) != len(mine):
        raise CheckpointError(
            f"the checkpoint must hold {len(mine)} groups of the optimizer, got "
            f"{saved!r:.200}; take an older checkpoint."
        )
    for group, expected in zip(saved, mine, strict=True):
        names = group.get("params") if isinstance(group, dict) else None
        if not are_names(names) or sorted(names) != expected["params"]:
            raise CheckpointError(
                "the checkpoint must hold the names of the parameters of each group "
                f"of the optimizer, got {names!r:.200}; take an older checkpoint."
            )
        differing = [
            f"{name} {group[name]!r:.80} instead of {expected.get(name, 'none')!r}"
            for name in sorted(group.keys() - {"params"})
            if not is_like(name, group[name], expected)
        ]
        if differing:
            raise CheckpointError(
                "the checkpoint must hold the options of the optimizer, got "
                f"{', '.join(differing)}; take an older checkpoint."
            )


def options_of(trainer: Trainer) -> list[dict[str, object]]:
    """Return the groups of an optimizer, with the names of their parameters."""
    names = {id(x): name for name, x in trainer.model.named_parameters()}
    return [
        {**group, "params": sorted(names[id(x)] for x in group["params"])}
        for group in trainer.optimizer.param_groups
    ]


def are_names(names: object) -> bool:
    """Return whether an object is a list of texts."""
    return isinstance(names, list) and all(isinstance(name, str) for name in names)


def is_like(name: str, value: object, expected: Mapping[str, object]) -> bool:
    """Return whether a value may stand for an option of this optimizer."""
    if name in KERNELS:
        return isinstance(value, bool | None)
    return name in expected and kind_of_option(value) == kind_of_option(expected[name])


def kind_of_option(value: object) -> object:
    """Return a switch as it is, a number as its type, a list as those of its items."""
    if isinstance(value, list | tuple):
        return [kind_of_option(number) for number in value]
    if value is None or isinstance(value, bool):
        return value
    return float if isinstance(value, int | float) else type(value)


def check_moments(tensors: Mapping[str, Tensor], trainer: Trainer) -> None:
    """Check that tensors are the moments of an optimizer, and random states."""
    wanted = expected_moments(trainer)
    found = {
        name: described_moment(name.rpartition("/")[2], x)
        for name, x in tensors.items()
        if not name.startswith("random/")
    }
    check_described(
        "moments of the optimizer", wanted, found, "take an older checkpoint"
    )


def expected_moments(trainer: Trainer) -> dict[str, Described]:
    """Return the shape and dtype of each tensor that belongs to the optimizer."""
    names = {id(x): name for name, x in trainer.model.named_parameters()}
    return {
        f"optimizer/{names[id(x)]}/{kind}": described_moment(kind, kept)
        for group in trainer.optimizer.param_groups
        for x in group["params"]
        for kind, kept in kept_of(trainer.optimizer, group, x).items()
        if kept is not None
    }


def described_moment(kind: str, x: Tensor) -> Described:
    """Return the shape and the dtype of what an optimizer keeps.

    A step is counted in the default dtype, unless a fused kernel counts.
    """
    return described(x.float() if kind == "step" else x)


def check_random_states(tensors: Mapping[str, Tensor], trainer: Trainer) -> None:
    """Check that tensors hold states of random generators, of the first process too."""
    device = trainer.world.device
    kinds = {"cpu": torch.Generator()}
    if device.type == "cuda":
        kinds["cuda"] = torch.Generator(device)
    for kind, generator in kinds.items():
        for name in sorted(tensors):
            if not name.startswith(f"random/{kind}/"):
                continue
            try:
                generator.set_state(tensors[name])
            except (RuntimeError, TypeError) as error:
                raise CheckpointError(
                    "the checkpoint must hold the state of a random generator as "
                    f"{name}, got {described(tensors[name])} ({first_line(error)}); "
                    "take an older checkpoint."
                ) from error
    if "random/cpu/0" not in tensors:
        raise CheckpointError(
            "the checkpoint must hold the state of the random generator as "
            "random/cpu/0, got none; take an older checkpoint."
        )


def first_line(error: Exception) -> str:
    """Return the first line of what PyTorch says, without its place in C++."""
    return next(iter(str(error).splitlines()), type(error).__name__)
