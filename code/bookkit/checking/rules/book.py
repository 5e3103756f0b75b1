"""Rules about all pages together: contents, names, ignored cells, the root."""

from collections import Counter
from pathlib import Path

from bookkit.book.cells import code_cells
from bookkit.book.notebooks import (
    IGNORE_OUTPUT,
    contents,
    notebook_paths,
    read_notebook,
    tags,
)
from bookkit.checking.compare.conditions import has_assert
from bookkit.checking.rules.pages import page_paths, read_pages

MAX_IGNORED = 0.02
ROOT = {
    "CHANGELOG.md",
    "CITATION.cff",
    "CONTRIBUTING.md",
    "LICENSE",
    "Makefile",
    "README.md",
    "_config.yml",
    "_toc.yml",
    "book",
    "code",
    "constraints",
    "constraints.txt",
    "examples",
    "pyproject.toml",
    "requirements.txt",
    "tests",
    "zh",
}
BUILT = {"_build"}


def contents_name_every_page(root: Path) -> list[str]:
    """`_toc.yml` names every page once, and nothing else.

    For readers online, who find a page in the contents or not at all.
    """
    listed = Counter(name.removesuffix(".ipynb") for name in contents(root))
    pages = {p.relative_to(root).with_suffix("").as_posix() for p in page_paths(root)}
    breaches = [f"_toc.yml must list {name}; add it." for name in pages - {*listed}]
    breaches += [
        f"_toc.yml lists {name}, and it is missing." for name in {*listed} - pages
    ]
    breaches += [f"_toc.yml lists {name} twice." for name, n in listed.items() if n > 1]
    return sorted(breaches)


def names_are_unique(root: Path) -> list[str]:
    """Figures, equations, theorems, exercises and sections have names of their own.

    For readers who follow a link: it leads to one place.
    """
    owners: dict[str, list[str]] = {}
    for page in read_pages(root):
        for label in page.labels:
            owners.setdefault(label, []).append(page.name)
    return [
        f"The name {label!r} must be used once, and is in {' and in '.join(names)}."
        for label, names in sorted(owners.items())
        if len(names) > 1
    ]


def ignored_cells_are_few_and_assert(root: Path) -> list[str]:
    """At most 2 % of the code cells are not compared, and each of those asserts.

    For researchers: what is not compared is rare, and checked otherwise.
    """
    total, ignored, breaches = 0, 0, []
    for path in notebook_paths(root):
        for name, cell in code_cells(read_notebook(path)):
            total += 1
            if IGNORE_OUTPUT not in tags(cell):
                continue
            ignored += 1
            if not has_assert(cell.source):
                breaches.append(f"{path.name}, {name} is ignored and asserts nothing.")
    if ignored > MAX_IGNORED * total:
        breaches.append(
            f"At most {MAX_IGNORED:.0%} of the cells may be ignored, and {ignored} of "
            f"{total} are; let a cell print what stays."
        )
    return breaches


def root_is_tidy(root: Path) -> list[str]:
    """The root holds what the design lists, and `code/` is no package.

    For newcomers, whose first look at the repository is its root.
    """
    names = {path.name for path in root.iterdir() if not path.name.startswith(".")}
    breaches = [
        f"The root must not hold {name}; move or remove it."
        for name in sorted(names - ROOT - BUILT)
    ]
    if (root / "code" / "__init__.py").exists():
        breaches.append("code/__init__.py hides Python's module `code`; remove it.")
    return breaches
