// A box that scrolls sideways can be reached with the keyboard. The theme sees to code,
// tables and outputs; this sees to formulas, and to what a reader unfolds.
(() => {
  const update = () => {
    for (const box of document.querySelectorAll(".math-scroll")) {
      if (box.scrollWidth > box.clientWidth) {
        box.tabIndex = 0;
        box.setAttribute("role", "group");
        box.setAttribute("aria-label", "Formula, scrolls sideways");
      } else {
        for (const name of ["tabindex", "role", "aria-label"]) {
          box.removeAttribute(name);
        }
      }
    }
  };
  window.addEventListener("load", () => {
    update();
    document.fonts.ready.then(update);
  });
  window.addEventListener("resize", update);
  // The theme measures its boxes again when the window changes its size.
  document.addEventListener(
    "toggle",
    () => window.dispatchEvent(new Event("resize")),
    true,
  );
})();
