"""Models in folders: the configuration as JSON, the parameters as safetensors."""

import json
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from math import prod
from pathlib import Path
from textwrap import shorten
from typing import Any, Protocol, runtime_checkable

import torch
from torch import Tensor, nn

from transformer.config import TransformerConfig
from transformer.files import beside, checksum, disk_errors, read_json
from transformer.models.decoder_only import DecoderOnlyTransformer
from transformer.models.encoder_only import HEADS, EncoderOnlyTransformer
from transformer.models.heads import LabelHead, MaskedLanguageModelHead, Pooler
from transformer.models.image_encoder import HEADS as IMAGE_HEADS
from transformer.models.image_encoder import ImageEncoder
from transformer.models.packed import pack, unpack
from transformer.models.parameters import SkipInitialization, check_layers
from transformer.models.quantized import check_bits, check_floats
from transformer.models.seq2seq import Transformer
from transformer.models.wrapped import unwrapped
from transformer.packages import need

Model = Transformer | DecoderOnlyTransformer | EncoderOnlyTransformer | ImageEncoder
KINDS = {kind.__name__: kind for kind in Model.__args__}
FORMAT = "tested-transformer model, version 1"
CONFIG, WEIGHTS, TOKENIZER = "config.json", "model.safetensors", "tokenizer.json"
COMPILED = "._orig_mod"  # what torch.compile adds to the name of a part


@runtime_checkable
class Described(Protocol):
    """A tokenizer that can say all there is to know of it."""

    def to_dict(self) -> dict[str, Any]:
        """Return it, as JSON can hold it."""


def save_model(
    model: nn.Module,
    folder: str | Path,
    *,
    tokenizer: Described | None = None,
    bits: int | None = None,
) -> None:
    """Write a model into a folder, from which `load_model` makes it again.

    Source: ours; safetensors holds numbers only, and no code that runs when it is read.

    Args:
        model: A model, also inside a wrapper such as that of `torch.compile`.
        folder: Where to write `config.json` and `model.safetensors`; made if missing,
            and a model that is there is replaced.
        tokenizer: What goes with it, written as `tokenizer.json`; both are loaded by
            `transformer.zoo.load(folder)`.
        bits: 8 to write matrices in a quarter of the bytes of float32, each entry moved
            by less than a hundredth of the largest of its row; as they are when not
            given.

    Raises:
        ValueError: If its weights are quantized, or of several types, or if a part of
            it has been replaced, which its configuration does not tell; or if `bits`
            is another number than 8, or a weight not finite.
    """
    model = unwrapped(model)
    folder = Path(folder)
    check_floats(model, purpose="to be saved")
    _check_one_dtype(model)
    tensors, described = _loadable(model), _described(model)
    if bits is not None:
        check_bits(bits)
        tensors, described = pack(tensors), {**described, "bits": bits}
    # Before anything is written: a tokenizer may have no `to_dict`.
    said = None if tokenizer is None else json.dumps(tokenizer.to_dict())
    save = need("safetensors.torch", what="saving a model needs", extra="hub").save_file
    folder.mkdir(parents=True, exist_ok=True)
    # Both are renamed at the end, the configuration first: after a kill between them
    # its checksum is not that of the weights.
    with beside(folder / WEIGHTS) as weights, beside(folder / CONFIG) as config:
        with disk_errors(weights):
            save(tensors, str(weights))
        described = {**described, "checksum": checksum(weights)}
        config.write_text(json.dumps(described, indent=1), encoding="utf-8")
    (folder / TOKENIZER).unlink(missing_ok=True)
    if said is not None:
        with beside(folder / TOKENIZER) as told:
            told.write_text(said, encoding="utf-8")


def load_model(
    folder: str | Path,
    *,
    device: torch.device | str | None = None,
    dtype: torch.dtype | None = None,
) -> Model:
    """Return the model that `save_model` has written, in evaluation mode.

    What `python -m transformer train` has saved is loaded by `training.load_training`,
    with its tokenizer, and one checkpoint of a training by `training.load_model`.

    Args:
        folder: Where it was saved.
        device: Where its parameters will be; the default device when not given.
        dtype: Their type; as it was saved when not given.

    Raises:
        FileNotFoundError: If the folder or one of its files is missing.
        ValueError: If a file is not one that `save_model` has written, or both do not
            belong together.
    """
    folder = Path(folder)
    for name in (CONFIG, WEIGHTS):
        if not (folder / name).is_file():
            raise FileNotFoundError(
                f"{folder} must be the folder of a saved model, got "
                f"{_found_instead(folder, name)}."
            )
    stored = _count_stored(folder / WEIGHTS)
    with torch.device("meta"):  # where a size that is not true takes no memory
        model, *_ = _read_config(folder / CONFIG, stored)
    _check_count(model, stored, folder / WEIGHTS)
    model, wanted, bits = _read_config(folder / CONFIG, stored)
    model = model.to(device)
    _read_weights(model, folder / WEIGHTS, wanted, bits)
    return model.to(dtype).eval()


def _found_instead(folder: Path, name: str) -> str:
    """Return what a folder is where a file is missing, and what to do."""
    if (folder / "checkpoints").is_dir():
        return (
            "that of a training; transformer.load_training loads its newest model and "
            "its tokenizer"
        )
    if not folder.exists():
        return (
            "nothing; pass a folder that save_model has written, or load a published "
            'model by its name, such as transformer.zoo.load("gpt2")'
        )
    if (folder / "state.json").is_file():
        return "a checkpoint; transformer.training.load_model loads its model"
    return f"none with {name}; pass a folder that save_model has written"


def _check_one_dtype(model: Model) -> None:
    """Check that all parameters are of one type, the one that is written down."""
    found = sorted({str(parameter.dtype) for parameter in model.parameters()})
    if len(found) > 1:
        raise ValueError(
            "the parameters of a model must be of one type to be saved, got "
            f"{' and '.join(found)}; convert them, as by model.to(torch.float32)."
        )


def _loadable(model: Model) -> dict[str, Tensor]:
    """Return the parameters of a model, which has the parts of its configuration.

    What `torch.compile` has put around a part is left out of its names.
    """
    described = _described(model)
    if described["kind"] not in KINDS:
        raise ValueError(
            f"a model must be of class {' or '.join(KINDS)} to be saved, got "
            f"{described['kind']}; save model.state_dict() beside your own code."
        )
    with torch.device("meta"):
        wanted = _parts(_build(described))
    found = _parts(model)
    for name in wanted | found:
        if found.get(name) != wanted.get(name):
            came, must = found.get(name, "nothing"), wanted.get(name, "nothing")
            raise ValueError(
                "a model must have the parts of its configuration to be saved, got "
                f"{came} as {name} instead of {must}; put the part back, merge what "
                "was added, or save model.state_dict() beside your own code."
            )
    named = model.named_parameters()
    return {name.replace(COMPILED, ""): x.detach().contiguous() for name, x in named}


def _parts(model: nn.Module) -> dict[str, str]:
    """Return of which class each part is, and which shape each parameter has."""
    parts = {name: part for name, part in model.named_modules() if name}
    inner = {name: getattr(part, "_orig_mod", part) for name, part in parts.items()}
    found = {
        name.replace(COMPILED, ""): _full_name(type(x)) for name, x in inner.items()
    }
    for name, x in model.named_parameters():
        found[name.replace(COMPILED, "")] = f"a tensor of shape {tuple(x.shape)}"
    return found


def _full_name(kind: type) -> str:
    """Return where a class is defined, and its name."""
    return f"{kind.__module__}.{kind.__qualname__}"


def _build(described: Mapping[str, object]) -> Model:
    """Return an untrained model from what `_described` has said of it."""
    kind = KINDS[described["kind"]]
    options = {}
    if kind in (EncoderOnlyTransformer, ImageEncoder):
        options = {"head": described["head"]}
    with SkipInitialization():
        return kind(TransformerConfig(**described["config"]), **options)


def _described(model: Model) -> dict[str, object]:
    """Return all that makes an untrained copy of a model."""
    kinds = {MaskedLanguageModelHead: "masked_language_model", Pooler: "pooler"}
    kinds |= {LabelHead: "labels"}
    return {
        "format": FORMAT,
        "kind": type(model).__name__,
        "head": kinds.get(type(model.head)),
        "dtype": str(next(model.parameters()).dtype).removeprefix("torch."),
        "config": asdict(model.config),
    }


def _count_stored(path: Path) -> dict[str, int]:
    """Return of how many numbers each stored tensor is."""
    safetensors = need("safetensors", what="loading a model needs", extra="hub")
    with _explained(path), safetensors.safe_open(path, framework="pt") as file:
        return {x: prod(file.get_slice(x).get_shape()) for x in file.keys()}  # noqa: SIM118


def _check_count(model: Model, stored: Mapping[str, int], path: Path) -> None:
    """Check that a model has not many more parameters than are stored."""
    wanted = sum(parameter.numel() for parameter in model.parameters())
    with _explained(path):
        if wanted > 2 * (found := sum(stored.values())):  # what is near is named later
            raise RuntimeError(f"{found} numbers instead of {wanted}")


def _read_config(
    path: Path, stored: Collection[str]
) -> tuple[Model, str | None, int | None]:
    """Return an untrained model from its description, and what tells of its weights.

    That is their checksum, which older descriptions do not have, and their bits.
    """
    try:
        found = read_json(path)
        if found["format"] != FORMAT or found["head"] not in HEADS | IMAGE_HEADS:
            raise ValueError(f"format {found['format']!r} and head {found['head']!r}")
        check_layers(TransformerConfig(**found["config"]), stored)
        model = _build(found).to(getattr(torch, found["dtype"]))
        if found.get("bits") is not None:
            check_bits(found["bits"])
        return model, found.get("checksum"), found.get("bits")
    except (
        *(AttributeError, KeyError, TypeError, ValueError),
        *(OverflowError, RuntimeError),  # sizes beyond all that can be counted
    ) as error:
        raise ValueError(
            f"{path} must describe a model as save_model has written it, and does not "
            f"({shorten(str(error), 300)}); save the model again."
        ) from error


def _read_weights(
    model: Model, path: Path, wanted: str | None, bits: int | None
) -> None:
    """Read the parameters of a model, all of them and nothing else."""
    load = need("safetensors.torch", what="loading a model needs", extra="hub")
    with _explained(path):
        if wanted is not None and (found := checksum(path)) != wanted:
            raise RuntimeError(f"SHA-256 checksum {found} instead of {wanted}")
        if not bits:
            load.load_model(model, path)
            return
        tensors = unpack(load.load_file(path))
        _, strange = model.load_state_dict(tensors, strict=False)
        named = {name for name, _ in model.named_parameters()}  # tied ones once
        if strange or (missing := sorted(named - tensors.keys())):
            raise RuntimeError(f"{strange or missing} that do not fit")


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Say which file it is that cannot be read, or does not fit."""
    safetensors = need("safetensors", what="loading a model needs", extra="hub")
    try:
        yield
    except (RuntimeError, safetensors.SafetensorError) as error:
        raise ValueError(
            f"{path} must hold the parameters of the model beside it, and does not "
            f"({shorten(str(error), 300)}); save the model again."
        ) from error
