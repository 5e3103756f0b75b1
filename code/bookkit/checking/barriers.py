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
  // The first of each look stands for the others.
  const kind = (element) => hasWords(element) + look(element)
    + look(element.parentElement ?? element);
  // What holds no text itself has no contrast, and most parts of a formula hold none.
  const isBare = ({ localName, childNodes }) => !FIELDS.includes(localName)
    && ![...childNodes].some(({ nodeType, data }) =>
      nodeType === Node.TEXT_NODE && /\S/.test(data));
  // Of a single sign axe does not decide, so it does not speak for words.
  const hasWords = ({ childNodes }) => [...childNodes].some(({ nodeType, data }) =>
    nodeType === Node.TEXT_NODE && /[\p{L}\p{N}]{2}/u.test(data));

  const judged = {};
  for (const id of ["color-contrast", "link-in-text-block"]) {
    const rule = axe._audit.rules.find((rule) => rule.id === id);
    const matches = rule.matches, seen = judged[id] = new Set();
    rule.matches = (element, ...others) => {
      if (id === "color-contrast" && isBare(element)) return false;
      if (seen.has(kind(element)) || !matches(element, ...others)) return false;
      seen.add(kind(element));
      return true;
    };
  }
  window.looks = { kind, hasWords, isBare, judged };
})();"""
# Three quarters of a page are the parts of formulas and of code. Such a part can break
# no rule except by its look, so axe is shown the first of each look and the way to it.
# The page itself stays as it is. PLAIN are attributes that no rule asks about.
SHOW_EACH_LOOK_ONCE = r"""(() => {
  const { kind, hasWords, isBare, judged } = window.looks;
  const PLAIN = new Set(["class", "style", "aria-hidden", "xmlns", "encoding",
    "mathvariant", "stretchy", "separator", "fence"]);
  const MATH = "http://www.w3.org/1998/Math/MathML";
  const first = new Map(), kept = new Set(), changed = [], left = new Set();

  const scrolls = (box) => (box.scrollWidth > box.clientWidth && box.clientWidth
    || box.scrollHeight > box.clientHeight && box.clientHeight)
    && /auto|scroll/.test(getComputedStyle(box).overflow);
  const isPlain = (part) => (part.localName === "span" || part.namespaceURI === MATH)
    && [...part.attributes].every(({ name, value }) =>
      PLAIN.has(name) && !/important/.test(value));
  // Words for those who cannot see are clipped, and have no look.
  const isClipped = (part) => {
    const { position, clip } = getComputedStyle(part);
    return position === "absolute" && clip === "rect(1px, 1px, 1px, 1px)";
  };
  const isShown = (part) => part.checkVisibility() && part.getClientRects().length;
  const keep = (part, region) => {
    for (; !kept.has(part); part = part.parentElement) {
      kept.add(part);
      if (part === region) return;
    }
  };
  const hide = (part) => {
    for (const child of part.children) kept.has(child) ? hide(child) : left.add(child);
    const shown = [...part.childNodes].filter((child) => !left.has(child));
    Object.defineProperty(part, "childNodes", { configurable: true, value: shown });
    changed.push(part);
  };

  const regions = [...document.querySelectorAll(".katex, pre")].filter((region) => {
    if (region.parentElement.closest("pre")) return false;
    for (let box = region; box !== document.body; box = box.parentElement) {
      if (scrolls(box)) return false;
    }
    // What scrolls must be reached by keyboard, wherever its longest line is.
    return ![...region.querySelectorAll("*")].some(scrolls);
  });
  for (const region of regions) {
    const hidden = [...region.querySelectorAll(".katex-mathml")].filter(isClipped);
    let says = false;
    for (const part of region.querySelectorAll("*")) {
      if (!isPlain(part)) keep(part, region);
      if (isBare(part)) continue;
      if (!says) keep(part, region);  // that it is not empty
      says = true;
      if (!hidden.some((box) => box.contains(part)) && !first.has(kind(part))
          && isShown(part)) {
        first.set(kind(part), part);
        keep(part, region);
      }
    }
  }
  regions.forEach(hide);
  // What axe asks for the parts of the page.
  document.createTreeWalker = (root, what) =>
    Document.prototype.createTreeWalker.call(document, root, what, (part) =>
      left.has(part) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT);

  window.showAll = () => {
    delete document.createTreeWalker;
    for (const part of changed) delete part.childNodes;
  };
  // A look that stood for others and was not judged itself.
  window.findUnjudged = () => [...first].filter(([kind, part]) =>
    hasWords(part) && !judged["color-contrast"].has(kind)).map(([, part]) =>
    part.outerHTML.slice(0, 200));
})();"""


def find_barriers(page: Page) -> list[tuple[str, str, str]]:
    """List what breaks WCAG 2.1 AA: the rule, the element and the reason.

    Of elements that look alike, only the first is named.

    Raises:
        RuntimeError: If a look was not judged where it comes first.
    """
    options = {
        "runOnly": {"type": "tag", "values": WCAG_21_AA},
        "resultTypes": ["violations"],
        # No second look at the style sheets: it would count as requests of the page.
        "preload": False,
    }
    axe = Axe(f"{AXE_SCRIPT};{ONCE_FOR_EACH_LOOK};{SHOW_EACH_LOOK_ONCE}")
    try:
        violations = axe.run(page, options=options).response["violations"]
    finally:
        page.evaluate("window.showAll()")
    if unjudged := page.evaluate("window.findUnjudged()"):
        raise RuntimeError(
            f"Each look must be judged where it comes first, and these were not: "
            f"{unjudged}. Show them, or leave them out in SHOW_EACH_LOOK_ONCE."
        )
    return [
        (violation["id"], str(node["target"]), node.get("failureSummary", ""))
        for violation in violations
        for node in violation["nodes"]
    ]
