"""How long a chapter takes to read, and how its first cell says so."""

import re
from dataclasses import dataclass

STEP = 5  # minutes, to whose multiples every time is rounded up
# With what a page of comparisons says of them.
STATED = re.compile(r"\*\*Reading time\*\*[^.]*\.(?: \*\*Compared\*\*[^.]*\.)?")
_MINUTES = re.compile(
    r"\*\*Reading time\*\* about (?P<core>\d+) minutes"
    r"(?:, (?P<whole>\d+) with what is marked \*Deeper\*)?"
)


@dataclass(frozen=True, kw_only=True)
class ReadingTime:
    """The minutes that a chapter takes, without its Deeper sections and with them."""

    core: int
    whole: int

    @property
    def cell(self) -> str:
        """What a table of minutes says."""
        return f"{self.core}" + (f" ({self.whole})" if self.whole != self.core else "")

    def sentence(self, *, exercises: bool) -> str:
        """Return what the first cell says of a chapter with exercises or without."""
        time = f"{self.core} minutes"
        if self.whole != self.core:
            time += f", {self.whole} with what is marked *Deeper*"
        on_top = "; exercises not counted" if exercises else ""
        return f"**Reading time** about {time}{on_top}."


def stated_time(text: str) -> ReadingTime | None:
    """Read what a first cell says; None if it says nothing."""
    found = _MINUTES.search(text)
    if found is None:
        return None
    core = int(found["core"])
    return ReadingTime(core=core, whole=int(found["whole"] or core))
