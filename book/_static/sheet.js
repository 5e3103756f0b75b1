// Where nothing can point at a link, no tooltip says what a term means or which work is
// cited: a tap shows it at the foot of the screen, with a link to the entry.
(() => {
  const PLACES = { "glossary-link": "glossary", "citation-link": "bibliography" };
  const sheet = document.createElement("dialog");
  sheet.className = "book-sheet";
  sheet.setAttribute("popover", "");
  sheet.setAttribute("aria-describedby", "book-sheet-words");
  sheet.innerHTML =
    '<p id="book-sheet-words"></p><a></a><button type="button">Close</button>';
  const [words, entry] = sheet.children;
  const open = (link, place) => {
    words.textContent = link.title;
    entry.textContent = `In the ${place}`;
    entry.href = link.href;
    sheet.setAttribute("aria-label", link.textContent);
    document.body.append(sheet);
    link.focus({ preventScroll: true }); // it comes back here
    sheet.showPopover();
  };
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[title]");
    const kind = Object.keys(PLACES).find((name) => link?.classList.contains(name));
    if (!kind || !sheet.showPopover || !matchMedia("(hover: none)").matches) return;
    event.preventDefault();
    open(link, PLACES[kind]);
  });
  sheet.addEventListener("click", ({ target }) => {
    if (target !== sheet && target !== words) sheet.hidePopover();
  });
  // The browser would close it, but a script of Sphinx takes the key.
  document.addEventListener("keydown", ({ key }) => {
    if (key === "Escape" && sheet.isConnected) sheet.hidePopover();
  });
})();
