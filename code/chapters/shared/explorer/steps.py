"""Steps: what happens between the parts of an explorer, in ten words beneath an arrow.

An arrow points to what comes next: to the right, and down where parts stand below each
other on a narrow screen.
"""

from chapters.shared.explorer.markup import tag

STYLE = """\
.explorer .step { color: var(--muted); font-size: 0.8125rem; line-height: 1.35;
  margin: 0.25rem 0 0; text-align: center; text-wrap: balance; }
.explorer .step b { color: var(--ink); }
.explorer .arrow { display: inline-block; margin: 0 auto; width: 1.5rem; }
.explorer .arrow path { fill: none; stroke: var(--ink); stroke-width: 1.5; }
@media (max-width: 600px) { .explorer .arrow { transform: rotate(90deg); } }
"""


def draw_arrow() -> str:
    """Draw an arrow to what comes next."""
    path = tag("path", d="M1 6H23M18 1.5 23 6 18 10.5")
    return tag("svg", path, class_="arrow", viewBox="0 0 24 12", aria_hidden="true")


def write_step(name: str, words: str) -> str:
    """Write what happens at a stage: its name, and about ten words."""
    return tag("p", f"{tag('b', name)}: {words}", class_="step")
