"""Gather the solutions of a chapter at its end, with a link each way."""

from lxml.html import HtmlElement, builder

from bookkit.book.errors import BookError

_SUFFIX = "-solution"


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
        section = builder.SECTION(builder.H2("Solutions"), id="solutions")
        article.find("./section").append(section)
        for solution in solutions:
            _link(_find_exercise(article, solution.get("id", ""), page), solution)
            solution.drop_tree()
            solution.tail = None
            section.append(solution)
    return article


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


def _link(exercise: HtmlElement, solution: HtmlElement) -> None:
    """Lead from the title of an exercise to its solution, and back."""
    title = exercise.find_class("admonition-title")[0]
    forth = builder.A("Solution", href=f"#{solution.get('id')}")
    title.append(builder.SPAN(" ", forth, builder.CLASS("edition-solution")))
    title = solution.find_class("admonition-title")[0]
    back = builder.A(title.text, *title, href=f"#{exercise.get('id')}")
    title.text = None
    title.append(back)
