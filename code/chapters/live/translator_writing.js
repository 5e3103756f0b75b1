/* How the translator writes while somebody looks on: in slow motion, or word by word.

`translator.js` fetches this with the model, and hands over what both use. */
(() => {
"use strict";

// Milliseconds of a part: slow at first; no part lights up three times in a second.
const PACE = [220, 110, 60], FAST = 40;
// How much longer some parts of the decoder stay lit, so that what they found is read.
const DWELL = { cross_attention: 300, head: 500, choice: 200 };

globalThis.bookWriting = ({ state, longest, partsOf, light, mark, show, finish }) => {
  /* Let the machine work, and yield how long each part takes: the encoder once, then the
  decoder for each word. When its attention looks at the English, that is seen; then come
  the chances of the next word; then one is chosen. */
  function* work(words, { source, features, pieces, again }) {
    show(0);
    for (const name of partsOf("encoder")) {
      light(`encoder.${name}`, `${source.length} × ${features}`);
      yield PACE[0];
    }
    const sizes = { head: `1 × ${pieces}`, choice: "" };
    for (let n = 0; n < Math.min(words.length, longest); n += 1) {
      for (const name of partsOf("decoder")) {
        if (name === "cross_attention") know("looks", n);
        if (name === "head") know("chances", n);
        if (name === "choice") show(n + 1);
        light(`decoder.${name}`, sizes[name] ?? `${again && name !== "norm" ? n + 1 : 1} × ${features}`);
        yield (PACE[n] ?? FAST) + (DWELL[name] ?? 0);
      }
    }
    state.place = null;
  }

  /* Show what is known of a word before it is chosen. */
  function know(known, place) {
    Object.assign(state, { known, place, asked: null });
    mark();
  }

  let timer;
  function play(steps) {
    clearTimeout(timer);
    if (!state.moving) return; // it was cut short
    const { value, done } = steps.next();
    if (done) finish();
    else timer = setTimeout(play, value, steps);
  }

  function watch(words, found) {
    state.moving = true;
    play(work(words, found));
  }

  /* Write one more word, and wait for the hand. */
  function step(words) {
    const place = state.shown < words.length ? state.shown : 0;
    Object.assign(state, { moving: false, place, asked: null });
    light("");
    if (place + 1 < words.length) show(place + 1);
    else finish();
  }

  return { watch, step };
};
})();
