"""Gather the solutions of a chapter at its end, or apart, with a link each way."""

import re
from pathlib import Path

from lxml.html import HtmlElement, builder

from bookkit.book.errors import BookError
from bookkit.book.notebooks import CHINESE

_SUFFIX = "-solution"
_IS_SOLUTION = re.compile(r'class="(?:[^"]* )?solution[ "]')


def gather_solutions(article: HtmlElement, page: str) -> HtmlElement:
    """Move the solutions of a page into a last section of their own.

    Args:
        article: The text of the page, with nothing folded; it is changed.
        page: The path of the page in the site, for the error.

    Raises:
        BookError: A solution belongs to no exercise of the page.
    """
    solutions = article.find_class("solution")
    if solutions:
        one, all_of_them = name_solutions(page)
        section = builder.SECTION(builder.H2(all_of_them), id="solutions")
        article.find("./section").append(section)
        for solution in solutions:
            exercise = _find_exercise(article, solution.get("id", ""), page)
            _link(exercise, solution, one)
            solution.drop_tree()
            solution.tail = None
            section.append(solution)
    return article


def name_solutions(page: str) -> tuple[str, str]:
    """Name a solution, and all of a page, in the language of the page."""
    return ("解答", "解答") if page.startswith(CHINESE) else ("Solution", "Solutions")


def has_solutions(site: Path, page: str) -> bool:
    """Say whether a page of the site has solutions."""
    return bool(_IS_SOLUTION.search((site / page).read_text("utf-8")))


def take_shown(article: HtmlElement, shown: str) -> set[str]:
    """Leave of a page its text or its solutions, where not all of it is shown.

    Returns:
        The names of what is gone.
    """
    solutions = article.find("./section/section[@id='solutions']")
    if shown == "all" or solutions is None:
        return set()
    whole = solutions.getparent()
    if shown == "text":
        gone = [solutions]
    else:
        gone = [part for part in whole if part is not solutions and part.tag != "h1"]
        gone.append(solutions.find("h2"))
    names = {name for part in gone for name in part.xpath("descendant-or-self::*/@id")}
    for part in gone:
        part.drop_tree()
    return names


def _find_exercise(article: HtmlElement, name: str, page: str) -> HtmlElement:
    """Find the exercise that a solution belongs to, by its name."""
    wanted = name.removesuffix(_SUFFIX)
    for exercise in article.find_class("exercise"):
        if exercise.get("id") == wanted != name:
            return exercise
    raise BookError(
        f"Each solution of {page} must be named after its exercise, with {_SUFFIX} at "
        f"the end, and one is named {name!r}; look at the labels of both."
    )


def _link(exercise: HtmlElement, solution: HtmlElement, words: str) -> None:
    """Lead from the title of an exercise to its solution, and back."""
    title = exercise.find_class("admonition-title")[0]
    forth = builder.A(words, href=f"#{solution.get('id')}")
    title.append(builder.SPAN(" ", forth, builder.CLASS("edition-solution")))
    title = solution.find_class("admonition-title")[0]
    back = builder.A(title.text, *title, href=f"#{exercise.get('id')}")
    title.text = None
    title.append(back)
