"""Rules about all pages together: contents and names."""

from collections import Counter
from pathlib import Path

from bookkit.book.notebooks import contents
from bookkit.checking.rules.pages import page_paths, read_pages


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
