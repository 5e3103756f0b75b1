"""Adapters in folders: two narrow matrices for each map, without the model."""

import json
from hashlib import sha256
from pathlib import Path
from textwrap import shorten
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from transformer.files import beside, checksum, disk_errors, read_json
from transformer.models.quantized import check_floats
from transformer.models.wrapped import unwrapped
from transformer.packages import need
from transformer.training.lora import (
    LoRALinear,
    adapted_parts,
    check_attached,
    check_lora,
    maps_of,
    put,
)

FORMAT = "tested-transformer adapter, version 1"
WEIGHTS, DESCRIPTION = "adapter.safetensors", "adapter.json"
PACKAGE = {"what": "an adapter on the disk needs", "extra": "training"}


class AdapterError(Exception):
    """An adapter cannot be read, or does not fit a model; the message says why."""


class Adapter(NamedTuple):
    """What `save_adapter` has written: of each map its settings, and the matrices."""

    maps: dict[str, dict]
    tensors: dict[str, Tensor]


def save_adapter(model: nn.Module, folder: str | Path) -> None:
    """Write the adapter of a model into a folder, and nothing of the model itself.

    Source: ours; beside the matrices stands a checksum of each that they change, by
    which `load_adapter` knows the model again.

    Args:
        model: A model with an adapter.
        folder: Where to write `adapter.json` and `adapter.safetensors`.

    Raises:
        ValueError: If the model has no adapter, or was quantized.
    """
    parts, folder = adapted_parts(model), Path(folder)
    check_floats(unwrapped(model), purpose="to have its adapter saved")
    save = need("safetensors.torch", **PACKAGE).save_file
    tensors, maps = {}, {}
    for name, part in parts.items():
        for matrix in ("down", "up"):
            tensors[f"{name}.{matrix}"] = getattr(part, matrix).detach().contiguous()
        base = fingerprint(part.linear.weight)
        maps[name] = {"alpha": part.alpha, "dropout": part.dropout, "base": base}
    folder.mkdir(parents=True, exist_ok=True)
    with beside(folder / WEIGHTS) as weights, beside(folder / DESCRIPTION) as said:
        with disk_errors(weights):
            save(tensors, str(weights))
        whole = {"format": FORMAT, "checksum": checksum(weights), "maps": maps}
        said.write_text(json.dumps(whole, indent=1), encoding="utf-8")


def read_adapter(folder: str | Path) -> Adapter:
    """Return what `save_adapter` has written, before there is a model for it.

    Raises:
        AdapterError: If a file is missing, changed or something else.
    """
    folder = Path(folder)
    load = need("safetensors.torch", **PACKAGE).load_file
    damaged = need("safetensors", **PACKAGE).SafetensorError
    try:
        said = read_json(folder / DESCRIPTION)
        if said["format"] != FORMAT:
            raise ValueError(f"format {said['format']!r:.80}")
        if (found := checksum(folder / WEIGHTS)) != said["checksum"]:
            raise ValueError(f"SHA-256 checksum {found} of {WEIGHTS}")
        adapter = Adapter(dict(said["maps"]), load(folder / WEIGHTS))
        names = {f"{name}.{x}" for name in adapter.maps for x in ("down", "up")}
        if not names or names != adapter.tensors.keys():
            raise ValueError(f"the matrices {sorted(adapter.tensors)!r:.80}")
    except (OSError, KeyError, TypeError, ValueError, damaged) as error:
        raise AdapterError(
            f"{folder} must be the folder of an adapter as save_adapter has written "
            f"it, and is not ({shorten(str(error), 200)}); name another, or save again."
        ) from error
    return adapter


def load_adapter(model: nn.Module, adapter: str | Path | Adapter) -> nn.Module:
    """Attach an adapter that was saved to the model that it has learned on.

    The model is changed and returned. Only the adapter learns, if it learns further.

    Args:
        model: What it was attached to, in float32 or bfloat16.
        adapter: The folder in which it was saved, or what `read_adapter` returned.

    Raises:
        AdapterError: If it cannot be read, or is of another model: also of this one,
            when this adapter has been merged into it, or its maps are compiled one by
            one. The model is left as it came.
        ValueError: If the model has an adapter.
    """
    if not isinstance(adapter, Adapter):
        adapter = read_adapter(adapter)
    check_attached(model, [*adapter.maps])
    maps = maps_of(model)
    for name in adapter.maps:  # all of them, before one is changed
        check_fits(name, maps.get(name), adapter)
    parts = {maps[name]: adapted(name, maps[name], adapter) for name in adapter.maps}
    put(model, parts)
    return model


def adapted(name: str, linear: nn.Linear, adapter: Adapter) -> LoRALinear:
    """Return a map with what an adapter adds to it."""
    part = LoRALinear(linear, **settings(name, adapter))
    with torch.no_grad():
        part.down.copy_(adapter.tensors[f"{name}.down"])
        part.up.copy_(adapter.tensors[f"{name}.up"])
    return part


def settings(name: str, adapter: Adapter) -> dict[str, Any]:
    """Return what an adapter says of the numbers of a map."""
    said, rank = adapter.maps[name], len(adapter.tensors[f"{name}.down"])
    return {"rank": rank, "alpha": said["alpha"], "dropout": said["dropout"]}


def fingerprint(weight: Tensor) -> str:
    """Return a checksum of a matrix, the same in float32 and rounded to bfloat16."""
    rounded = weight.detach().to("cpu", torch.bfloat16).contiguous()
    return sha256(rounded.view(torch.uint8).numpy()).hexdigest()


# Checks


def check_fits(name: str, linear: nn.Module | None, adapter: Adapter) -> None:
    """Check that an adapter has learned on this map of a model."""
    try:
        check_lora(linear, **settings(name, adapter))
        down, up = (adapter.tensors[f"{name}.{matrix}"] for matrix in ("down", "up"))
        came = (tuple(up.shape), tuple(down.shape))
        rank = len(down)
        must = ((linear.out_features, rank), (rank, linear.in_features))
        if came != must:
            raise ValueError(f"matrices of shapes {came} instead of {must}")
        if fingerprint(linear.weight) != adapter.maps[name]["base"]:
            raise ValueError(
                "other numbers in its matrix than those that the adapter has learned "
                "on, as after a merge or in float16"
            )
    except (IndexError, KeyError, TypeError, ValueError) as error:
        raise AdapterError(
            f"the adapter must be of this model, and does not fit its {name} "
            f"({shorten(str(error), 200)}); load the model that it was attached to, "
            "anew, and then the adapter."
        ) from error
