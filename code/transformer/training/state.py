"""The state of a trainer: written into a checkpoint, and restored from it.

PyTorch's engine for the states of distributed models takes a second to import, so it is
imported on first use.
"""

import importlib
from collections.abc import Mapping
from dataclasses import asdict, fields
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
from transformer.training.checkpoints import (
    Checkpoint,
    CheckpointError,
    load_checkpoint,
)
from transformer.training.log import TrainingLog
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
    }
    return Checkpoint(
        step=trainer.steps,
        model={
            name: x.contiguous() for name, x in model.items() if first[name] == name
        },
        training=moments | random_states(trainer),
        state={
            "model": kind_of(trainer.model),
            "config": asdict(trainer.model.config),
            "optimizer": optimizer.get("param_groups", []),
            "scaler": trainer.scaler.state_dict(),
            "log": trainer.log.to_dict(),
        },
    )


def restore(trainer: Trainer, checkpoint: Checkpoint) -> None:
    """Restore a trainer to where it was when a checkpoint was written.

    With the same number of processes it goes on as if it had never stopped, to the
    last bit. Processes that were not there then keep their random numbers.

    Args:
        trainer: A trainer for the same model and optimizer, of any number of steps.
        checkpoint: What `load_checkpoint` returned.

    Raises:
        CheckpointError: If the checkpoint is of another model, or without the state of
            a scaler that this trainer needs; nothing is changed.
    """
    check_model(checkpoint, kind_of(trainer.model), trainer.model.config)
    check_tensors(checkpoint.model, trainer.model)
    log, scaler, groups = read_numbers(checkpoint)
    check_scaler(scaler, trainer.scaler)
    first = canonical_names(trainer.model)
    moments: dict[str, dict[str, Tensor]] = {}
    for key, number in checkpoint.training.items():
        if key.startswith("optimizer/"):
            _, name, kind = key.split("/")
            moments.setdefault(name, {})[kind] = number
    distributed = state_dicts()
    distributed.set_state_dict(
        trainer.model,
        trainer.optimizer,
        model_state_dict={name: checkpoint.model[first[name]] for name in first},
        optim_state_dict={"state": moments, "param_groups": groups},
        options=distributed.StateDictOptions(full_state_dict=True),
    )
    trainer.scaler.load_state_dict(scaler)
    trainer.log = log
    trainer.steps = checkpoint.step
    restore_random_states(trainer, checkpoint.training)


def state_dicts() -> ModuleType:
    """Return PyTorch's module for the states of distributed models."""
    return importlib.import_module("torch.distributed.checkpoint.state_dict")


def read_numbers(checkpoint: Checkpoint) -> tuple[TrainingLog, dict, list]:
    """Return the log, the state of the scaler and the groups of the optimizer.

    Raises:
        CheckpointError: If one of them is missing or is not valid.
    """
    state = checkpoint.state
    scaler, groups = state.get("scaler"), state.get("optimizer")
    try:
        log = TrainingLog.from_dict(state.get("log"))
        names = [name for group in groups for name in group["params"]]
    except (KeyError, TypeError, ValueError) as error:
        raise CheckpointError(
            "the checkpoint must hold a log and the groups of the optimizer as they "
            f"were written ({error}); take an older checkpoint."
        ) from error
    moments = {key.split("/")[1] for key in checkpoint.training if "/exp_avg" in key}
    if not isinstance(scaler, dict) or not moments or moments != set(names):
        raise CheckpointError(
            f"the checkpoint must hold the state of a scaler, got {scaler!r}, and two "
            f"moments for each of {len(names)} parameters of the optimizer, got "
            f"{len(moments)}; take an older checkpoint."
        )
    return log, scaler, groups


def load_model(path: str | Path) -> nn.Module:
    """Return the model of a checkpoint, in evaluation mode, on the CPU.

    Args:
        path: The folder of the checkpoint.

    Raises:
        CheckpointError: If it cannot be read or does not describe a model.
        ImportError: If `safetensors` is missing.
    """
    checkpoint = load_checkpoint(path)
    kind, numbers = checkpoint.state.get("model"), checkpoint.state.get("config")
    try:
        config = TransformerConfig(**numbers)
        with torch.random.fork_rng(devices=[]):  # its first values are replaced at once
            model = MODELS[kind](config)
        model.to(next(iter(checkpoint.model.values())).dtype)
    except (KeyError, StopIteration, TypeError, ValueError) as error:
        raise CheckpointError(
            f"{path} must describe a model of this package, got {kind!r} ({error}); "
            "it was changed, or written by another version."
        ) from error
    check_tensors(checkpoint.model, model)
    first = canonical_names(model)
    model.load_state_dict({name: checkpoint.model[first[name]] for name in first})
    return model.eval()


def kind_of(model: nn.Module) -> str:
    """Return the name of a model's class; sharding has put another one over it."""
    kinds = (name for name, kind in MODELS.items() if isinstance(model, kind))
    return next(kinds, type(model).__name__)


def canonical_names(model: nn.Module) -> dict[str, str]:
    """Name for each parameter the first name under which it stands in the model."""
    first: dict[int, str] = {}
    return {
        name: first.setdefault(id(parameter), name)
        for name, parameter in model.named_parameters(remove_duplicate=False)
    }


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
    wanted = {
        name: (tuple(parameter.shape), parameter.dtype)
        for name, parameter in model.named_parameters()
    }
    found = {
        name: (tuple(x.shape), x.dtype)
        for name, x in tensors.items()
        if first.get(name, name) == name
    }
    for name in sorted(wanted.keys() | found.keys()):
        if wanted.get(name) != found.get(name):
            raise CheckpointError(
                "the checkpoint must hold the parameters of the model, got for "
                f"{name} {found.get(name, 'nothing')} instead of "
                f"{wanted.get(name, 'nothing')}; it is of another model."
            )


def check_scaler(state: Mapping[str, object], scaler: torch.amp.GradScaler) -> None:
    """Check that a scaler can go on from a state; one that is off needs none."""
    wanted = {name: type(number) for name, number in scaler.state_dict().items()}
    found = {name: type(number) for name, number in state.items()}
    if wanted and found != wanted:
        raise CheckpointError(
            f"the checkpoint must hold the numbers {', '.join(wanted)} of the scaler "
            f"that float16 needs, got {dict(state)!r:.200}; go on in the precision it "
            "was written in, or take an older checkpoint."
        )


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
