"""The repository's address, known in one place, `_config.yml`, and those of the pages.

A notebook is opened in many places, and a relative link to another page leads nowhere
in most of them. So the links of notebooks name the published page.
"""

import posixpath
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from bookkit.book.errors import BookError, nearest_to
from bookkit.book.files import CONFIG
from bookkit.book.notebooks import contents, read_yaml
from bookkit.book.prose import change_prose, without_code

FILES = "/blob/{}"  # below a repository's address, the files of a branch
_RELATIVE = re.compile(
    r"(?<=\]\()(?P<file>(?![a-z]+:)[^)#\s]+\.(?:ipynb|md))(?:#(?P<anchor>[^)\s]*))?(?=\))"
)


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


@dataclass(frozen=True)
class Published:
    """The start of all addresses of pages, and what stands for the end of a file.

    Without a known site a page is read as the file that the repository shows.
    """

    base: str
    is_site: bool = True

    def address(self, file: str, anchor: str = "") -> str:
        """Return where a page is read, given its file from the root of the book."""
        page = f"{posixpath.splitext(file)[0]}.html" if self.is_site else file
        return f"{self.base}{page}{'#' * bool(anchor)}{anchor}"

    def change_links(self, text: str, change: Callable[[str, str], str]) -> str:
        """Replace each address of a page, given its name and the anchor."""
        page = r"(?P<page>(?:book|zh)/[\w/.-]+?)\.(?:html|ipynb|md)"
        page += r"(?:#(?P<anchor>[\w:.-]+))?"
        return re.sub(
            rf"{re.escape(self.base)}{page}(?![\w.-])",
            lambda match: change(match["page"], match["anchor"] or ""),
            text,
        )


def published(root: Path) -> Published:
    """Return where the pages of a book are read."""
    repository = repository_url(root)
    if site := site_url(repository):
        return Published(site)
    return Published(f"{repository}{FILES.format(branch(root))}/", is_site=False)


def write_addresses(text: str, file: str, target: Published) -> str:
    """Turn the relative links of a page into addresses that lead from everywhere.

    Args:
        text: The page's markdown.
        file: The page's file from the root of the book.
        target: Where the pages are read.
    """

    def absolute(match: re.Match) -> str:
        return target.address(_linked(match, file), match["anchor"] or "")

    return change_prose(text, lambda prose: _RELATIVE.sub(absolute, prose))


def lost_pages(text: str, file: str, root: Path) -> dict[str, str]:
    """Say what is wrong with each relative link of a page that leads to no file.

    Args:
        text: Markdown of the page.
        file: The page's file from the root of the book.
        root: The root of the book.
    """
    links = {x[0]: _linked(x, file) for x in _RELATIVE.finditer(without_code(text))}
    return {
        link: no_such_page(posixpath.splitext(path)[0], root)
        for link, path in links.items()
        if not (root / path).is_file()
    }


def no_such_page(page: str, root: Path) -> str:
    """Say that the book does not have a page, and which is nearest."""
    nearest = nearest_to(page, contents(root))
    return f"and the book has no such page{nearest}; mend the link."


def _linked(link: re.Match, file: str) -> str:
    """Return the file from the root of the book to which a relative link leads."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(file), link["file"]))


def page_file(root: Path, page: str) -> str | None:
    """Return the file of a page, given its name, from the root of the book."""
    files = (f"{page}{suffix}" for suffix in (".ipynb", ".md"))
    return next((file for file in files if (root / file).exists()), None)
