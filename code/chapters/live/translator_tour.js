/* What the tour of the translator waits for: each line has a number that shows what it asks.

`translator.js` fetches this with the model, and hands over what both use. */
(() => {
"use strict";

globalThis.bookTour = ({ box, parts, state, make, marked, rest, take, textNow }) => {
  const slider = parts.beams.querySelector("input");
  const wrong = () => Boolean(parts.said.querySelector(".translator-right b"));
  let lost = ""; // the number that a head was needed for, while one text was followed
  let broken = false; // whether a number was given that a twin gets wrong
  // What the lines ask for, in their order.
  const DONE = [
    () => textNow() !== rest.text,
    () => state.pointed && state.place !== null,
    () => state.swapped,
    () => state.twin === "without-positions" && !state.forbidden.size && wrong(),
    () => !state.twin && state.silent.size > 0 && wrong(),
    () => state.width > 1 && state.silent.size > 0 && lost === textNow() && !wrong(),
  ];

  function current() {
    return parts.tour.isConnected ? parts.tour.querySelector(".now") : null;
  }

  /* Put everything back but what a line is about, and give it a number. */
  function stage(text, twin, ...silent) {
    state.silent.clear();
    silent.forEach((head) => state.silent.add(head));
    state.forbidden.clear();
    state.text = parts.input.value = text;
    slider.value = 1;
    slider.dispatchEvent(new Event("input"));
    take(twin);
  }

  /* Tick the line that is done, once its answer is there, and show the next one. */
  function advance() {
    const line = current();
    if (!line || parts.stage.ariaBusy !== "false" || state.shown < Infinity) return;
    if (state.width === 1 && state.silent.size > 0 && wrong()) lost = textNow();
    if (!DONE[line.value - 1]()) {
      if (line.value === 4 && state.twin === "without-positions" && !broken) {
        broken = true;
        stage("6,002", state.twin);
      }
      return;
    }
    line.classList.replace("now", "done");
    if (line.nextElementSibling) {
      line.nextElementSibling.classList.add("now");
      box.dataset.next = line.value + 1;
      if (line.value === 3) { // the next ones are about what stands further below
        parts.twins.before(parts.tour);
        parts.tour.scrollIntoView({ block: "nearest", behavior: "instant" });
      }
    } else {
      line.parentElement.append(make("li", { class: "over" }, "All six are done."));
      delete box.dataset.next;
    }
  }

  /* Prepare what a panel is to show, when it is opened at its line. */
  function open(panel) {
    const number = current()?.value;
    if (number === 5 && panel === parts.heads) stage("80,080", null);
    if (number === 6 && panel === parts.beams) stage("80,080", null, marked.head);
  }

  return { advance, open };
};
})();
