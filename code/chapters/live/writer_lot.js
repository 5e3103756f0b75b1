/* The line on which the lot falls: the shares that are kept, side by side, and the needle.

The needle stands where the lot fell, or where a hand holds it, which a pointer and keys
do; what it holds is shown in the text meanwhile. `writer.js` fetches this with the model,
and hands over what both use. */
(() => {
"use strict";

const writer = globalThis.bookWriter, picture = globalThis.bookWriterPicture;
const PIECES = 40; // of the line,
const LETTER = [6.7, 9]; // pixels of a letter in a name on a piece, and on the whole screen

globalThis.bookWriterLot = ({ state, make, model, shapeAt, lotAt, rows, drawNext, said, turn, halt, put }) => {
  const line = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  line.setAttribute("class", "writer-picture");
  line.setAttribute("viewBox", "0 0 1000 14");
  line.setAttribute("preserveAspectRatio", "none");
  const names = make("div", { class: "writer-names", "aria-hidden": "true" });
  const needle = make("div", { class: "writer-needle" });
  const element = make("div", { class: "writer-lot", role: "slider", tabindex: "0", "aria-valuemin": "0",
    "aria-valuemax": "100", "aria-label": "The needle on the shares that are kept, side by side" },
  line, names, needle);
  const fell = make("span", { class: "writer-fell" });
  const hint = make("small", { "aria-hidden": "true" }, "↔ drag it"); // until somebody has
  const noted = make("small", { role: "status" });
  const below = make("div", { class: "writer-under" }, fell, hint, noted);
  const word = make("b", { class: "writer-hand" });
  let shown, wide = 0; // the shape that the line has, and its pixels

  /* How a token is called that comes after the place that is looked at. */
  function nameNext(id) {
    return picture.nameAfter(model.tokenizer, state.text.ids[state.place], id);
  }

  /* Say something below the line, in the place of the hint. */
  function note(...told) {
    noted.replaceChildren(...told);
    hint.hidden ||= told[0] !== "";
  }

  /* Go on with what lies at a value, and say who chose. */
  async function choose(value) {
    note("");
    await put(value, "hand");
    if (!noted.textContent) note("Your hand chose, and not chance.");
  }

  /* Draw the line of length 1, and the needle: where the lot fell, where somebody holds it,
  or at rest. */
  function draw() {
    const shape = shapeAt(state.place);
    const fallen = state.hand === null ? lotAt(state.place)
      : { value: state.hand, id: writer.drawn(shape, state.hand), by: "hand" };
    if (shown !== shape) drawLine(shape);
    shown = shape;
    needle.classList.toggle("rests", !fallen);
    needle.style.transform = fallen ? `translateX(${100 * fallen.value}%)` : "";
    fell.replaceChildren(...(fallen ? [
      `${fallen.value.toFixed(2)} ${fallen.by === "hand" ? "lies" : "fell"} on `,
      make("b", {}, nameNext(fallen.id))] : []));
    element.setAttribute("aria-valuenow", fallen ? (100 * fallen.value).toFixed(0) : "0");
    element.setAttribute("aria-valuetext", fallen ? fell.textContent : "at rest");
  }

  function drawLine({ kept, order }) {
    const ends = kept.slice(0, PIECES - 1);
    if (kept.length >= PIECES) ends.push(1 - ends.reduce((sum, share) => sum + share, 0));
    let from = 0;
    names.replaceChildren();
    line.innerHTML = ends.map((share, i) => {
      const name = i < PIECES - 1 ? nameNext(order[i]) : "all others", at = from;
      from += share;
      if (share * wide > name.length * LETTER[Number(document.fullscreenElement !== null)] + 8) {
        const told = make("span", {}, name);
        told.style.left = `${100 * at}%`;
        told.style.width = `${100 * share}%`;
        names.append(told);
      }
      return `<rect class="${i % 2 ? "minus" : "plus"}" x="${(1000 * at).toFixed(1)}" y="0" height="14" ` +
        `width="${(1000 * share).toFixed(1)}"><title>${picture.safe(name)}</title></rect>`;
    }).join("");
  }

  /* The piece of a token, by its place in the order. */
  function piece(order) {
    return line.children[Math.min(order, PIECES - 1)];
  }

  /* Light a row and its piece of the line together. */
  function point(order) {
    const { stay } = shown, lit = order >= 0 && order < stay ? piece(order) : null;
    for (const row of rows) row.classList.toggle("pointed", Number(row.dataset.at) === order);
    for (const part of line.children) part.classList.toggle("pointed", part === lit);
  }

  /* Hold the needle somewhere: the text shows what lies there, in the place of what came. */
  function hold({ clientX }) {
    const { left, width } = line.getBoundingClientRect(), shape = shapeAt(state.place);
    state.hand = Math.min(Math.max((clientX - left) / width, 0), 1 - 1e-6);
    const id = writer.drawn(shape, state.hand), letters = model.tokenizer.decode([id]);
    word.textContent = letters.trim() ? letters : ` ${nameNext(id)}`;
    if (!word.isConnected) {
      said.style.minHeight = `${said.getBoundingClientRect().height}px`; // the line stays below the hand
      for (const chip of said.querySelectorAll("button")) chip.hidden = Number(chip.dataset.place) > state.place;
      turn.before(word);
    }
    drawNext();
    point(shape.order.indexOf(id));
  }

  /* Let the needle go; what was hidden meanwhile is there again. */
  function release() {
    state.hand = null;
    word.remove();
    said.style.minHeight = "";
    for (const chip of said.querySelectorAll("button[hidden]")) chip.hidden = false;
    point(-1);
  }

  element.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    halt();
    element.setPointerCapture(event.pointerId);
    hold(event);
  });
  element.addEventListener("pointermove", (event) => {
    if (state.hand !== null) hold(event);
  });
  element.addEventListener("pointerup", () => {
    const { hand } = state;
    if (hand === null) return;
    release();
    choose(hand);
  });
  element.addEventListener("pointercancel", () => {
    release();
    drawNext();
  });

  /* Keys go from token to token, and the needle stands in the middle of each. */
  element.addEventListener("keydown", (event) => {
    const { kept, order } = shapeAt(state.place), fallen = lotAt(state.place);
    const at = fallen ? order.indexOf(fallen.id) : -1;
    const to = { ArrowRight: at + 1, ArrowUp: at + 1, ArrowLeft: at - 1, ArrowDown: at - 1,
      Home: 0, End: kept.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    halt();
    const on = Math.min(Math.max(to, 0), kept.length - 1);
    choose(kept.slice(0, on).reduce((sum, share) => sum + share, 0) + kept[on] / 2);
  });

  new ResizeObserver(([{ contentRect: { width } }]) => {
    wide = width;
    if (shown) drawLine(shown);
  }).observe(element);

  const { parentNode } = rows[0];
  parentNode.addEventListener("pointerover", ({ target }) => {
    const row = target.closest("button")?.dataset.at;
    point(row ? Number(row) : [...line.children].indexOf(target.closest("rect")));
  });
  parentNode.addEventListener("pointerleave", () => point(-1));
  rows[0].before(element, below);

  return { element, needle, fell, draw, note, piece, nameNext };
};
})();
