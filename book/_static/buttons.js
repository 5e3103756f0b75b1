// What the buttons of the theme do. The theme keeps that in their attributes, where the
// policy of the page lets no code run (site_policy.py); marks stand there now.
(() => {
  const ACTIONS = {
    fullscreen: () => window.toggleFullScreen(),
    print: () => window.print(),
  };
  document.addEventListener("click", ({ target }) => {
    const button = target.closest("[data-book-action]");
    if (button) ACTIONS[button.dataset.bookAction]();
  });
})();
