"""Measure how long the page's translator takes in Chromium, for one translation.

Once with the whole speed of this machine, and once with a CPU that is slowed six-fold,
as for a phone. Prints the milliseconds until the model is there, of the first
translation, and the median and the least of those after it. Other work on the machine
makes all of them longer, the least by the least.
"""

import argparse
import statistics
import sys
from pathlib import Path

from playwright.sync_api import Browser

from bookkit.book.files import find_root
from bookkit.checking.browser import SITE
from bookkit.publishing.edition.press import open_site

PAGE = "book/index.html"
SCRIPTS = (
    *("transformer.js", "number_words.js", "translator_model.js"),
    "translator_weights.js",
)
SLOWED = (1, 6)
TEXTS = ("forty-two", "six hundred and seventeen thousand three hundred and forty-two")
MEASURE = """async ([scripts, text, times]) => {
  const clocked = async (work) => {
    const begun = performance.now();
    const made = await work();
    return [made, performance.now() - begun];
  };
  const fetchScript = (name) => new Promise((resolve, reject) => {
    const src = new URL(`../_static/${name}`, location).href;
    const script = Object.assign(document.createElement("script"), { src });
    document.head.append(Object.assign(script, { onload: resolve, onerror: reject }));
  });
  const order = (all) => all.map((_, id) => id).sort((a, b) => all[b] - all[a]);
  const choices = { silent: new Set(), forbidden: new Map(), width: 1, temperature: 0 };
  const [model, ready] = await clocked(async () => {
    await Promise.all(scripts.map(fetchScript));
    return bookModel(bookTranslator, order);
  });
  const taken = [];
  for (let time = 0; time < times; time += 1) {
    const [, milliseconds] = await clocked(() => model.compute(text, choices));
    taken.push(milliseconds);
  }
  return { ready, taken };
}"""


def measure(browser: Browser, base: str, text: str, *, slowed: int, times: int) -> dict:
    """Translate a text on a fresh page, as often as is said.

    Returns:
        The milliseconds until the model is "ready", and those "taken" by each
        translation.
    """
    context = browser.new_context()
    page = context.new_page()
    page.goto(base + PAGE, wait_until="load")
    session = context.new_cdp_session(page)
    session.send("Emulation.setCPUThrottlingRate", {"rate": slowed})
    found = page.evaluate(MEASURE, [SCRIPTS, text, times])
    context.close()
    return found


def summarize(slowed: int, found: dict) -> str:
    """Write what was measured in a line."""
    first, *warm = found["taken"]
    columns = found["ready"], first, statistics.median(warm), min(warm)
    return f"{slowed:5}x" + "".join(f"{column:10.1f}" for column in columns)


def main() -> int:
    """Measure, and print what came out."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=31, help="translations of a text")
    options = parser.parse_args()
    if options.times < 2:
        parser.error(f"--times must be at least 2, got {options.times}.")
    with open_site(find_root(Path(__file__)) / SITE) as (browser, base):
        for text in TEXTS:
            print(f"{text}\nslowed     ready     first    median     least  (ms)")
            for slowed in SLOWED:
                found = measure(browser, base, text, slowed=slowed, times=options.times)
                print(summarize(slowed, found), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
