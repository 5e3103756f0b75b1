"""A report: how many lines of a corpus were left out, why, and where to look."""

from dataclasses import dataclass, field

REASONS = {
    "no partner": "one file ends before this line of the other",
    "no tab": "no tab between source and target",
    "not UTF-8": "bytes that are no UTF-8",
    "empty": "a side without text",
    "too long": "a side with more than max_len characters",
    "strange characters": "control, private, unassigned or replacement characters",
    "unequal lengths": "one side is more than max_ratio times as long",
    "duplicate": "the same pair as before",
}


@dataclass
class ReadReport:
    """Hold what was read, kept and left out.

    Args:
        name: What was read.
        lines: Number of lines, or pairs of lines.
        counts: Number of lines left out for each reason of `REASONS` that occurred.
        first_lines: The first line left out for each reason, counted from 1.
        wide: Number of lines with columns after the second, which are not read.
    """

    name: str
    lines: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    first_lines: dict[str, int] = field(default_factory=dict)
    wide: int = 0

    @property
    def kept(self) -> int:
        """Number of pairs kept."""
        return self.lines - sum(self.counts.values())

    def skip(self, reason: str) -> None:
        """Count the line just read as left out."""
        self.counts[reason] = self.counts.get(reason, 0) + 1
        self.first_lines.setdefault(reason, self.lines)

    def __str__(self) -> str:
        parts = [f"{self.name}: {self.kept} of {self.lines} lines kept"]
        for reason, meaning in REASONS.items():
            if reason in self.counts:
                parts.append(
                    f"  {self.counts[reason]} left out, {reason} ({meaning}), "
                    f"first in line {self.first_lines[reason]}"
                )
        if self.wide:
            parts.append(f"  {self.wide} with columns after the second, not read")
        return "\n".join(parts)


class Reports(tuple[ReadReport, ...]):
    """The reports of several parts, to be read one below the other."""

    __slots__ = ()

    def __str__(self) -> str:
        return "\n".join(map(str, self))
