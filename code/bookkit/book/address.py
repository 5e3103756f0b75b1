"""The repository's address, known in one place: `_config.yml`."""

import re
from pathlib import Path
from urllib.parse import urlsplit

from bookkit.book.errors import BookError
from bookkit.book.files import CONFIG
from bookkit.book.notebooks import read_yaml

FILES = "/blob/{}"  # below a repository's address, the files of a branch


def repository_url(root: Path) -> str:
    """Read the repository's address from `_config.yml`."""
    config = read_yaml(root / CONFIG)
    repository = config.get("repository") if isinstance(config, dict) else None
    url = repository.get("url") if isinstance(repository, dict) else None
    if not isinstance(url, str):
        raise BookError(
            f"{CONFIG} must give the repository's address as repository: url, and "
            "does not; add it."
        )
    return canonical_url(url)


def files_url(root: Path) -> str:
    """Return the address under which the repository shows its files."""
    return f"{repository_url(root)}{FILES.format(branch(root))}"


def branch(root: Path) -> str:
    """Return the name of the branch that readers see."""
    return read_yaml(root / CONFIG).get("repository", {}).get("branch", "main")


def canonical_url(url: str) -> str:
    """Check a repository's address and drop a closing slash or `.git`.

    Raises:
        ValueError: The address is not `https://host/owner/name`, or http.
    """
    trimmed = url.removesuffix("/").removesuffix(".git")
    part = r"[\w-][\w.-]*"
    form = rf"https?://[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d+)?/{part}/{part}"
    fits = re.fullmatch(form, trimmed, flags=re.IGNORECASE | re.ASCII)
    if not fits or trimmed.endswith(".git"):
        raise ValueError(
            "The repository's address must have the form https://host/owner/name, "
            f"and is {url!r}; give the address at which a browser shows it."
        )
    return trimmed


def site_url(repository: str) -> str | None:
    """Return where GitHub publishes the pages of a repository, with a final slash.

    The answer is `None` for a repository that lives elsewhere: it is unknown then where
    its pages are.
    """
    parts = urlsplit(repository)
    if parts.hostname != "github.com":
        return None
    owner, name = parts.path.strip("/").split("/")
    host = f"{owner.lower()}.github.io"
    return f"https://{host}/" if name.lower() == host else f"https://{host}/{name}/"
