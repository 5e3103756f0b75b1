/* How much somebody's words surprise the model: bits a letter, on a line beside those of
verses that it never read. What is prefaced by a prophet is weighed without the preface.

`writer.js` fetches this with the page, and hands over what both use. */
(() => {
"use strict";

const VERSE = 1.4, STRANGE = 2.1; // bits a letter of verses that it never read: of all, and
// what nine of ten beginnings of them stay below
const MOST = 7; // that the line has room for
const WIDE = 0.35; // of the line, for the name of the verses
const PREFACE = "And the prophet said,";

/* The bits a letter of what was typed, behind a preface that it may have; tokens have their
letters and their bits. */
function weigh(text, tokens) {
  const prefaced = text.startsWith(`${PREFACE} `), words = text.slice(prefaced ? PREFACE.length : 0).trim();
  let letters = 0;
  const own = tokens.filter((token) => (letters += token.letters.length) > PREFACE.length || !prefaced);
  const bits = own.reduce((sum, token) => sum + token.bits, 0);
  return { words, prefaced, each: words ? bits / [...words].length : null, dots: dotsOf(words, own) };
}

/* What the dots in the text stand for, if it has some: bytes of a letter that no token has, or
a space that no token begins with. */
function dotsOf(words, tokens) {
  const pieces = tokens.map(({ letters }) => letters);
  const cut = pieces.some((piece) => piece.includes("\ufffd"));
  const letter = cut && [...words].find((one) => one.trim() && !pieces.some((piece) => piece.includes(one)));
  if (letter) {
    const bytes = new TextEncoder().encode(letter).length;
    return `“${letter}” comes in ${bytes} bytes: ${"·".repeat(bytes - 1)}${letter}`;
  }
  return pieces.includes(" ") ? "a dot is a space alone" : null;
}

globalThis.bookWriterSurprise = ({ make, input, retype }) => {
  const plain = new Map(); // what words cost without the preface
  const mark = make("b", { class: "writer-mark" }), ghost = make("i", { class: "writer-ghost" });
  const line = make("div", { class: "writer-scale", role: "meter", "aria-valuemin": "0",
    "aria-valuemax": String(MOST), "aria-label": "Surprise, bits a letter" },
  make("span", {}, "← verses"), make("em", { "aria-hidden": "true" }), ghost, mark);
  const told = make("p"), button = make("button", { type: "button" }, "Let a prophet say it");
  const element = make("div", { class: "writer-surprise" }, told, line, button);
  line.style.setProperty("--usual", STRANGE / MOST);

  function put(part, each) {
    part.hidden = each === undefined;
    if (!part.hidden) part.style.setProperty("--at", Math.min(each / MOST, 1).toFixed(3));
  }

  /* Show what a text costs. */
  function show(text, tokens) {
    const { words, prefaced, each, dots } = weigh(text, tokens);
    element.classList.toggle("empty", each === null);
    if (each === null) return;
    if (!prefaced) plain.set(words, each);
    const bare = prefaced ? plain.get(words) : undefined, bits = each.toFixed(1);
    told.replaceChildren(make("b", {}, `${bits} bits`), ...bare !== undefined
      ? [bare > each ? " of surprise a letter, " : " a letter: no help, ", `${bare.toFixed(1)} without him`]
      : dots ? [" a letter: ", dots] : [" of surprise a letter, ",
        each > STRANGE ? `${(each / VERSE).toFixed(1)} times a verse` : `a verse has ${VERSE.toFixed(1)}`]);
    const at = (each - STRANGE) / MOST, beyond = each > MOST, covered = beyond || (at > -0.02 && at < WIDE);
    line.classList.toggle("covered", covered);
    line.children[0].textContent = covered ? "verses" : "← verses";
    line.children[1].textContent = beyond ? "beyond →" : at < WIDE ? String(MOST) : "";
    put(mark, each);
    put(ghost, bare);
    line.setAttribute("aria-valuenow", Math.min(each, MOST).toFixed(1));
    line.setAttribute("aria-valuetext", told.textContent);
    button.hidden = prefaced || each <= STRANGE;
  }

  button.addEventListener("click", () => {
    input.value = `${PREFACE} ${input.value.trim()}`;
    retype();
    input.focus({ preventScroll: true });
  });
  return { element, show };
};
globalThis.bookWriterSurprise.weigh = weigh;
})();
