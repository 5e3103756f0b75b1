"""Walk through the states of an explorer, and look at its words in each of them."""

from playwright.sync_api import Page

ARTICLE = 680  # pixels: how wide the text of a page is in a window of 1,280
STEPS = 120
# Moves handles by arrow keys and chooses from lists, always in the same order, and
# notes the words that a handle covers and those that lie on each other. A handle may
# cover the word that stands on it.
_WALK = """(steps) => {
  const root = document.querySelector(".explorer");
  const handles = [...root.querySelectorAll("[role=slider]")];
  const lists = [...root.querySelectorAll("select, [type=checkbox]")];
  const keys = ["ArrowRight", "ArrowLeft", "ArrowUp", "ArrowDown"];
  let seed = 7;
  const draw = (many) => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return Math.floor(seed / 65536) % many;
  };
  // The letters of a line of text, without the room above and below.
  const read = (text) => {
    const box = text.getBoundingClientRect(), rim = 0.2 * box.height;
    const place = { left: box.left, right: box.right };
    return { ...place, top: box.top + rim, bottom: box.bottom - rim };
  };
  const meet = (a, b) =>
    Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
  const covered = new Set(), crossed = new Set();
  const look = () => {
    const texts = [...root.querySelectorAll("svg text")]
      .filter((text) => text.textContent.trim() && text.getBoundingClientRect().width)
      .map((text) => [text, read(text), text.closest(".explorer-handle")]);
    for (const handle of handles) {
      const plate = handle.querySelector(".grip")?.getBoundingClientRect();
      if (!plate) continue;  // a frame through which one sees
      for (const [text, box, on] of texts) {
        const told = text.textContent, twice = told === handle.textContent;
        if (on !== handle && !twice && meet(box, plate)) {
          covered.add(`${handle.dataset.part} covers ${told}`);
        }
      }
    }
    const free = texts.filter(([, , on]) => !on);
    free.forEach(([text, box], i) => free.slice(0, i).forEach(([other, place]) => {
      if (meet(box, place)) crossed.add(`${other.textContent} and ${text.textContent}`);
    }));
  };
  look();
  for (let step = 1; step <= steps; step++) {
    const handle = handles[draw(handles.length)], key = keys[draw(keys.length)];
    for (let times = 1 + draw(4); times; times--) {
      const press = { key, shiftKey: draw(3) === 0, bubbles: true };
      handle.dispatchEvent(new KeyboardEvent("keydown", press));
    }
    if (step % 25 === 0 && lists.length) {
      const list = lists[draw(lists.length)];
      if (list.type === "checkbox") list.checked = !list.checked;
      else list.selectedIndex = draw(list.length);
      list.dispatchEvent(new Event("input", { bubbles: true }));
    }
    look();
  }
  return [[...covered], [...crossed]];
}"""
_MEASURE = """() => [...document.querySelectorAll(".explorer svg text")]
  .filter((text) => text.textContent.trim() && text.getBoundingClientRect().width)
  .map((text) => [text.textContent,
    parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().d])"""


def frame(html: str, width: int = ARTICLE) -> str:
    """Give an explorer so many pixels."""
    return f'<div style="width: {width}px">{html}</div>'


def find_lost_words(page: Page, steps: int = STEPS) -> list[list[str]]:
    """List the words that handles cover on a long walk, and those that meet others."""
    return page.evaluate(_WALK, steps)


def find_small_words(page: Page, least: float) -> list[tuple[str, float]]:
    """List the words of drawings that are smaller than so many pixels."""
    return [(word, size) for word, size in page.evaluate(_MEASURE) if size < least]
