/* Let a link to the translator without a part open it below the words that name it.

Where no script runs, and in another tab, the link leads to the first page. Pressed
again, it closes what it opened. An address that names the part opens it, too. A figure
that is the drawing of the translator comes to life when a reader comes near; paper
keeps the drawing. */
(() => {
"use strict";

const LINKS = 'main a[href*="index.html#without-"]';
const DRAWN = 'main figure[id$="-translator"]';
const SCRIPTS = ["translator_told.js", "translator.js"]; // in this order
const folder = document.currentScript.src.replace(/[^/]*$/, "");
let box;

/* Make the place in which the translator comes to life. */
function build() {
  box = document.createElement("div");
  box.className = "translator d-print-none";
  box.dataset.translator = "numbers";
  box.role = "group";
  box.ariaLabel = "A Transformer that runs in this page";
  box.innerHTML = `<div class="translator-still"></div>
    <p class="translator-proof">A Transformer, trained with the code of this book.
    <span></span></p>`;
}

/* Open the translator below a link, or move it there; it follows the address. */
function open(link) {
  const first = !box;
  if (first) build();
  (link.closest("table, ul, ol, p") ?? link).after(box);
  for (const other of document.querySelectorAll(LINKS)) {
    other.ariaExpanded = other === link;
  }
  if (location.hash !== link.hash) location.hash = link.hash;
  if (first) fetchScripts();
}

/* Fetch what makes it live, and say when the last of it is there. */
function fetchScripts(onload = null) {
  for (const name of SCRIPTS) {
    const script = document.createElement("script");
    Object.assign(script, { src: folder + name, async: false });
    if (name === SCRIPTS.at(-1)) script.onload = onload;
    document.head.append(script);
  }
}

/* Let the drawing in a figure come to life in its place. */
function wake(figure) {
  const drawing = figure.firstElementChild;
  build();
  box.hidden = true;
  drawing.after(box);
  fetchScripts(() => {
    drawing.classList.add("d-none", "d-print-block");
    box.hidden = false;
  });
}

function close(link) {
  box.remove();
  link.ariaExpanded = false;
  history.replaceState(null, "", location.href.split("#")[0]);
}

for (const link of document.querySelectorAll(LINKS)) {
  link.ariaExpanded = false;
  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    if (link.ariaExpanded === "true") close(link);
    else open(link);
  });
  if (link.hash === location.hash) open(link);
}

const near = new IntersectionObserver((seen) => {
  if (box || !seen.some(({ isIntersecting }) => isIntersecting)) return;
  near.disconnect();
  wake(seen[0].target);
}, { rootMargin: "600px" });
document.querySelectorAll(DRAWN).forEach((figure) => near.observe(figure));
})();
