"""Set the repository's address: in `_config.yml` and in all that derives from it."""

import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

from bookkit.book.address import canonical_url, repository_url, site_url
from bookkit.book.files import relative_name, replace_files
from bookkit.book.notebooks import (
    canonical_bytes,
    notebook_paths,
    parse_notebook,
    read_notebook,
)
from bookkit.writing.bootstrap import bootstrap_source, put_bootstrap

COLAB = "https://colab.research.google.com/github"
_TEXT = {".bib", ".cff", ".css", ".html", ".ipynb", ".js", ".md", ".py", ".svg"}
_TEXT |= {".toml", ".txt", ".yaml", ".yml"}
_KEPT_HIDDEN = {".ci", ".github"}
_BUILT = {"_build", "node_modules"}


def set_repository(root: Path, url: str) -> list[str]:
    """Rewrite the repository's address wherever the book uses it: all files or none.

    Args:
        root: The book's root.
        url: The new address, `https://host/owner/name`.

    Returns:
        The names of the files that changed.

    Raises:
        ValueError: `url` is no such address.
        BookError: A notebook is broken; nothing is written.
    """
    new = canonical_url(url)
    for path in notebook_paths(root):
        read_notebook(path)
    texts = {path: path.read_bytes() for path in text_files(root)}
    rewritten = _rewriting(root, new)
    results = {
        path: rewritten(relative_name(path, root), data) for path, data in texts.items()
    }
    changes = {path: data for path, data in results.items() if data != texts[path]}
    replace_files(changes)
    return [path.relative_to(root).as_posix() for path in changes]


def text_files(root: Path) -> list[Path]:
    """List the files of the repository that may hold its address."""
    found = []
    for path in sorted(root.iterdir()):
        if path.is_symlink():
            continue
        if path.is_file() and path.suffix in _TEXT:
            found.append(path)
        elif path.is_dir() and not _is_foreign(path):
            found += text_files(path)
    return found


def _is_foreign(folder: Path) -> bool:
    """Return whether a folder belongs to tools or is built, and not to the book."""
    hidden = folder.name.startswith(".") and folder.name not in _KEPT_HIDDEN
    built = folder.name in _BUILT or folder.name.endswith(".egg-info")
    return hidden or built or (folder / "pyvenv.cfg").exists()


def _rewriting(root: Path, new: str) -> Callable[[str, bytes], bytes]:
    """Return what replaces the old address in a file, and renews a bootstrap."""
    old = repository_url(root)

    def rewritten(name: str, data: bytes) -> bytes:
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            return data
        for before, after in _addresses(old, new):
            # The old address only where it ends: not as the start of a longer name.
            end = r"(?![\w-]|\.(?!git\b)\w)"
            text = re.sub(re.escape(before) + end, lambda _, to=after: to, text)
        if name.startswith("book/") and name.endswith(".ipynb"):
            notebook = parse_notebook(text, name)
            if put_bootstrap(notebook, bootstrap_source(new)):
                return canonical_bytes(notebook)
        return text.encode("utf-8")

    return rewritten


def _addresses(old: str, new: str) -> list[tuple[str, str]]:
    """Return each address that follows from the repository's, before and after.

    Only a repository on GitHub tells where its site is.
    """
    pairs = [(old, new), (_in_colab(old), _in_colab(new))]
    before, after = site_url(old), site_url(new)
    if before and after:
        pairs.append((before.rstrip("/"), after.rstrip("/")))
    return pairs


def _in_colab(url: str) -> str:
    """Return the start of the links that open the repository in Colab."""
    return COLAB + urlsplit(url).path
