"""The hub: published weights by name, checked before a single number is used.

Where a checksum is pinned here, the file is the very one that was pinned. Elsewhere it
is compared with the checksum that the hub publishes at that moment: this catches a
damaged download, not a hub that has changed the file.
"""

import json
import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from textwrap import shorten
from types import ModuleType
from typing import Any, Literal, overload

import torch
from torch import Tensor

from transformer.checks.tensors import check_float_dtype
from transformer.checks.values import check_choice
from transformer.data import tokenizer_from_dict
from transformer.files import checksum as checksum_of
from transformer.files import read_json
from transformer.models.saved import TOKENIZER, load_model
from transformer.packages import need
from transformer.zoo.families import family_of
from transformer.zoo.family import Model
from transformer.zoo.gguf.tokenizer import PieceTokenizer
from transformer.zoo.installed import INSTALLED, SHIPPED, LanguageModel, load_installed
from transformer.zoo.llama import LLAMA

LOADING = "loading by name needs"
FILE = "model.safetensors"
INDEX = "model.safetensors.index.json"  # says in which file each tensor is
UNREACHED = {"ConnectionError", "TransportError", "LocalEntryNotFoundError"}


@dataclass(frozen=True, kw_only=True)
class Address:
    """Describe where the weights of a model are published.

    Args:
        repository: Owner and name on the Hugging Face hub.
        revision: The commit; with "main" the newest one.
        checksum: SHA-256 of the file; the one that the hub publishes when None.
        in_pieces: Whether the tensors are spread over several files.
    """

    repository: str
    revision: str = "main"
    checksum: str | None = None
    in_pieces: bool = False


# None is given for Marian and for T5 1.1: safetensors could not be confirmed among
# their published files. Their weights load through `from_hugging_face`.
ADDRESSES = {
    "all-MiniLM-L6-v2": Address(
        repository="sentence-transformers/all-MiniLM-L6-v2",
        revision="c9745ed1d9f207416be6d2e6f8de32d1f16199bf",
        checksum="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    ),
    "bert-base-uncased": Address(
        repository="google-bert/bert-base-uncased",
        revision="86b5e0934494bd15c9632b12f734a8a67f723594",
        checksum="68d45e234eb4a928074dfd868cead0219ab85354cc53d20e772753c6bb9169d3",
    ),
    "bert-large-uncased": Address(repository="google-bert/bert-large-uncased"),
    "gpt2": Address(
        repository="openai-community/gpt2",
        revision="607a30d783dfa663caf39e06633721c8d4cfcd7e",
        checksum="248dfc3911869ec493c76e65bf2fcf7f615828b0254c12b473182f0f81d3a707",
    ),
    "gpt2-medium": Address(repository="openai-community/gpt2-medium"),
    "gpt2-large": Address(repository="openai-community/gpt2-large"),
    "gpt2-xl": Address(repository="openai-community/gpt2-xl"),
    "t5-small": Address(
        repository="google-t5/t5-small",
        revision="df1b051c49625cf57a3d0d8d3863ed4d13564fe4",
    ),
    "t5-base": Address(repository="google-t5/t5-base"),
    "t5-large": Address(repository="google-t5/t5-large"),
    "llama-2-7b": Address(repository="meta-llama/Llama-2-7b-hf", in_pieces=True),
    "llama-2-13b": Address(repository="meta-llama/Llama-2-13b-hf", in_pieces=True),
    "llama-2-70b": Address(repository="meta-llama/Llama-2-70b-hf", in_pieces=True),
    "llama-3-8b": Address(repository="meta-llama/Meta-Llama-3-8B", in_pieces=True),
    "llama-3.1-8b": Address(repository="meta-llama/Llama-3.1-8B", in_pieces=True),
    "llama-3.2-1b": Address(repository="meta-llama/Llama-3.2-1B"),
    "mistral-7b": Address(repository="mistralai/Mistral-7B-v0.1", in_pieces=True),
    "gpt-neox-20b": Address(repository="EleutherAI/gpt-neox-20b", in_pieces=True),
    "pythia-160m": Address(
        repository="EleutherAI/pythia-160m",
        revision="50f5173d932e8e61f858120bcb800b97af589f46",
    ),
}


@overload
def load(
    name: Literal["smollm2-135m", "verses"],
    *,
    dtype: torch.dtype | None = None,
    device: torch.device | str | None = None,
) -> LanguageModel: ...


@overload
def load(
    name: str | Path,
    *,
    dtype: torch.dtype | None = None,
    device: torch.device | str | None = None,
    **options: str | None,
) -> Any: ...  # which model it is the name alone tells


def load(
    name: str | Path,
    *,
    dtype: torch.dtype | None = None,
    device: torch.device | str | None = None,
    **options: str | None,
) -> Model | LanguageModel:
    """Return a published model by name, downloaded once and then kept, or a saved one.

    What pip has installed is read where it lies, and comes with its tokenizer:
    `model, tokenizer = load("smollm2-135m")`; `"verses"`, a small model of this book's
    own, comes with this package. All others come from the hub and need the
    packages `huggingface_hub` and `safetensors`; some also ask for an account that has
    accepted their licence (`hf auth login`).

    Args:
        name: One of `ADDRESSES`, `INSTALLED` or `SHIPPED`, or a folder that
            `save_model` has written; what it has saved with a tokenizer comes with it.
        dtype: That of all parameters; as published when not given.
        device: Where they will be; the CPU when not given.
        options: What else the family's `from_hugging_face` takes, such as `head`.

    Raises:
        ConnectionError: If the hub cannot be reached.
        ImportError: If a package is missing; the message says what to install.
        TypeError: If the family does not take an option; nothing is downloaded.
        ValueError: If the name is not known, a file does not have its checksum, or a
            tensor does not fit; nothing is loaded.
    """
    published = ADDRESSES | INSTALLED | SHIPPED
    if name not in published and Path(name).is_dir():
        return load_saved(Path(name), dtype=dtype, device=device)
    check_choice("name", name, published)
    if dtype is not None:
        check_float_dtype("dtype", dtype)
    if name in SHIPPED:
        LLAMA.check_options(name, options)
        return load_saved(SHIPPED[name], dtype=dtype, device=device or "cpu")
    if name in INSTALLED:
        LLAMA.check_options(name, options)
        found = load_installed(name)
        found.model.to(device=device, dtype=dtype)
        return found
    family = family_of(name)
    family.check_options(name, options)
    tensors: dict[str, Tensor] = {}
    for path, checksum in _fetch(ADDRESSES[name]):
        tensors |= read_verified(path, checksum)
    return family.load(tensors, name, options, dtype=dtype).to(device)


def load_saved(
    folder: Path, *, dtype: torch.dtype | None, device: torch.device | str | None
) -> Model | LanguageModel:
    """Return a model that was saved, with its tokenizer if it has one."""
    model = load_model(folder, dtype=dtype, device=device)
    if not (folder / TOKENIZER).is_file():
        return model
    described = read_json(folder / TOKENIZER)
    read = tokenizer_from_dict
    if isinstance(described, dict) and described.get("kind") == "pieces":
        read = PieceTokenizer.from_dict
    return LanguageModel(model, read(described))


def read_verified(path: str | Path, checksum: str) -> dict[str, Tensor]:
    """Return the tensors of a safetensors file whose SHA-256 checksum is known.

    Raises:
        ValueError: If the file has another checksum, and is not read then, or if it
            holds anything but tensors.
    """
    safetensors = need("safetensors", what=LOADING, extra="hub")
    load_file = need("safetensors.torch", what=LOADING, extra="hub").load_file
    if (found := checksum_of(Path(path))) != checksum.lower():
        raise ValueError(
            f"{Path(path).name} must have the SHA-256 checksum {checksum}, got {found};"
            f" delete {path} and load again."
        )
    try:
        return load_file(path)
    except safetensors.SafetensorError as error:
        raise ValueError(
            f"{Path(path).name} must be a file of safetensors, and is not ({error}); "
            "other kinds of files may hold code, and are never read."
        ) from error


def _fetch(address: Address) -> Iterator[tuple[str, str]]:
    """Download the files of a model; yield the path and checksum of each."""
    hub = need("huggingface_hub", what=LOADING, extra="hub")
    files = [FILE]
    if address.in_pieces:
        index = _download(hub, address, INDEX, address.revision)
        files = read_pieces(Path(index).read_text(encoding="utf-8"))
    for file in files:
        revision, checksum = address.revision, address.checksum
        if checksum is None:
            revision, checksum = _published(hub, address, file)
        yield _download(hub, address, file, revision), checksum


def _download(hub: ModuleType, address: Address, file: str, revision: str) -> str:
    """Return the path of a file, which is fetched unless it is here."""
    with _within_reach(address):
        return hub.hf_hub_download(address.repository, file, revision=revision)


@contextmanager
def _within_reach(address: Address) -> Iterator[None]:
    """Say in a sentence, and only there, that the hub cannot be reached."""
    tries = logging.getLogger("huggingface_hub.utils._http")  # tells of each try
    level = tries.level
    tries.setLevel(logging.ERROR)
    try:
        yield
    except Exception as error:  # of a library for HTTP, which the hub's has changed
        kinds = {kind.__name__ for kind in type(error).__mro__}
        if not kinds & UNREACHED:
            raise
        raise ConnectionError(
            f"the hub must be within reach for {address.repository}, got "
            f"{shorten(str(error).splitlines()[0], 200)!r}; connect, and load again."
        ) from error
    finally:
        tries.setLevel(level)


def read_pieces(index: str) -> list[str]:
    """Return the files over which the tensors of a model are spread.

    Raises:
        ValueError: If it names anything but files of safetensors beside itself.
    """
    try:
        files = sorted(set(json.loads(index)["weight_map"].values()))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(
            f"{INDEX} must map each tensor to its file as 'weight_map', and does not; "
            "download the model yourself and pass its tensors to from_hugging_face."
        ) from error
    for file in files:
        if not re.fullmatch(r"[\w-][\w.-]*\.safetensors", str(file)):
            raise ValueError(
                f"{INDEX} must name files of safetensors beside itself, got {file!r}; "
                "other files are never fetched."
            )
    return files


def _published(hub: ModuleType, address: Address, file: str) -> tuple[str, str]:
    """Return the commit and the SHA-256 checksum that the hub itself names."""
    url = hub.hf_hub_url(address.repository, file, revision=address.revision)
    with _within_reach(address):
        known = hub.get_hf_file_metadata(url)
    if not re.fullmatch(r"[0-9a-f]{64}", known.etag or ""):
        raise ValueError(
            f"the hub must publish a SHA-256 checksum of {file}, got {known.etag!r} "
            f"for {address.repository}; download it yourself and pass its tensors to "
            "from_hugging_face."
        )
    return known.commit_hash or address.revision, known.etag
