"""Downloads that can be interrupted: what arrived is kept, and checked at the end.

The standard library does the transfer. `huggingface_hub.file_download.http_get` resumes
too, but is no public function of its package, and its errors speak of the hub alone;
`torch.hub.download_url_to_file` and the package pooch begin from zero each time.
"""

import re
import ssl
import time
import warnings
from contextlib import AbstractContextManager
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from transformer.checks.values import check_positive, check_size
from transformer.data.pairs import DataError
from transformer.files import beside
from transformer.files import checksum as checksum_of
from transformer.packages import need

DIGITS = {"sha1": 40, "sha256": 64}  # hexadecimal digits of each kind of checksum
CHUNK = 1 << 16  # bytes
TIMEOUT = 30.0  # seconds without an answer
# Answers that say "not now": too slow, too many requests, trouble of the server.
TRANSIENT = {408, 425, 429, 500, 502, 503, 504}
PARTIAL, RANGE_REFUSED = 206, 416
# What a connection that is lost can raise; a full disk is not among them.
LOST = (URLError, HTTPException, ConnectionError, TimeoutError, ssl.SSLError)


class DownloadError(DataError):
    """A file cannot be had; the message says why, and what to do."""


def fetch(
    url: str,
    path: str | Path,
    *,
    checksum: str,
    progress: bool | None = None,
    attempts: int = 5,
    pause: float = 1.0,
) -> Path:
    """Return the path of a file, downloaded unless it is there already.

    What arrives is written beside the final name, with `.part` at its end, and gets
    its name when its checksum is right. A download that was interrupted continues
    where it stopped, now or in another call; from zero if the server cannot do that.
    A file that is there with another checksum is downloaded again, with a warning.

    Source: RFC 9110, section 14, for asking for the rest of a file.

    Args:
        url: Where the file is; http or https.
        path: Where it is to be; missing folders are made.
        checksum: "sha256:" or "sha1:" and the hexadecimal digits.
        progress: Whether to show a bar; in a terminal only when None.
        attempts: How often to try when nothing more arrives.
        pause: Seconds to wait before the second attempt, doubled each time.

    Raises:
        DownloadError: If the file cannot be had, or not with this checksum.
        IsADirectoryError: If `path` is a folder.
        ValueError: If the address, the checksum or a number is not valid.
    """
    check_url(url)
    check_checksum(checksum)
    check_size("attempts", attempts)
    check_positive("pause", pause)
    path = Path(path)
    if path.is_dir():
        raise IsADirectoryError(
            f"path must be that of a file, got the folder {path}; add the name of the "
            "file."
        )
    wanted = checksum.lower()
    if path.is_file():
        if (found := _checksum_like(wanted, path)) == wanted:
            return path
        warnings.warn(
            f"{path} must have the checksum {checksum}, got {found}; it was cut or "
            "changed, and is downloaded again.",
            stacklevel=2,
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    with beside(path) as part:
        for _ in range(1 + part.exists()):  # what is there may be of another file
            _complete(url, part, progress, attempts, pause)
            if (found := _checksum_like(wanted, part)) == wanted:
                break
            part.unlink()
        else:
            raise DownloadError(
                f"{url} must have the checksum {checksum}, got {found}; the file has "
                "changed there, so update the checksum if you trust the new one."
            )
    return path


def _complete(
    url: str, part: Path, progress: bool | None, attempts: int, pause: float
) -> None:
    """Download what is missing of a file."""
    failures = 0
    while True:
        before = size(part)
        try:
            return _transfer(url, part, progress)
        except LOST as error:
            _check_permanent(url, error)
            failures = 1 if size(part) > before else failures + 1
            if failures >= attempts:
                raise DownloadError(
                    f"{url} must be within reach, got {describe(error)} "
                    f"{failures} times; {size(part)} bytes are kept in {part}, so run "
                    "it again and it continues there."
                ) from error
            time.sleep(pause * 2 ** (failures - 1))


def _transfer(url: str, part: Path, progress: bool | None) -> None:
    """Ask for the rest of a file and write what arrives.

    Raises:
        ConnectionError: If less arrives than was announced.
    """
    start = size(part)
    request = Request(url, headers={"Range": f"bytes={start}-"} if start else {})
    try:
        response = urlopen(request, timeout=TIMEOUT)
    except HTTPError as error:
        if error.code != RANGE_REFUSED or not start:
            raise
        error.close()  # nothing is missing: the checksum tells whether it is the file
        return
    with response:
        if response.status == PARTIAL and not _continues(response, start):
            part.unlink(missing_ok=True)  # and begin from zero
            raise ConnectionError(f"an answer that goes on elsewhere than at {start}")
        start = start if response.status == PARTIAL else 0
        rest = response.headers.get("Content-Length")
        whole = None if rest is None else start + int(rest)
        with (
            part.open("r+b" if start else "wb") as file,
            _bar(part.stem, start, whole, progress) as bar,
        ):
            file.seek(start)
            while chunk := response.read(CHUNK):
                file.write(chunk)
                bar.update(len(chunk))
    if whole is not None and size(part) < whole:
        raise ConnectionError(f"an end after {size(part)} of {whole} bytes")


def _continues(response: HTTPResponse, start: int) -> bool:
    """Whether a part of a file begins where we asked for."""
    content_range = response.headers.get("Content-Range", "")
    return content_range.startswith(f"bytes {start}-")


def _bar(
    name: str, start: int, whole: int | None, progress: bool | None
) -> AbstractContextManager[Any]:
    """Return a progress bar, which may be invisible."""
    return need("tqdm", what="downloading needs", extra="training").tqdm(
        total=whole,
        initial=start,
        desc=name,
        unit="B",
        unit_scale=True,
        disable=None if progress is None else not progress,
    )


def _check_permanent(url: str, error: Exception) -> None:
    """Raise at once where trying again cannot help."""
    if isinstance(error, HTTPError):
        error.close()
        if error.code not in TRANSIENT:
            raise DownloadError(
                f"{url} must lead to a file, got the answer {error.code} "
                f"({error.reason}); check the address in a browser."
            ) from error


def describe(error: Exception) -> str:
    """Return an error of the network in a few words."""
    if isinstance(error, HTTPError):
        return f"the answer {error.code} ({error.reason})"
    reason = error.reason if isinstance(error, URLError) else error
    return str(reason) or type(reason).__name__


def size(path: Path) -> int:
    """Return the number of bytes of a file, 0 if there is none."""
    return path.stat().st_size if path.exists() else 0


def _checksum_like(wanted: str, path: Path) -> str:
    """Return the checksum of a file, of the same kind as the wanted one."""
    algorithm = wanted.partition(":")[0]
    return f"{algorithm}:{checksum_of(path, algorithm)}"


def check_checksum(checksum: str) -> None:
    """Check that a checksum is written out, of a kind that is known."""
    algorithm, _, digits = checksum.partition(":")
    if not (
        algorithm in DIGITS
        and re.fullmatch(rf"[0-9a-fA-F]{{{DIGITS[algorithm]}}}", digits)
    ):
        raise ValueError(
            "checksum must be sha256: and 64 hexadecimal digits, or sha1: and 40, got "
            f"{checksum!r}; copy it from where the file is published."
        )


def check_url(url: str) -> None:
    """Check that an address is one of the web."""
    if not re.match(r"https?://\S+$", url):
        raise ValueError(
            f"url must begin with http:// or https://, got {url!r}; pass a full "
            "address."
        )
