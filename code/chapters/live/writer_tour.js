/* A tour of eight steps inside the picture: each opens a part and says what is seen there.

`writer.js` fetches this with the model, and hands over what both use. */
(() => {
"use strict";

const STEPS = [
  ["token", "Your words were cut into tokens, pieces that were frequent in the text that it learned from. Rare words take several. A line end stands before all of them, as it did in training."],
  ["vectors", "Each token became a row of numbers from a table. From here on, words are gone: there are vectors, and what is done to them."],
  ["attention.0", "In the first layer the vector asks itself and all those before it. Softmax turns how well each one fits into shares, and the vector takes that much of each. Point at another token to see what it looks at. Nothing looks down: later tokens are hidden."],
  ["attention.2", "Every layer asks anew, by six heads, each with questions of its own. Press a head to see it alone, with its scores and shares."],
  ["network.2", "Then a network works on each vector by itself. Take it out, and see what becomes of the words below the picture, and then put it back."],
  ["stream.2", "What each part found is added to the vector, which runs on as a stream. Below each layer stands what the model would say if it stopped there. Follow the words from left to right."],
  ["next", "At the end the vector is normed and compared with all rows of the table. That gives each token a share, and so the model never says one word: it says how likely each is."],
  ["next", "One token is drawn and becomes the newest row. Only that row is computed then, because keys and values of the others are kept. Drag the needle to a less likely one, or press it: the text takes another way."],
];

globalThis.bookWriterTour = ({ state, make, open, draw, svg, next }) => {
  let at = -1;
  const begin = make("button", { type: "button" }, "Show me around");
  const said = make("p", { role: "status" });
  const back = make("button", { type: "button" }, "Back");
  const on = make("button", { type: "button", class: "writer-main" });
  const end = make("button", { type: "button" }, "End the tour");
  const element = make("div", { class: "writer-tour", role: "group", "aria-label": "Tour" },
    said, make("div", { class: "writer-row" }, back, on, end));

  /* The part that a step is about; tokens stand for the newest one. */
  function named(step) {
    return STEPS[step][0] === "token" ? `token.${state.text.ids.length - 1}` : STEPS[step][0];
  }

  function go(step) {
    at = step;
    if (at < 0 || at === STEPS.length) {
      at = -1;
      state.open = null;
      draw();
      begin.focus({ preventScroll: true });
      return;
    }
    state.open = null;
    if (at < STEPS.length - 1) open(named(at));
    else draw();
    const shown = at < STEPS.length - 1 ? svg : next;
    if (!state.open) shown.scrollIntoView({ block: "nearest", behavior: "instant" });
    if (!element.contains(document.activeElement)) on.focus({ preventScroll: true });
  }

  begin.addEventListener("click", () => go(0));
  back.addEventListener("click", () => go(at - 1));
  on.addEventListener("click", () => go(at + 1));
  end.addEventListener("click", () => go(-1));

  return {
    element, begin,
    draw() {
      begin.disabled = at >= 0 || state.moving;
      element.hidden = at < 0;
      if (at < 0) return;
      said.textContent = `${at + 1} of ${STEPS.length}. ${STEPS[at][1]}`;
      back.disabled = at === 0;
      on.textContent = at === STEPS.length - 1 ? "Done" : "Next";
      const part = document.querySelector(`.writer-part[data-part="${named(at)}"]`);
      part?.classList.add("lit");
    },
  };
};
})();
