// A box that scrolls can be reached with the keyboard: code, tables, outputs, formulas,
// figures, also what a reader unfolds. Its style (book.css) shows on which side there is
// more. Boxes are measured when the browser lays them out; to measure them all at once,
// as the theme does (bookkit/publishing/site/weight.py), makes it lay out the whole page.
(() => {
  const BOXES = [
    ".math-scroll",
    "pre",
    ".cell_output > .output",
    ".pst-scrollable-table-container",
    "picture",
  ].join(", ");

  const KINDS = [
    [".math-scroll", "Formula"],
    ["picture", "Figure"],
  ];

  // A formula scrolls sideways only: a high sum may pass its box by a part of a pixel.
  const scrolls = (box) =>
    box.scrollWidth > box.clientWidth
    || (box.scrollHeight > box.clientHeight && !box.matches(".math-scroll"));

  const findMore = ({ scrollLeft, scrollWidth, clientWidth }) => {
    const sides = [];
    if (scrollLeft > 1) sides.push("left");
    if (scrollLeft < scrollWidth - clientWidth - 1) sides.push("right");
    return sides.join(" ");
  };

  const showMore = (box, sides) => {
    if (sides) box.dataset.more = sides;
    else delete box.dataset.more;
  };

  const mark = (box, reachable) => {
    const [, kind] = KINDS.find(([selector]) => box.matches(selector)) ?? [];
    if (reachable) {
      box.tabIndex = 0;
      if (kind) {
        box.setAttribute("role", "group");
        box.setAttribute("aria-label", `${kind}, scrolls sideways`);
      }
    } else {
      box.removeAttribute("tabindex");
      if (kind) {
        box.removeAttribute("role");
        box.removeAttribute("aria-label");
      }
    }
  };

  const observer = new ResizeObserver((entries) => {
    const changed = entries.flatMap(({ target }) => [target, target.parentElement]);
    const boxes = new Set(changed.filter((part) => part?.matches(BOXES)));
    const measured = [...boxes].map((box) => [box, scrolls(box), findMore(box)]);
    for (const [box, reachable, sides] of measured) {
      mark(box, reachable);
      showMore(box, sides);
    }
  });

  const follow = ({ target }) => {
    if (target instanceof Element && target.matches(BOXES)) {
      showMore(target, findMore(target));
    }
  };

  const watch = () => {
    for (const box of document.querySelectorAll(BOXES)) {
      // What stands in a box may grow while the box does not.
      for (const part of [box, box.firstElementChild ?? box]) {
        observer.unobserve(part);
        observer.observe(part);
      }
    }
  };

  watch();
  // Boxes tell nobody above them that they scroll.
  document.addEventListener("scroll", follow, { capture: true, passive: true });
  // Letters change their width when their font has come.
  document.fonts.addEventListener("loadingdone", watch);
})();
