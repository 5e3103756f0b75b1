"""Write reading times into the landing page: of chapters, of paths and of the book."""

import re
from collections.abc import Iterable, Mapping

from bookkit.book.outline import ReadingTime

CHAPTER_ROW = re.compile(
    r"^(?P<rest>\| \d+ \| \[[^\]]+\]\((?P<name>\S+)\) \|.*\|) (?P<time>[^|]+) \|$", re.M
)
_PATH_ROW = re.compile(
    r"^(?P<rest>\| \*\*(?P<path>[^|]+)\*\* \|[^|]+\|) [^|]* hours[^|]* \|$", re.M
)
_LINK = re.compile(r"\((\S+\.ipynb)\)")
_RANGE = re.compile(r"\((\S+\.ipynb)\) to \[\d+\]\((\S+\.ipynb)\)")
_ALL = re.compile(r"(?<=about )[\d½]+ hours of reading[^;.]*")
_DOOR = re.compile(r"(?P<rest>\]\((?P<name>\S+\.ipynb)\)), \d+ minutes")
_PATH_DOOR = re.compile(
    r"(?P<rest>\[[^\]]*(?P<path>one \w+)\]\(#how-long-it-takes\)), [\d½]+ hours"
)


def with_times(page: str, times: Mapping[str, ReadingTime]) -> str:
    """Write reading times into the landing page.

    Args:
        page: The page.
        times: The time of each notebook, by its path as the page links to it.
    """
    listed = [row["name"] for row in CHAPTER_ROW.finditer(page) if row["name"] in times]
    if not listed:
        return page

    def chapter_row(row: re.Match) -> str:
        time = times.get(row["name"])
        return f"{row['rest']} {time.cell} |" if time else row[0]

    paths = {}

    def path_row(row: re.Match) -> str:
        names = _LINK.findall(row["rest"])
        if ends := _RANGE.search(row["rest"]):
            first, last = map(listed.index, ends.groups())
            names = listed[first : last + 1]
        paths[row["path"]] = hours(times[n] for n in names if n in times)
        return f"{row['rest']} {paths[row['path']]} |"

    def door(link: re.Match) -> str:
        time = times.get(link["name"])
        return f"{link['rest']}, {time.core} minutes" if time else link[0]

    def path_door(link: re.Match) -> str:
        time = paths.get(link["path"])
        return f"{link['rest']}, {time.split(', ')[0]}" if time else link[0]

    every = hours(times[name] for name in listed)
    page = _PATH_ROW.sub(path_row, CHAPTER_ROW.sub(chapter_row, page))
    page = _ALL.sub(every.replace(" hours", " hours of reading", 1), page)
    return _PATH_DOOR.sub(path_door, _DOOR.sub(door, page))


def hours(times: Iterable[ReadingTime]) -> str:
    """Add up reading times and write them in hours, in steps of half an hour."""
    times = list(times)
    core = _in_halves(sum(time.core for time in times))
    whole = _in_halves(sum(time.whole for time in times))
    return f"{core} hours" + (f", {whole} with *Deeper*" if whole != core else "")


def _in_halves(minutes: int) -> str:
    """Write minutes as hours, such as 7½."""
    halves = max(1, int(minutes / 30 + 0.5))
    return f"{halves // 2 or ''}{'½' * (halves % 2)}"
