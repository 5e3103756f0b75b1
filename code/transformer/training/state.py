"""The state of a trainer: written into a checkpoint, and restored from it.

PyTorch's engine for the states of distributed models takes a second to import, so it is
imported on first use.
"""

import importlib
from collections.abc import Mapping
from dataclasses import asdict, fields
from itertools import zip_longest
from pathlib import Path
from types import ModuleType

import torch
from torch import Tensor, nn

from transformer.config import TransformerConfig
from transformer.models import (
    DecoderOnlyTransformer,
    EncoderOnlyTransformer,
    Transformer,
)
from transformer.models.parameters import SkipInitialization, check_layers
from transformer.training.checkpoints import (
    Checkpoint,
    CheckpointError,
    load_checkpoint,
)
from transformer.training.log import TrainingLog
from transformer.training.optimizer_state import KERNELS, kept_of
from transformer.training.step import Trainer

MODELS = {
    model.__name__: model
    for model in (Transformer, EncoderOnlyTransformer, DecoderOnlyTransformer)
}


def snapshot(trainer: Trainer) -> Checkpoint:
    """Return all that a trainer needs to go on.

    All processes must call this together; only the writer gets whole tensors.
    """
    distributed = state_dicts()
    # Whole tensors on the CPU, wherever the shares of them are.
    whole = distributed.StateDictOptions(full_state_dict=True, cpu_offload=True)
    model, optimizer = distributed.get_state_dict(
        trainer.model, trainer.optimizer, options=whole
    )
    first = canonical_names(trainer.model)
    moments = {
        f"optimizer/{name}/{kind}": number
        for name, numbers in optimizer.get("state", {}).items()
        for kind, number in numbers.items()
        if number is not None
    }
    return Checkpoint(
        step=trainer.steps,
        model={
            name: x.contiguous() for name, x in model.items() if first[name] == name
        },
        training=moments | random_states(trainer),
        state={
            "model": kind_of(trainer.model),
            "config": as_stored(trainer.model.config),
            "optimizer": optimizer.get("param_groups", []),
            "scaler": trainer.scaler.state_dict(),
            "log": trainer.log.to_dict(),
        },
    )


def as_stored(config: TransformerConfig) -> dict[str, object]:
    """Return the fields of a configuration as JSON gives them back."""
    values = asdict(config)
    return {n: list(x) if isinstance(x, tuple) else x for n, x in values.items()}


def restore(trainer: Trainer, checkpoint: Checkpoint) -> None:
    """Restore a trainer to where it was when a checkpoint was written.

    With the same number of processes it goes on as if it had never stopped, to the
    last bit. Processes that were not there then keep their random numbers.

    Args:
        trainer: A trainer for the same model and optimizer, of any number of steps.
        checkpoint: What `load_checkpoint` returned.

    Raises:
        CheckpointError: If the checkpoint is of another model; nothing is changed.
    """
    try:
        log = check_belongs(checkpoint, trainer)
        restore_random_states(trainer, checkpoint.training)
    except (AttributeError, KeyError, RuntimeError, TypeError, ValueError) as error:
        raise CheckpointError(
            f"the checkpoint must be as it was written, got {error!r:.200}; take an "
            "older checkpoint."
        ) from error
    first = canonical_names(trainer.model)
    moments: dict[str, dict[str, Tensor]] = {}
    for key, kept in checkpoint.training.items():
        room, name, kind = key.split("/")
        if room != "random":
            moments.setdefault(name, {})[kind] = kept
    distributed = state_dicts()
    # What never had a gradient has no moments either.
    whole = distributed.StateDictOptions(full_state_dict=True, strict=False)
    parameters = {name: checkpoint.model[first[name]] for name in first}
    distributed.set_model_state_dict(trainer.model, parameters, options=whole)
    groups = checkpoint.state["optimizer"]
    if moments:
        distributed.set_optimizer_state_dict(
            trainer.model,
            trainer.optimizer,
            {"state": moments, "param_groups": groups},
            options=whole,
        )
        for name, x in trainer.model.named_parameters():
            if name not in moments:  # PyTorch has made some up
                trainer.optimizer.state.pop(x, None)
    else:  # which PyTorch cannot restore
        for group, saved in zip(trainer.optimizer.param_groups, groups, strict=True):
            group.update({n: x for n, x in saved.items() if n != "params"})
    trainer.scaler.load_state_dict(checkpoint.state["scaler"])
    trainer.log = log
    trainer.steps = checkpoint.step


def state_dicts() -> ModuleType:
    """Return PyTorch's module for the states of distributed models."""
    return importlib.import_module("torch.distributed.checkpoint.state_dict")


def load_model(path: str | Path) -> nn.Module:
    """Return the model of a checkpoint, in evaluation mode, on the CPU.

    The newest one of a training comes with its tokenizer from `load_training`. What
    `save_model` has written is loaded by `models.load_model`.

    Args:
        path: The folder of the checkpoint.

    Raises:
        CheckpointError: If it cannot be read or does not describe a model.
    """
    checkpoint = load_checkpoint(path)
    kind, numbers = checkpoint.state.get("model"), checkpoint.state.get("config")
    try:
        config = TransformerConfig(**numbers)
        check_layers(config, checkpoint.model)
        dtype = next(iter(checkpoint.model.values())).dtype
        with SkipInitialization():
            with torch.device("meta"):  # where a size that is not true takes no memory
                check_tensors(
                    checkpoint.model, parameters_of(MODELS[kind](config).to(dtype))
                )
            model = MODELS[kind](config).to(dtype)
    except (
        *(KeyError, StopIteration, TypeError, ValueError),
        *(OverflowError, RuntimeError),  # sizes beyond all that can be counted
    ) as error:
        raise CheckpointError(
            f"{path} must describe a model of this package, got {kind!r:.80} "
            f"({error}); it was changed, or written by another version."
        ) from error
    first = canonical_names(model)
    model.load_state_dict({name: checkpoint.model[first[name]] for name in first})
    return model.eval()


def kind_of(model: nn.Module) -> str:
    """Return the name of a model's class; sharding has put another one over it."""
    kinds = (name for name, kind in MODELS.items() if isinstance(model, kind))
    return next(kinds, type(model).__name__)


def random_states(trainer: Trainer) -> dict[str, Tensor]:
    """Return the states of the random generators of all processes."""
    kinds = {"cpu": torch.get_rng_state()}
    if trainer.world.device.type == "cuda":
        kinds["cuda"] = torch.cuda.get_rng_state(trainer.world.device)
    return {
        f"random/{kind}/{rank}": state.cpu()
        for kind, mine in kinds.items()
        for rank, state in enumerate(
            trainer.world.gather(mine.to(trainer.world.device))
        )
    }


def restore_random_states(trainer: Trainer, tensors: Mapping[str, Tensor]) -> None:
    """Restore the random generators of this process."""
    rank, device = trainer.world.rank, trainer.world.device
    if f"random/cpu/{rank}" in tensors:
        torch.set_rng_state(tensors[f"random/cpu/{rank}"])
    if device.type == "cuda" and f"random/cuda/{rank}" in tensors:
        torch.cuda.set_rng_state(tensors[f"random/cuda/{rank}"], device)


def canonical_names(model: nn.Module) -> dict[str, str]:
    """Name for each parameter the first name under which it stands in the model."""
    first: dict[int, str] = {}
    return {
        name: first.setdefault(id(parameter), name)
        for name, parameter in model.named_parameters(remove_duplicate=False)
    }


def parameters_of(model: nn.Module) -> dict[str, Tensor]:
    """Return the parameters of a model by name, tied ones once."""
    return dict(model.named_parameters())


def names_of(trainer: Trainer) -> dict[int, str]:
    """Return the names of the parameters of a trainer, by what identifies them."""
    return {id(x): name for name, x in trainer.model.named_parameters()}


def moments_of(trainer: Trainer) -> dict[str, Tensor]:
    """Return what the optimizer keeps, or will keep, as a checkpoint names it."""
    names = names_of(trainer)
    return {
        f"optimizer/{names[id(x)]}/{kind}": kept
        for group in trainer.optimizer.param_groups
        for x in group["params"]
        for kind, kept in kept_of(trainer.optimizer, group, x).items()
        if kept is not None
    }


def due_moments(trainer: Trainer, held: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return the moments that a checkpoint must hold, where it holds some.

    Those of a parameter come with its first gradient: what is frozen, or takes no part,
    has none of them.
    """
    met = {name.rpartition("/")[0] for name in held}
    kept = moments_of(trainer).items()
    return {n: x for n, x in kept if not met or n.rpartition("/")[0] in met}


# Checks


def check_belongs(checkpoint: Checkpoint, trainer: Trainer) -> TrainingLog:
    """Check that a trainer can go on from a checkpoint; return its log.

    The checksums have told that its files are whole. They may still be of another
    training: all is compared before anything is changed.
    """
    saved, wanted = checkpoint.state, {"model": kind_of(trainer.model)}
    wanted |= as_stored(trainer.model.config)
    # What an older checkpoint does not say is what it was: the default.
    usual = {field.name: field.default for field in fields(TransformerConfig)}
    found = {"model": saved["model"], **usual, **saved["config"]}
    differences = [
        f"{name} {found.get(name)!r} instead of {value!r}"
        for name, value in wanted.items()
        if found.get(name) != value
    ]
    if differences:
        raise CheckpointError(
            f"the checkpoint of step {checkpoint.step} must be of this model, got "
            f"{', '.join(differences)}; use the settings it was written with."
        )
    if "random/cpu/0" not in checkpoint.training:
        raise CheckpointError(
            "the checkpoint must hold the state of the random generator as "
            "random/cpu/0, got none; take an older checkpoint."
        )
    held = {n: x for n, x in checkpoint.training.items() if not n.startswith("random/")}
    check_tensors(checkpoint.model, parameters_of(trainer.model))
    check_tensors(held, due_moments(trainer, held))
    check_groups(saved["optimizer"], trainer)
    scaler = trainer.scaler.state_dict()
    if scaler and scaler.keys() != saved["scaler"].keys():
        raise CheckpointError(
            f"the checkpoint must hold the numbers {', '.join(scaler)} of the scaler "
            f"that float16 needs, got {saved['scaler']}; go on in the precision it was "
            "written in."
        )
    return TrainingLog.from_dict(saved["log"])


def check_groups(saved: list[dict[str, object]], trainer: Trainer) -> None:
    """Check that a checkpoint has the groups of an optimizer, with options like its.

    Options that another version of PyTorch did not know may be missing.
    """
    names = names_of(trainer)
    mine = [
        {**group, "params": sorted(names[id(x)] for x in group["params"])}
        for group in trainer.optimizer.param_groups
    ]
    for came, due in zip_longest(saved, mine, fillvalue={}):
        differing = [
            f"{name} {came[name]!r:.80} instead of {due.get(name, 'none')!r:.80}"
            for name in sorted(came.keys() - {"params", *KERNELS})
            if kind_of_option(came[name]) != kind_of_option(due.get(name))
        ]
        if sorted(came["params"]) != due["params"] or differing:
            found = ", ".join(differing) or f"the parameters {came['params']!r:.80}"
            raise CheckpointError(
                f"the checkpoint must hold the groups of this optimizer, got {found}; "
                "make the optimizer that it was written with."
            )


def kind_of_option(value: object) -> object:
    """Return a switch as it is, a number as its type, a list as those of its items."""
    if isinstance(value, list | tuple):
        return [kind_of_option(number) for number in value]
    if value is None or isinstance(value, bool):
        return value
    return float if isinstance(value, int | float) else type(value)


def check_tensors(found: Mapping[str, Tensor], wanted: Mapping[str, Tensor]) -> None:
    """Check that a checkpoint holds the tensors that are wanted, and no others."""
    for name in sorted(wanted.keys() | found.keys()):
        came, due = described(name, found.get(name)), described(name, wanted.get(name))
        if came != due:
            raise CheckpointError(
                f"the checkpoint must hold as {name} {due}, got {came}; it is of "
                "another model or optimizer."
            )


def described(name: str, x: Tensor | None) -> str:
    """Return the shape and the dtype of a tensor, which is free where steps count."""
    if x is None:
        return "nothing"
    return f"{tuple(x.shape)}" + f" of {x.dtype}" * (not name.endswith("/step"))
