"""Checksums: whether a file holds the bytes that were published."""

import hashlib
import re
from pathlib import Path

from transformer.checks.values import check_kind

DIGITS = {"sha1": 40, "sha256": 64}  # hexadecimal digits of each kind


def checksum_of(path: Path, like: str) -> str:
    """Return the checksum of a file, of the same kind as another one."""
    algorithm = like.partition(":")[0]
    with path.open("rb") as file:
        return f"{algorithm}:{hashlib.file_digest(file, algorithm).hexdigest()}"


def check_checksum(checksum: str) -> None:
    """Refuse what is no checksum, or of another kind."""
    check_kind("checksum", checksum, str)
    algorithm, _, digits = checksum.partition(":")
    if not (
        algorithm in DIGITS
        and re.fullmatch(rf"[0-9a-fA-F]{{{DIGITS[algorithm]}}}", digits)
    ):
        raise ValueError(
            "checksum must be sha256: and 64 hexadecimal digits, or sha1: and 40, got "
            f"{checksum!r}; copy it from where the file is published."
        )
