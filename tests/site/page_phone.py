"""Look at a page as on a phone: small letters, words on words, boxes that hide more."""

from playwright.sync_api import Page

LEAST_SCALE = 0.85
# The smallest letters of a figure have 8 points, which are 9 pixels at that scale.
LEAST_PIXELS = 9
FIND_SMALL = f"""async () => {{
  const images = [...document.querySelectorAll(".bd-article figure img")];
  for (const image of images) {{
    image.loading = "eager";
    await image.decode();
  }}
  return images
    .map((image) => [image.currentSrc.split("/").pop(),
      image.clientWidth / image.naturalWidth])
    .filter(([, scale]) => scale < {LEAST_SCALE});
}}"""
# The boxes that scroll sideways, each before and after it is scrolled to its end.
FIND_SILENT = """async () => {
  const drawn = () => new Promise((done) =>
    requestAnimationFrame(() => requestAnimationFrame(done)));
  const boxes = [...document.querySelectorAll(".bd-article *")].filter((box) =>
    box.scrollWidth > box.clientWidth + 1
    && ["auto", "scroll"].includes(getComputedStyle(box).overflowX));
  const says = (box, sides) => (box.dataset.more ?? "") === sides
    && (getComputedStyle(box).maskImage !== "none") === (sides !== "");
  // A busy browser tells of a scroll some frames later.
  const settles = async (box, sides) => {
    for (let frame = 0; frame < 60 && !says(box, sides); frame++) await drawn();
    return says(box, sides);
  };
  const wrong = [...document.querySelectorAll("[data-more]")]
    .filter((box) => !boxes.includes(box));
  // All at once: a page is drawn in the time of one box, however many there are.
  const turn = async (place, sides) => {
    for (const box of boxes) box.scrollLeft = place(box);
    return Promise.all(boxes.map((box) => settles(box, sides)));
  };
  const rest = await Promise.all(boxes.map((box) => settles(box, "right")));
  const end = await turn((box) => box.scrollWidth, "left");
  const back = await turn(() => 0, "right");
  wrong.push(...boxes.filter((_, i) => !(rest[i] && end[i] && back[i])));
  return wrong.map((box) => box.outerHTML.slice(0, 100));
}"""
# Code, outputs and commands of which a part is out of sight.
FIND_CUT = """() => [...document.querySelectorAll(".bd-article pre")]
  .filter((box) => box.scrollWidth > box.clientWidth + 1)
  .map((box) => box.textContent.slice(0, 100))"""
# Tables of five columns or fewer that hold words and numbers only, and are cut.
FIND_WIDE = """() => [...document.querySelectorAll(
    ".pst-scrollable-table-container")]
  .filter((box) => box.scrollWidth > box.clientWidth + 1
    && !box.querySelector("td.phrase, tr > :nth-child(6)"))
  .map((box) => box.textContent.slice(0, 100))"""
# Tables of cards that are cut, that show the head of a table, or a cell that does not
# stand behind the name of its column, alone on its line.
FIND_BAD_CARDS = """() => [...document.querySelectorAll("table.cards")]
  .filter((table) => {
    const box = table.closest(".pst-scrollable-table-container");
    const names = [...table.querySelectorAll("td:not(.empty) > .column")];
    return box.scrollWidth > box.clientWidth + 1 || table.tHead.offsetHeight
      || [...table.querySelectorAll("td:not(.empty)")].some((cell) =>
        cell.offsetWidth < table.offsetWidth - 1)
      || !names.length || names.some((name) => !name.offsetHeight
        || name.nextElementSibling?.offsetLeft < name.offsetLeft + name.offsetWidth);
  })
  .map((table) => table.textContent.slice(0, 100))"""
# Outputs whose letters are too small, and buttons in the head that a finger misses.
FIND_SMALL_OUTPUTS = """() => [...document.querySelectorAll(".cell_output pre")]
  .filter((box) => parseFloat(getComputedStyle(box).fontSize) < 11.5)
  .map((box) => box.textContent.slice(0, 100))"""
FIND_SMALL_BUTTONS = """() => [...document.querySelectorAll(".bd-header-article .btn")]
  .filter(({ offsetWidth, offsetHeight }) =>
    offsetWidth && (offsetWidth < 44 || offsetHeight < 44))
  .map((button) => button.className)"""
# Code whose text, when it is selected, is not what was written; the numbers of its
# lines were not.
FIND_ALTERED = """() => [...document.querySelectorAll(".cell_input pre")]
  .filter((box) => {
    const written = box.cloneNode(true);
    for (const number of written.querySelectorAll(".linenos")) number.remove();
    getSelection().selectAllChildren(box);
    return getSelection().toString().trimEnd() !== written.textContent.trimEnd();
  })
  .map((box) => box.textContent.slice(0, 100))"""
# Names of code, with signs that are no letters around them, that are in two rows and
# have room in one: 34 letters, of which the indent of the line takes some.
FIND_BROKEN_NAMES = r"""() => {
  const broken = [], name = document.createRange();
  for (const line of document.querySelectorAll(".cell_input pre.wraps .line")) {
    const room = 30 - parseInt(line.style.getPropertyValue("--indent"));
    const walk = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
      const part = walk.currentNode;
      for (const {0: word, index} of part.data.matchAll(/\p{L}\w+/gu)) {
        name.setStart(part, index);
        name.setEnd(part, index + word.length);
        const rows = new Set([...name.getClientRects()].map(({top}) => top));
        if (rows.size > 1 && word.length <= room) broken.push(word);
      }
    }
  }
  return broken;
}"""
# Matplotlib draws each text as a group of outlines, 100 units high before they are
# scaled; a letter of an index is scaled again.
READ_WORDS = f"""() => {{
  const svg = document.documentElement;
  const shown = svg.getBoundingClientRect();
  const texts = [...svg.querySelectorAll("g[id^='text_']")]
    .map((text) => [text.id, text.getBoundingClientRect(), text])
    .filter(([, box]) => box.width && box.height);
  const faults = [];
  for (const [id, box, text] of texts) {{
    const [scale] = /(?<=scale\\()[\\d.]+/.exec(text.innerHTML);
    const pixels = scale * 100 * 96 / 72 * {LEAST_SCALE};
    if (pixels < {LEAST_PIXELS}) faults.push(`${{id}} has ${{pixels}} pixels`);
    if (box.left < shown.left - 1 || box.right > shown.right + 1
        || box.top < shown.top - 1 || box.bottom > shown.bottom + 1) {{
      faults.push(`${{id}} leaves the picture`);
    }}
    for (const [other, place] of texts) {{
      const aside = Math.min(box.right, place.right) - Math.max(box.left, place.left);
      const above = Math.min(box.bottom, place.bottom) - Math.max(box.top, place.top);
      if (id < other && aside > 0.5 && above > 0.5) {{
        faults.push(`${{id}} and ${{other}} meet`);
      }}
    }}
  }}
  return faults;
}}"""


def find_small_figures(page: Page) -> list[tuple[str, float]]:
    """List the figures that are scaled down too far, each with its scale."""
    return [tuple(found) for found in page.evaluate(FIND_SMALL)]


def find_small_outputs(page: Page) -> list[str]:
    """List the outputs whose letters have less than 11.5 pixels."""
    return page.evaluate(FIND_SMALL_OUTPUTS)


def find_small_buttons(page: Page) -> list[str]:
    """List the buttons in the head of a page with less than 44 pixels a side."""
    return page.evaluate(FIND_SMALL_BUTTONS)


def find_silent_boxes(page: Page) -> list[str]:
    """List boxes that hide more in silence, or show that they do and do not."""
    return page.evaluate(FIND_SILENT)


def find_cut_lines(page: Page) -> list[str]:
    """List code and outputs that are wider than the screen."""
    return page.evaluate(FIND_CUT)


def find_wide_tables(page: Page) -> list[str]:
    """List small tables without phrases that are wider than the screen."""
    return page.evaluate(FIND_WIDE)


def find_bad_cards(page: Page) -> list[str]:
    """List tables that are cards on a phone, and do not look so."""
    return page.evaluate(FIND_BAD_CARDS)


def find_altered_code(page: Page) -> list[str]:
    """List code that a reader who selects it does not get as it was written."""
    return page.evaluate(FIND_ALTERED)


def find_broken_names(page: Page) -> list[str]:
    """List names of code that are in two rows, though one has room for them."""
    return page.evaluate(FIND_BROKEN_NAMES)


def find_faults_of_words(page: Page) -> list[str]:
    """List what is wrong with the texts of an open SVG: size, distance, place."""
    return page.evaluate(READ_WORDS)
