"""The state of a trainer: written into a checkpoint, and restored from it.

PyTorch's engine for the states of distributed models takes a second to import, so it is
imported on first use.
"""

import importlib
from collections.abc import Mapping
from dataclasses import asdict
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
from transformer.training.state_checks import (
    canonical_names,
    check_finite,
    check_model,
    check_moments,
    check_optimizer,
    check_random_states,
    check_scaler,
    check_tensors,
    expected_moments,
    first_line,
    read_log,
)
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
        CheckpointError: If the checkpoint is of another model; nothing is changed.
    """
    check_model(checkpoint, kind_of(trainer.model), trainer.model.config)
    check_tensors(checkpoint.model, trainer.model)
    log = read_log(checkpoint)
    check_scaler(checkpoint, trainer)
    check_optimizer(checkpoint, trainer)
    check_moments(checkpoint.training, trainer)
    check_finite(checkpoint)
    check_random_states(checkpoint.training, trainer)
    first = canonical_names(trainer.model)
    moments: dict[str, dict[str, Tensor]] = {}
    for key in expected_moments(trainer):
        _, name, kind = key.split("/")
        moments.setdefault(name, {})[kind] = checkpoint.training[key]
    distributed = state_dicts()
    whole = distributed.StateDictOptions(full_state_dict=True)
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
    else:  # which PyTorch cannot restore
        for group, saved in zip(trainer.optimizer.param_groups, groups, strict=True):
            group.update({n: x for n, x in saved.items() if n != "params"})
    trainer.scaler.load_state_dict(checkpoint.state["scaler"])
    trainer.log = log
    trainer.steps = checkpoint.step
    restore_random_states(trainer, checkpoint.training)


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
        ImportError: If `safetensors` is missing.
    """
    checkpoint = load_checkpoint(path)
    kind, numbers = checkpoint.state.get("model"), checkpoint.state.get("config")
    try:
        config = TransformerConfig(**numbers)
        check_layers(config, checkpoint.model)
        dtype = next(iter(checkpoint.model.values())).dtype
        with SkipInitialization():
            with torch.device("meta"):  # where a size that is not true takes no memory
                check_tensors(checkpoint.model, MODELS[kind](config).to(dtype))
            model = MODELS[kind](config).to(dtype)
    except (
        *(KeyError, StopIteration, TypeError, ValueError),
        *(OverflowError, RuntimeError),  # sizes beyond all that can be counted
    ) as error:
        raise CheckpointError(
            f"{path} must describe a model of this package, got {kind!r:.80} "
            f"({first_line(error)}); it was changed, or written by another version."
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
