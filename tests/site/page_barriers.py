"""Ask axe what keeps readers out of a page."""

from axe_playwright_python.base import AXE_SCRIPT
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

WCAG_21_AA = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]
# A page has thousands of words and a few dozen looks. What can be seen is judged once
# for each look on each ground, which takes a tenth of the time. What does not stand in
# the flow of the text may cover anything, and is judged by itself.
ONCE_FOR_EACH_LOOK = r"""(() => {
  const TEXT = ["color", "fontSize", "fontWeight", "fontStyle", "textDecorationLine",
    "textShadow", "borderBottomStyle", "visibility", "webkitTextStrokeWidth"];
  const GROUND = ["backgroundColor", "backgroundImage", "opacity", "mixBlendMode"];
  const CLEAR = "rgba(0, 0, 0, 0),none,1,normal";
  const OUT_OF_FLOW = ["absolute", "fixed", "sticky"];
  const FIELDS = ["input", "select", "textarea"];
  const grounds = new Map(), looks = new Map();

  const read = (style, names) => names.map((name) => style[name]).join();
  const ground = (element) => {
    if (!element) return "";
    if (!grounds.has(element)) {
      const style = getComputedStyle(element);
      const alone = OUT_OF_FLOW.includes(style.position) && !element.closest(".katex");
      const own = read(style, GROUND) + (alone ? grounds.size : "");
      const below = ground(element.parentElement);
      grounds.set(element, own === CLEAR ? below : `${below}/${own}`);
    }
    return grounds.get(element);
  };
  const look = (element) => {
    if (!looks.has(element)) {
      looks.set(element, ground(element) + read(getComputedStyle(element), TEXT));
    }
    return looks.get(element);
  };
  // What holds no text itself has no contrast, and most parts of a formula hold none.
  const isBare = ({ localName, childNodes }) => !FIELDS.includes(localName)
    && ![...childNodes].some(({ nodeType, data }) =>
      nodeType === Node.TEXT_NODE && /\S/.test(data));
  // Of a single sign axe does not decide, so it does not speak for words.
  const hasWords = ({ childNodes }) => [...childNodes].some(
    ({ nodeType, data }) => nodeType === Node.TEXT_NODE && /[a-z0-9]{2}/i.test(data));

  for (const id of ["color-contrast", "link-in-text-block"]) {
    const rule = axe._audit.rules.find((rule) => rule.id === id);
    const matches = rule.matches, judged = new Set();
    rule.matches = (element, ...others) => {
      if (id === "color-contrast" && isBare(element)) return false;
      const kind = hasWords(element) + look(element)
        + look(element.parentElement ?? element);
      if (judged.has(kind) || !matches(element, ...others)) return false;
      judged.add(kind);
      return true;
    };
  }
})();"""


def find_barriers(page: Page) -> list[tuple[str, str, str]]:
    """List what breaks WCAG 2.1 AA: the rule, the element and the reason.

    Of elements that look alike, only the first is named.
    """
    options = {
        "runOnly": {"type": "tag", "values": WCAG_21_AA},
        "resultTypes": ["violations"],
        # No second look at the style sheets: it would count as requests of the page.
        "preload": False,
    }
    axe = Axe(f"{AXE_SCRIPT};{ONCE_FOR_EACH_LOOK}")
    return [
        (violation["id"], str(node["target"]), node.get("failureSummary", ""))
        for violation in axe.run(page, options=options).response["violations"]
        for node in violation["nodes"]
    ]
