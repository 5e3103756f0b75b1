/* A tour of eight steps inside the picture: each opens a part and says what is seen there.

`writer.js` fetches this with the model, and hands over what both use. */
(() => {
"use strict";

const TOLD = 8; // tokens of the text, where it takes another way
const ROOM = 4; // pixels between the text and what is shown below it
/* The part of each step, what is said of it, and what else must be in view then. */
const STEPS = [
  ["token", "Your words were cut into tokens, pieces that were frequent in the text that it learned from. Rare words take several. A line end stands before all of them, as it did in training."],
  ["vectors", "Each token became a row of numbers from a table. From here on, words are gone: there are vectors, and what is done to them."],
  ["attention.0", "In the first layer the vector asks itself and all those before it. Softmax turns how well each one fits into shares, and the vector takes that much of each. Point at another token to see what it looks at. Nothing looks down: later tokens are hidden."],
  ["attention.2", "Every layer asks anew, by six heads, each with questions of its own. Press a head to see it alone, and walk through its four steps.", ".writer-heads li"],
  ["network.0", "After each attention a network works on each vector by itself. Take out the first one, see what becomes of the words at the foot of the picture, and then put it back."],
  ["stream.2", "What each part found is added to the vector, which runs on as a stream. Below each layer stands what the model would say if it stopped there. Follow the words from left to right."],
  ["next", "At the end the vector is normed and compared with all rows of the table. That gives each token a share, and so the model never says one word: it says how likely each is.", ".writer-inside tbody tr:nth-child(3)"],
  ["next", "One token is drawn and becomes the newest row. Only that row is computed then, because keys and values of the others are kept. Drag the needle to a less likely one, or press it: the text takes another way, and yours comes back when you are done.", ".writer-lot"],
];

globalThis.bookWriterTour = ({ box, state, make, model, open, draw, change, keep, bring: bringAll, said: text, svg }) => {
  const picture = globalThis.bookWriterPicture;
  let at = -1, putBack, taken = null; // the text as it was; what the tour has taken out
  const begin = make("button", { type: "button" }, "Show me around");
  const count = make("b"), said = make("p", { role: "status" });
  const back = make("button", { type: "button" }, "Back");
  const on = make("button", { type: "button", class: "writer-main" });
  const end = make("button", { type: "button" }, "End the tour");
  const act = make("button", { type: "button" }); // what a step asks to press
  const element = make("div", { class: "writer-tour", role: "group", "aria-label": "Tour" },
    make("div", { class: "writer-row" }, count, back, on, end), said, make("div", { class: "writer-act" }, act));

  /* The part that a step is about; tokens stand for the place that is looked at. */
  function named(step) {
    return STEPS[step][0] === "token" ? `token.${state.place}` : STEPS[step][0];
  }

  /* What is said of a step: first, at which token it looks, and at last, how the text goes on. */
  function tell() {
    const { ids } = state.text, names = picture.namesOf(model.tokenizer, ids);
    if (at === 0) return `We look at “${names[state.place]}”, where your words end. ${STEPS[at][1]}`;
    if (at < STEPS.length - 1) return STEPS[at][1];
    let from = Math.max(1, ids.length - TOLD); // and back to where its word begins
    while (from > 1 && names[from].startsWith("…")) from -= 1;
    return `${STEPS[at][1]} The text ends now: “${from > 1 ? "… " : ""}${model.tokenizer.decode(ids.slice(from)).trim()}”.`;
  }

  /* Bring what is said into view together with the picture and what a step asks for; without
  the picture, where there is no room for all. */
  function bring() {
    const held = text.parentElement, from = parseFloat(getComputedStyle(held).top) + held.offsetHeight + ROOM;
    const asked = STEPS[at][2] ? [box.querySelector(STEPS[at][2])] : [];
    const span = (...all) => {
      const boxes = all.map((one) => one.getBoundingClientRect());
      return [Math.min(...boxes.map(({ top }) => top)), Math.max(...boxes.map(({ bottom }) => bottom))];
    };
    const [top, bottom] = [[svg], []].map((more) => span(...more, element, ...asked))
      .find(([top, bottom], i) => bottom - top <= innerHeight - from || i === 1);
    if (top < from || bottom > innerHeight) {
      (document.fullscreenElement ?? document.scrollingElement).scrollBy({ top: top - from, behavior: "instant" });
    }
  }

  /* The network of a step, which can be taken out beside what is said of it. */
  function networkOf(step) {
    const [kind, layer] = (STEPS[step]?.[0] ?? "").split(".");
    return kind === "network" ? `decoder.layers.${layer}.feed_forward` : null;
  }

  /* Put back what the tour has taken out, and then do what follows. */
  function restore(then = () => {}) {
    const was = state.silent.delete(taken);
    taken = null;
    if (was) change().then(then);
    else then();
  }

  /* Let the text scroll to the token that is looked at. */
  function reveal() {
    const chip = text.querySelector('[aria-pressed="true"]')?.getBoundingClientRect();
    if (chip) text.scrollTop += chip.bottom - text.getBoundingClientRect().bottom + 1;
  }

  function go(step) {
    at = step;
    state.open = null;
    if (at < 0 || at === STEPS.length) {
      at = -1;
      draw();
      begin.focus({ preventScroll: true });
      restore(putBack);
      bringAll();
      return;
    }
    restore();
    if (at < STEPS.length - 1) open(named(at));
    else draw();
    bring();
    if (!element.contains(document.activeElement)) on.focus({ preventScroll: true });
  }

  begin.addEventListener("click", () => {
    putBack = keep();
    state.place = Math.max(state.prompt - 1, ...state.inked); // where somebody's own words end
    go(0);
  });
  act.addEventListener("click", () => {
    const name = networkOf(at);
    if (!state.silent.delete(name)) state.silent.add(taken = name);
    change();
  });
  back.addEventListener("click", () => go(at - 1));
  on.addEventListener("click", () => go(at + 1));
  end.addEventListener("click", () => go(-1));

  return {
    element, begin, get shown() { return at >= 0; },
    draw() {
      begin.disabled = at >= 0 || state.moving;
      element.hidden = at < 0;
      box.classList.toggle("touring", at >= 0); // the text stays in view, in two lines
      if (at < 0) return;
      reveal();
      count.textContent = `${at + 1} of ${STEPS.length}`;
      said.textContent = tell();
      back.disabled = at === 0;
      on.textContent = at === STEPS.length - 1 ? "Done" : "Next";
      const name = networkOf(at);
      act.parentElement.hidden = !name;
      act.textContent = state.silent.has(name) ? "Put this network back" : "Take this network out";
      act.classList.toggle("off", state.silent.has(name));
      const part = document.querySelector(`.writer-part[data-part="${named(at)}"]`);
      part?.classList.add("lit");
    },
  };
};
})();
