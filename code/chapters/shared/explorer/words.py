"""Two words that a reader drags along a text, as explorers of position show them."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from chapters.shared.explorer.frame import handle
from chapters.shared.explorer.markup import coordinate, tag

WORDS = {"query": "cat", "key": "dog"}


@dataclass(frozen=True, kw_only=True)
class Text:
    """The places of a text, and where two words stand at first.

    Attributes:
        last: The last position; the first one is 0.
        at: The positions of "query" and "key".
        start: Where position 0 is drawn, from the left.
        slot: How far a position is from the next one.
        row: How high the places are drawn.
        above: How high the query's word stands.
        below: How high the key's word stands.
        foot: How far down the line below the query's word goes.
    """

    last: int
    at: Mapping[str, int]
    start: float
    slot: float
    row: int
    above: int
    below: int
    foot: int

    def find_slot(self, position: float) -> float:
        """Return where a position of the text is drawn."""
        return self.start + self.slot * position

    def tell(self) -> dict[str, Any]:
        """Return what the script has to know."""
        return asdict(self)

    def draw_places(self, numbers: int) -> list[str]:
        """Draw a dot for each place, and every fifth position at a height."""
        dots = [
            tag("circle", class_="place", r=2.5, cx=self._across(place), cy=self.row)
            for place in range(self.last + 1)
        ]
        return dots + [
            tag("text", str(place), class_="note", x=self._across(place), y=numbers)
            for place in range(0, self.last + 1, 5)
        ]

    def draw_words(self) -> list[str]:
        """Draw both words with their lines to the text, and what is between them."""
        query, key = (self.find_slot(self.at[name]) for name in WORDS)
        lines = {
            "stem-query": f"M {coordinate(query)} {self.above} V {self.foot}",
            "stem-key": f"M {coordinate(key)} {self.below} V {self.row}",
            "span": f"M {coordinate(query)} {self.row} H {coordinate(key)}",
        }
        offset, heights = self.at["key"] - self.at["query"], (self.above, self.below)
        between = {"at": ((query + key) / 2, self.row), "width": 34}
        places = zip(WORDS.items(), (query, key), heights, strict=True)
        return [
            *(
                tag("path", class_=name.replace("-", " "), data_part=name, d=d)
                for name, d in lines.items()
            ),
            *(
                handle(name, word, at=(x, height), color=name)
                for (name, word), x, height in places
            ),
            handle("both", f"+{offset}", color="muted", **between),
        ]

    def _across(self, position: float) -> str:
        return coordinate(self.find_slot(position))
