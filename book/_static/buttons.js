// What the buttons of the theme do. The theme keeps that in their attributes, where the
// policy of the page lets no code run (site_policy.py); marks stand there now. A button
// that copies has a picture and a tooltip, and gets a name.
(() => {
  const ACTIONS = {
    fullscreen: () => window.toggleFullScreen(),
    print: () => window.print(),
  };
  document.addEventListener("click", ({ target }) => {
    const button = target.closest("[data-book-action]");
    ACTIONS[button?.dataset.bookAction]?.();
  });
  // On a narrow screen the contents of a page lie over it, until the reader has chosen.
  document.addEventListener("click", ({ target }) => {
    if (target.closest("dialog .page-toc a")) target.closest("dialog").close();
  });
  // The mark of what a link has led to goes with the next touch of the page.
  const { classList } = document.documentElement;
  for (const hand of ["pointerdown", "keydown"]) {
    document.addEventListener(hand, () => classList.add("gone-on"));
  }
  window.addEventListener("hashchange", () => classList.remove("gone-on"));
  window.addEventListener("load", () => {
    for (const button of document.querySelectorAll(".copybtn")) {
      button.setAttribute("aria-label", "Copy this code");
    }
  });
})();
