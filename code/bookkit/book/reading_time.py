"""How long a chapter takes to read, and how its first cell says so."""

import re
from dataclasses import dataclass
from math import ceil

STEP = 5  # minutes, to whose multiples every time is rounded up
# What newcomers needed who worked each example through, for each minute of reading.
THOROUGH = 1.5
# With what a page of comparisons says of them.
STATED = re.compile(r"\*\*Reading time\*\*[^.]*\.(?: \*\*Compared\*\*[^.]*\.)?")
_MINUTES = re.compile(
    r"\*\*Reading time\*\* about (?P<core>\d+) minutes(?:, \d+ if you work it through)?"
    r"(?:, (?P<whole>\d+) with what is marked \*Deeper\*)?"
)


@dataclass(frozen=True, kw_only=True)
class ReadingTime:
    """The minutes that a chapter takes, without its Deeper sections and with them."""

    core: int
    whole: int

    @property
    def thorough(self) -> int:
        """The minutes of a newcomer who works each example of the core through."""
        return STEP * ceil(THOROUGH * self.core / STEP)

    @property
    def cell(self) -> str:
        """What a table of minutes says."""
        return f"{self.core}" + (f" ({self.whole})" if self.whole != self.core else "")

    def sentence(self, *, exercises: bool) -> str:
        """Return what the first cell says of a chapter with exercises or without."""
        time = f"{self.core} minutes, {self.thorough} if you work it through"
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
