"""Ask axe what keeps readers out of a page."""

from axe_playwright_python.base import AXE_SCRIPT
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

WCAG_21_AA = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]
# A page has thousands of words and a dozen colors. For each word axe reads the color of
# each box behind it again, and keeps the parts of each in weak maps, which are slow to
# collect: more than half of its time. Here a color is read once, and holds its parts.
QUICK_AXE = f"""(() => {{
  function Held() {{ this.key = Symbol(); }}
  Held.prototype = {{
    has(owner) {{ return this.key in owner; }},
    get(owner) {{ return owner[this.key]; }},
    set(owner, value) {{ owner[this.key] = value; return this; }},
    add(owner) {{ return this.set(owner, true); }},
    delete(owner) {{ return delete owner[this.key]; }},
  }};
  const WeakMap = Held, WeakSet = Held;
  {AXE_SCRIPT}
  const {{ Color }} = window.axe.commons.color;
  const read = Color.prototype.parseString, known = new Map();
  Color.prototype.parseString = function (text) {{
    if (!known.has(text)) known.set(text, read.call(new Color(0, 0, 0), text));
    const {{ r, g, b, alpha }} = known.get(text);
    return Object.assign(this, {{ r, g, b, alpha }});
  }};
}})()"""


def find_barriers(page: Page, *, colors: bool = True) -> list[tuple[str, str, str]]:
    """List what breaks WCAG 2.1 AA: the rule, the element and the reason.

    Args:
        page: The page.
        colors: Whether to measure the contrast of each word, which takes half the time.
    """
    options = {
        "rules": {"color-contrast": {"enabled": colors}},
        "runOnly": {"type": "tag", "values": WCAG_21_AA},
        "resultTypes": ["violations"],
        # No second look at the style sheets: it would count as requests of the page.
        "preload": False,
    }
    response = Axe(QUICK_AXE).run(page, options=options).response
    return [
        (violation["id"], str(node["target"]), node.get("failureSummary", ""))
        for violation in response["violations"]
        for node in violation["nodes"]
    ]
