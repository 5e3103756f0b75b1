/* How the next token comes about, as a motion: what a row looks at, what its networks do,
what is handed on, and the lot that falls at the end.

Everything is drawn before it moves, in its last state, and the motion only covers it for a
while. So it can be ended at any time, and nothing is left to be done. `writer.js` fetches
this with the model, and hands over what both use. */
(() => {
"use strict";

const FIRST = 300, LAYER = 900, BARS = 400; // milliseconds: before the layers, of each, after them
const LOOK = 400, UNIT = 150, HAND = 200, SAY = 150; // of the parts of a layer
const RUN = 900, FLASH = 250; // of the needle, and of what it points at
const FLY = 600, GLOW = 900; // of its word, to the text and there
const STAND = 400; // how long it stands where nothing moves
const APART = 20; // between two lines

globalThis.bookWriterFlow = ({ box, svg, next, needle, fell, quiet }) => {
  let moves = [], release = null, pace = 1; // what all times are multiplied by

  /* Move a part; until its turn has come, it is as its first frame says. */
  function play(part, frames, duration, delay = 0, more = {}) {
    moves.push(part.animate(frames, { duration: pace * duration, delay: pace * delay, fill: "backwards",
      easing: "ease-out", ...more }));
  }

  /* Wait until all has moved; say whether nobody ended it. */
  async function moved() {
    const mine = moves;
    await Promise.allSettled(mine.map(({ finished }) => finished));
    if (mine !== moves) return false;
    moves = [];
    return true;
  }

  /* Put everything into its last state. */
  function finish() {
    const mine = moves;
    moves = [];
    for (const move of mine) move.cancel();
    release?.();
  }

  /* Light a part for a while. */
  function light(name, duration, delay) {
    const area = svg.querySelector(`[data-part="${name}"] .area`);
    const lit = { fill: "var(--asks)", fillOpacity: 0.14, stroke: "var(--asks)", strokeWidth: 2 };
    play(area, [lit, lit], duration, delay, { fill: "none" });
  }

  /* Let the lines of the newest row grow out of what it looks at, the strongest first. */
  function look(layer, delay) {
    for (const line of svg.querySelectorAll(`[data-part="attention.${layer}"] .rest`)) {
      play(line, [{ opacity: 0 }, {}], LOOK, delay);
    }
    const lines = [...svg.querySelectorAll(`[data-part="attention.${layer}"] .asks:not(.rest)`)]
      .sort((a, b) => b.getAttribute("stroke-width") - a.getAttribute("stroke-width"));
    lines.forEach((line, i) => {
      line.setAttribute("pathLength", "1"); // from the row that looks to the other
      play(line, [{ strokeDasharray: "1", strokeDashoffset: "-1" },
        { strokeDasharray: "1", strokeDashoffset: "0" }], LOOK - APART * lines.length, delay + APART * i);
    });
  }

  /* Let the stream of the newest row grow, layer by layer. */
  function hand(layers, whole) {
    const line = svg.querySelector(".stream.now");
    const [left, right] = line.getAttribute("d").match(/^M([\d.]+) [\d.]+H([\d.]+)$/).slice(1).map(Number);
    const width = right - left; // which asks for no layout
    const frames = [];
    const to = (time, x) => frames.push({ offset: time / whole, strokeDasharray: "1",
      strokeDashoffset: String(1 - (x - left) / width) });
    const stops = [...svg.querySelectorAll(".stop")].map((stop) => Number(stop.getAttribute("cx")));
    line.setAttribute("pathLength", "1");
    to(0, left);
    to(FIRST, stops[0]);
    for (let layer = 0; layer < layers; layer += 1) {
      const begin = FIRST + LAYER * layer + LOOK + UNIT;
      to(begin, stops[layer]);
      to(begin + HAND, stops[layer + 1]);
    }
    to(whole - 1, Math.min(stops[layers], right));
    to(whole, right);
    play(line, frames, whole, 0, { easing: "linear" });
    const tip = svg.querySelector(".tip");
    if (tip) play(tip, [{ opacity: 0 }, { opacity: 1 }], 1, whole);
  }

  /* Let what is drawn come about from left to right; say whether it came to its end. */
  function run(scene, at = 1) {
    finish();
    pace = at;
    const whole = FIRST + LAYER * scene.layers;
    light("vectors", FIRST, 0);
    for (let layer = 0; layer < scene.layers; layer += 1) {
      const begin = FIRST + LAYER * layer;
      light(`attention.${layer}`, LOOK, begin);
      look(layer, begin);
      light(`network.${layer}`, UNIT + HAND, begin + LOOK);
      play(svg.querySelector(`[data-part="network.${layer}"] .unit.now`),
        [{ transform: "none" }, { transform: "scale(1.4)" }, { transform: "none" }], UNIT, begin + LOOK);
      play(svg.querySelector(`[data-part="stream.${layer + 1}"]`), [{ opacity: 0, transform: "translateY(4px)" },
        { opacity: 1, transform: "none" }], SAY, begin + LOOK + UNIT + HAND);
    }
    hand(scene.layers, whole);
    for (const part of next.querySelectorAll(".writer-lot, .writer-under, [data-id]")) {
      play(part, [{ visibility: "hidden" }, { visibility: "hidden" }], whole);
      const share = part.style.getPropertyValue("--share");
      if (share) play(part, [{ "--share": 0 }, { "--share": Number(share) }], BARS, whole);
    }
    return moved();
  }

  /* Let the needle run to where the lot fell, and what lies there flash. */
  async function fall(value, hit) {
    finish();
    pace = 1;
    if (quiet.matches) {
      await new Promise((resume) => {
        release = resume;
        setTimeout(resume, STAND);
      });
      release = null;
      return;
    }
    play(needle, [{ transform: "none" }, { transform: `translateX(${100 * value}%)` }], RUN);
    play(fell, [{ opacity: 0 }, { opacity: 0 }], RUN);
    for (const part of hit) play(part, [{ opacity: 1 }, { opacity: 0.2 }, { opacity: 1 }], FLASH, RUN);
    await moved();
  }

  /* Let a word go from where it lay to its place in the text, and glow there. */
  async function land(from, chip, at = 1) {
    finish();
    pace = at;
    if (quiet.matches) return;
    const start = from.getBoundingClientRect(), end = chip.getBoundingClientRect();
    const word = document.createElement("b");
    word.className = "writer-flying";
    word.textContent = chip.textContent;
    word.setAttribute("aria-hidden", "true");
    word.style.left = `${end.left}px`;
    word.style.top = `${end.top}px`;
    box.append(word);
    play(word, [{ transform: `translate(${start.left - end.left}px, ${start.top - end.top}px)` },
      { transform: "none" }], FLY, 0, { easing: "ease-in-out" });
    play(chip, [{ opacity: 0 }, { opacity: 0 }], FLY);
    play(chip, [{ boxShadow: "0 0 0 4px var(--look-ink)" }, { boxShadow: "0 0 0 4px transparent" }],
      GLOW, FLY, { fill: "none" });
    await Promise.allSettled([moves[0].finished]);
    word.remove();
    await moved();
  }

  return { run, fall, land, finish, get moving() { return moves.length > 0 || release !== null; } };
};
})();
