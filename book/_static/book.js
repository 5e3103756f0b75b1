// A box that scrolls can be reached with the keyboard: code, tables, outputs, formulas,
// also what a reader unfolds. Boxes are measured when the browser lays them out; to
// measure them all at once, as the theme does (site_weight.py), makes it lay out the
// whole page.
(() => {
  const BOXES = [
    ".math-scroll",
    "pre",
    ".cell_output > .output",
    ".pst-scrollable-table-container",
  ].join(", ");

  const scrolls = (box) =>
    box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight;

  const mark = (box, reachable) => {
    const formula = box.matches(".math-scroll");
    if (reachable) {
      box.tabIndex = 0;
      if (formula) {
        box.setAttribute("role", "group");
        box.setAttribute("aria-label", "Formula, scrolls sideways");
      }
    } else {
      box.removeAttribute("tabindex");
      if (formula) {
        box.removeAttribute("role");
        box.removeAttribute("aria-label");
      }
    }
  };

  const observer = new ResizeObserver((entries) => {
    const measured = entries.map(({ target }) => [target, scrolls(target)]);
    for (const [box, reachable] of measured) mark(box, reachable);
  });

  const watch = () => {
    for (const box of document.querySelectorAll(BOXES)) {
      observer.unobserve(box);
      observer.observe(box);
    }
  };

  watch();
  // Letters change their width when their font has come.
  document.fonts.addEventListener("loadingdone", watch);
})();
