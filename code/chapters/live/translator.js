/* The translator on the page: words in, words out, and all that happens between.

The page holds a still of it, complete without scripts. This script makes it live: it
shows the finished translation of `translator_told.js`, and fetches the model, its panels,
its ways to write, its tour and its twins when they are first used. While it writes, parts
of the machine light up in turn, in small and in the drawing of the page. */
(() => {
"use strict";

const box = document.querySelector("[data-translator]");
const { rest, twins: toldOf, marked, mistakes } = globalThis.bookTold ?? {};
if (!box || !rest) return;
const folder = document.currentScript.src.replace(/[^/]*$/, "");
const still = matchMedia("(prefers-reduced-motion: reduce)");
const EXAMPLES = [["ninety-nine", "99"], [rest.text, "80,080"],
  ["six hundred and seventeen thousand three hundred and forty-two", "617,342"]];
const TWINS = { "without-positions": "positions", "without-causal-mask": "causal mask",
  "without-skips": "skips", "without-norms": "norms", "without-scale": "scale" };
/* What the machine computes, in this order, and what it is called in small; the names
are those of the boxes of the drawing. A norm comes before its sublayer and has no box of
its own there. What touches is one sublayer. */
const sublayer = (name, text) => ({ [`${name}_residual.norm`]: "Norm", [name]: text,
  [`${name}_residual`]: "Add" });
const MACHINE = {
  encoder: [{ embedding: "Embed" }, { positions: "Positions" },
    sublayer("self_attention", "Self-attention"), sublayer("feed_forward", "Feed-forward"),
    { norm: "Norm" }],
  decoder: [{ embedding: "Embed" }, { positions: "Positions" },
    sublayer("self_attention", "Masked attention"),
    sublayer("cross_attention", "Cross-attention"), sublayer("feed_forward", "Feed-forward"),
    { norm: "Norm" }, { head: "Softmax" }, { choice: "Choose" }],
};
const LACKED = { Positions: "positions", Add: "skips", Norm: "norms",
  Masked: "causal-mask" }; // words for what a twin lacks
// The boxes of the drawing whose chapters are about these.
const ABOUT = { Add: "encoder.self_attention_residual", Norm: "encoder.feed_forward_residual" };
const LONG = 15; // pieces: more than a right translation has
const LEAST = 0.02; // of a look, to be shown

let model, begun, panels, writing, tour;
let turns = 0; // how often something was computed
const scripts = new Map(); // what was fetched, or is on its way
const state = { twin: null,
  text: rest.text, width: 1, silent: new Set(), forbidden: new Map(),
  place: rest.place, asked: null, head: null, shown: Infinity, swap: null,
  temperature: 0, dice: [], // numbers that draw the words
  moving: false, known: "", // of the word that is being written: "looks", then "chances"
};
let found = rest; // what the model made of the text
let seen = rest.seen; // what is to be seen of it, until another word is chosen

/* Make an element: its name, its attributes and properties, what it holds. */
function make(name, given = {}, ...held) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(given)) {
    if (key in element && typeof value !== "string") element[key] = value;
    else element.setAttribute(key, value);
  }
  element.append(...held);
  return element;
}

/* Fetch a script once; try again if it did not come. A notebook holds all of them. */
function fetchScript(name) {
  if (box.dataset.translator === "whole") return null;
  if (!scripts.has(name)) {
    scripts.set(name, new Promise((resolve, reject) => {
      document.head.append(make("script", {
        src: folder + name, onload: resolve,
        onerror: () => {
          scripts.delete(name);
          reject(new Error(`${name} could not be read`));
        },
      }));
    }));
  }
  return scripts.get(name);
}

/* Fetch the model that is asked for, and what runs it; unpack it. */
async function load(twin) {
  const weights = twin ? `${twin}.js` : "translator_weights.js";
  await Promise.all(["transformer.js", "number_words.js", "translator_model.js",
    "translator_panels.js", "translator_writing.js",
    "translator_tour.js", weights].map(fetchScript));
  panels ??= globalThis.bookPanels({ box, parts, state, make, bare, percent, mark, renew,
    marked, still, textOf: (ids) => textOf(model.piecesOf(ids)) });
  tour ??= globalThis.bookTour({ box, parts, state, make, marked, rest, take,
    textNow: () => found.text });
  writing ??= globalThis.bookWriting({ state, longest: LONG, partsOf, light, mark, show,
    finish });
  return globalThis.bookModel(
    twin ? globalThis.bookTwins[twin] : globalThis.bookTranslator, order);
}

/* The text of pieces; a broken machine may never come to an end. */
function told(pieces) {
  return textOf(pieces.slice(0, LONG)) + (pieces.length > LONG ? " …" : "");
}

function order(numbers) {
  return numbers.map((_, id) => id).sort((a, b) => numbers[b] - numbers[a]);
}

function bare(piece) {
  return piece.replace(/^##/, "");
}

function textOf(pieces) {
  return pieces.map((piece) => (piece.startsWith("##") ? "" : " ") + bare(piece)).join("").trim();
}

/* How much each output word looks at a source word. */
function looksAt(key) {
  return found.words.slice(0, state.shown).map((_, place) => looksOf(place)[key]);
}

function percent(chance) {
  if (chance < 0.005) return "< 1 %";
  return `${Math.min(99, Math.round(100 * chance))} %`; // never certain
}

/* How much the output at a place looks at each source word: the mean of the heads of
the last layer, or the head that is chosen. */
function looksOf(place) {
  const { head } = state;
  if (head?.part !== "cross_attention") return found.words[place].looks;
  return found.maps[head.name][head.head][place];
}

function nameRow(name, told) {
  return make("span", { class: "translator-name", "aria-hidden": "true" }, name,
    make("small", {}, told));
}

const parts = {
  input: make("input", {
    type: "text", value: state.text, autocomplete: "off", spellcheck: "false",
    id: "translator-text", maxlength: "200", autocapitalize: "none",
  }),
  examples: make("div", { class: "translator-examples" }),
  twins: make("div", { class: "translator-twins", role: "group",
    "aria-label": "Parts to take out" }, make("span", {}, "Take out a part: ")),
  notice: make("div", { class: "translator-notice", "aria-live": "polite",
    hidden: true }),
  said: make("p", { class: "translator-said", role: "status" }),
  watch: make("button", { type: "button" }),
  step: make("button", { type: "button" }),
  machine: make("div", { class: "translator-machine", role: "toolbar",
    "aria-label": "The machine in small" }),
  view: make("div", { class: "translator-view" }),
  stage: make("div", { class: "translator-stage" }),
  source: make("div", { class: "translator-row", role: "group",
    "aria-label": "English, as the model reads it" }),
  english: nameRow("English", "as it reads it"),
  french: nameRow("French", "chance of each word"),
  lines: document.createElementNS("http://www.w3.org/2000/svg", "svg"),
  target: make("div", { class: "translator-row", role: "group",
    "aria-label": "French, word by word" }),
  told: make("div", { class: "translator-told" }),
  tour: make("div", { class: "translator-tour d-print-none", role: "group", "aria-label": "Six things to try" }),
  heat: make("input", { type: "range", min: "0", max: "3", step: "0.1",
    id: "translator-temperature" }),
  hot: make("output", { for: "translator-temperature" }),
  again: make("button", { type: "button" }, "Draw again"),
  tools: make("div", { class: "translator-tools" }),
  heads: make("div", { class: "translator-heads", id: "translator-heads", hidden: true }),
  beams: make("div", { class: "translator-beams", id: "translator-beams", hidden: true }),
  steps: make("div"),
  undo: make("button", { type: "button", hidden: true }, "Put everything back"),
};

/* Build the machine in small: a row of parts for each stack, colored and linked as the
drawing. */
function buildMachine() {
  const rows = Object.entries(MACHINE).map(([stack, groups]) => make("div", {},
    make("span", {}, stack, make("small", {}, stack === "encoder" ? "once" : "per word")),
    ...groups.map((group) => make("span", { class: "translator-group" },
      ...Object.entries(group).map(([name, text]) => buildPart(`${stack}.${name}`, text))))));
  const does = still.matches ? [] : ["fills as it computes"];
  if (document.querySelector(".drawing")) does.push("leads to its chapter");
  parts.machine.append(...rows, make("p", { class: "translator-hint" },
    does.length ? `A box ${does.join(", and ")}. ` : "", "Two layers a side, drawn once."));
  const boxes = [...parts.machine.querySelectorAll("[href]")];
  boxes.slice(1).forEach((box) => { box.tabIndex = -1; }); // arrows lead to them
  parts.machine.addEventListener("keydown", ({ key, target }) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[key] ?? 0;
    const to = step && boxes[boxes.indexOf(target) + step];
    if (!to) return;
    [target.tabIndex, to.tabIndex] = [-1, 0];
    to.focus();
  });
}

function buildPart(name, text) {
  const words = text.split(" ").map((word) => (word in LACKED
    ? make("span", { class: `of-${LACKED[word]}` }, word) : word));
  const part = make("a", { class: "translator-part", "data-part": name },
    ...words.flatMap((word, i) => (i ? [" ", word] : [word])));
  const [box] = boxesOf(ABOUT[text] ?? name);
  if (box) {
    part.href = box.getAttribute("href");
    part.title = box.getAttribute("aria-label");
    part.style.setProperty("--hue", box.style.getPropertyValue("--hue"));
  }
  return part;
}

/* The boxes of a part; a norm lights up in the drawing where it stands beside a sum. */
function boxesOf(part) {
  return document.querySelectorAll(
    `[data-part="${part}"], .drawing [data-part="${part.replace(/\.norm$/, "")}"]`);
}

/* Light a part wherever it is drawn, and no other; say the size of what it hands on. */
function light(part, size = "") {
  document.querySelectorAll(".lit").forEach((box) => box.classList.remove("lit"));
  boxesOf(part).forEach((box) => {
    box.classList.add("lit");
    box.dataset.size = size;
  });
}

/* Say what is written so far, what was changed in the machine, and what would be right. */
function say() {
  const { twin, shown, forbidden, silent, temperature } = state, writes = shown < Infinity;
  const changes = [
    ...(twin ? [`without ${TWINS[twin]}`] : []),
    ...[...forbidden.values()].map((word) => `without “${word}”`),
    ...(silent.size ? [`${silent.size} of 24 heads switched off`] : []),
  ];
  const pieces = found.words.slice(0, shown).map(({ piece }) => piece);
  const words = pieces.filter((piece) => piece !== "end");
  parts.said.setAttribute("aria-busy", state.moving);
  parts.said.replaceChildren(told(words) || (writes ? "…" : "(nothing)"),
    make("small", {}, changes.map((change) => `, ${change}`).join("")));
  if (!writes) parts.said.append(...panels?.judge(textOf(words), found) ?? []);
  parts.watch.textContent = writes ? "Skip to the end" : "Watch it write";
  parts.watch.hidden = still.matches && !writes;
  parts.step.textContent = writes ? "Next word" : "Word by word";
  parts.heat.value = temperature;
  parts.hot.textContent = temperature ? `${temperature}: words are drawn` : "0: the likeliest word";
  parts.again.disabled = !temperature;
}

function drawWords() {
  parts.source.replaceChildren(parts.english, ...grouped(found.source.map((piece, i) => {
    const chip = chipOf(piece, () => Object.assign(state, { asked: i, place: null }), {});
    chip.addEventListener("click", () => swapWith(i));
    return chip;
  })));
  const words = found.words.slice(0, state.shown);
  parts.target.replaceChildren(parts.french, ...grouped([...words.map(({ piece, chance }, i) => {
    const chip = chipOf(piece, () => Object.assign(state, { place: i, asked: null }),
      {}, " ", make("small", {}, percent(chance)));
    chip.style.setProperty("--chance", chance);
    chip.style.setProperty("--turn", i);
    return chip;
  }), ...(words.length < found.words.length ? [make("span", { "aria-hidden": "true",
    class: "translator-word coming" }, "…")] : [])]));
}

/* A button of a piece, which is chosen by pointing, by walking to it or by pressing it. */
function chipOf(piece, choose, given, ...held) {
  const chip = make("button", { type: "button", class: "translator-word", ...given },
    bare(piece), ...held);
  chip.classList.toggle("joined", piece.startsWith("##"));
  chip.classList.toggle("end", piece === "end");
  for (const way of ["pointerenter", "focus", "click"]) {
    chip.addEventListener(way, () => {
      if (state.moving && way === "pointerenter") return; // words come under a hand at rest
      choose();
      state.pointed ||= way === "click";
      seen = "";
      arrived();
      mark();
    });
  }
  return chip;
}

/* Keep the pieces of a word together, so that a line breaks between words alone. */
function grouped(chips) {
  const groups = [];
  for (const chip of chips) {
    if (chip.classList.contains("joined") && groups.length > 0) groups.at(-1).append(chip);
    else groups.push(make("span", { class: "translator-group" }, chip));
  }
  return groups;
}

function chipsOf(row) {
  return [...row.querySelectorAll(".translator-word")];
}

/* Mark the chosen word: its lines, how much it looks at the other row's words, or they at it. */
function mark() {
  const { place, asked, swap } = state;
  const looks = place === null ? null : looksOf(place);
  const looked = asked === null ? null : looksAt(asked);
  chipsOf(parts.target).forEach((chip, i) => {
    chip.ariaPressed = i === place;
    chip.style.setProperty("--look", (looked?.[i] ?? 0).toFixed(3));
  });
  chipsOf(parts.source).forEach((chip, key) => {
    chip.ariaPressed = key === swap;
    chip.classList.toggle("asked", key === asked);
    chip.style.setProperty("--look", (looks?.[key] ?? 0).toFixed(3));
  });
  drawLines();
  tell();
  tour?.advance();
}

/* Draw a line from each output word to each source word, as strong as its look. */
function drawLines() {
  const frame = parts.stage.getBoundingClientRect(), { lines } = parts;
  const tall = parts.view.classList.contains("tall");
  lines.setAttribute("viewBox", `0 0 ${frame.width} ${frame.height}`);
  // Where lines leave a word and come to one: below and above it, or beside it.
  const ends = (chip) => {
    const { left, right, top, bottom } = chip.getBoundingClientRect();
    const x = (left + right) / 2, y = (top + bottom) / 2;
    return (tall ? [[right, y], [left, y]] : [[x, bottom], [x, top]])
      .map(([x, y]) => [(x - frame.left).toFixed(1), (y - frame.top).toFixed(1)]);
  };
  const from = chipsOf(parts.source).map((chip) => ends(chip)[0]);
  const strokes = chipsOf(parts.target).flatMap((chip, i) => {
    if (i === state.shown && !state.known) return [];
    const [, [x2, y2]] = ends(chip);
    return looksOf(i).map((weight, key) => {
      if (weight < LEAST) return null;
      const chosen = i === state.place || key === state.asked;
      const line = document.createElementNS(lines.namespaceURI, "line");
      const [x1, y1] = from[key];
      Object.entries({ x1, y1, x2, y2, pathLength: 1 })
        .forEach(([name, n]) => line.setAttribute(name, n));
      const faint = (state.place ?? state.asked) !== null && !chosen;
      line.style.strokeOpacity = faint ? 0.1 + 0.2 * weight : 0.25 + 0.75 * weight;
      line.style.strokeWidth = 0.5 + 4 * weight;
      line.style.setProperty("--turn", i);
      if (chosen) line.classList.add("chosen");
      return line;
    }).filter(Boolean);
  });
  lines.replaceChildren(...strokes);
}

/* Say what is to be seen of the chosen word; of none, what can be done. */
function tell() {
  const { place, asked } = state;
  const chosen = !seen && (place ?? asked) !== null;
  // Not at each letter that is typed, nor at each part that computes.
  parts.told.ariaLive = chosen && !state.moving ? "polite" : "off";
  if (chosen) parts.told.replaceChildren(...(asked === null ? tellOf(place) : tellOn(asked)));
  else if (state.shown === 0) {
    parts.told.replaceChildren(make("p", {}, "The encoder reads the English words, all at "
      + `once, as ${found.features} numbers each. Then the decoder writes, a word at a time.`));
  } else {
    parts.told.replaceChildren(...(seen ? [make("p", {}, seen)] : []),
      ...(seen || state.twin ? [] : [make("p", { class: "translator-hint" }, "Point at a "
        + "word, French or English. Press two English words, and they change places.")]));
  }
}

/* What else could have stood at a place, with a button that forbids what stands there. */
function tellOf(place) {
  const { id, piece, likeliest, looks } = found.words[place];
  const before = found.words.slice(0, place).map((word) => word.piece);
  const coming = place === state.shown;
  if (coming && state.known === "looks") {
    return [make("p", {}, "For the next word it looks at"), shares(order(looks).slice(0, 3)
      .map((key) => [found.source[key], looks[key]]))];
  }
  const rivals = shares(likeliest.filter(([, chance], i) => i < 3 || chance > 1e-3));
  if (piece !== "end" && !coming) {
    const forbid = make("button", { type: "button" }, `Forbid “${bare(piece)}”`);
    forbid.addEventListener("click", () => {
      state.forbidden.set(id, bare(piece));
      renew();
    });
    rivals.append(make("li", {}, forbid));
  }
  const written = before.length ? make("em", {}, textOf(before)) : "the start";
  return [make("p", {}, "After ", written, " the likeliest next words are"), rivals];
}

/* Which French words looked at an English one, and what a second press does. */
function tellOn(key) {
  const word = bare(found.source[key]), looks = looksAt(key);
  const most = order(looks).filter((i) => looks[i] >= LEAST).slice(0, 4);
  const whose = state.head?.part === "cross_attention" ? "the chosen head" : "the last layer";
  const held = most.length ? [make("p", {}, "Of its attention in ", whose,
    " each French word gave ", make("em", {}, word), ":"),
  shares(most.map((i) => [found.words[i].piece, looks[i]]))]
    : [make("p", {}, "No French word looked at ", make("em", {}, word), ".")];
  if (state.swap !== null) {
    held.push(make("p", { class: "translator-hint" }, "Press another English word: it changes "
      + "places with ", make("em", {}, bare(found.source[state.swap])), "."));
  }
  return held;
}

/* Words with their shares, as a list of bars. */
function shares(rows) {
  return make("ol", {}, ...rows.map(([piece, share]) => {
    const bar = make("span", { class: "translator-bar" });
    bar.style.setProperty("--chance", share);
    return make("li", {}, make("span", {}, bare(piece)), bar, make("span", {}, percent(share)));
  }));
}

/* Swap the words, not the pieces, at two places of the source. */
function swapWith(i) {
  const end = found.source.length - 1;
  if (state.swap === null || state.swap === i || i === end) {
    state.swap = state.swap === i || i === end ? null : i;
    mark();
    return;
  }
  const words = found.text.split(/\s+/);
  let word = -1;
  const owner = found.source.map((piece) => (piece.startsWith("##") ? word : word += 1));
  const [a, b] = [owner[state.swap], owner[i]];
  if (a === b) { // pieces of one word, which stay together
    state.swap = i;
    mark();
    return;
  }
  [words[a], words[b]] = [words[b], words[a]];
  Object.assign(state, { swap: null, swapped: true });
  state.text = parts.input.value = words.join(" ");
  renew();
}

/* A handle that lets words be drawn: the higher, the more alike their chances. */
function buildHeat() {
  const draw = () => { state.dice = Array.from({ length: 24 }, Math.random); };
  draw();
  parts.heat.addEventListener("input", () => {
    state.temperature = Number(parts.heat.value);
    renew();
  });
  parts.again.addEventListener("click", () => {
    draw();
    renew();
  });
  return make("div", { class: "translator-heat" },
    make("label", { for: parts.heat.id }, "Temperature"), parts.heat, parts.hot, parts.again);
}

/* Make of the list of things to try a tour: a line at a time, which waits for the hand. */
function buildTour() {
  const list = document.querySelector(".tour");
  if (!list) return;
  [...list.children].forEach((line, i) => { line.value = i + 1; });
  list.setAttribute("aria-live", "polite");
  parts.tour.append(list, make("button", { type: "button", onclick: () => {
    parts.tour.remove();
    delete box.dataset.next;
    tell();
  } }, "Close"));
  list.firstElementChild.classList.add("now");
  box.dataset.next = 1; // what it is about has a ring
}

/* Compute again and draw everything, or let it be written, slowly or word by word. What
is at rest stays: only what lies folded below it is drawn. What was asked for last counts. */
async function renew({ write, atRest = false } = {}) {
  const turn = turns += 1, wanted = () => turn === turns;
  begun = true;
  parts.stage.ariaBusy = null;
  if (state.shown < Infinity) finish();
  notice();
  try {
    const loaded = await load(state.twin);
    if (!wanted()) return;
    model = loaded;
  } catch (error) {
    if (!wanted()) return;
    tellOfOld(`The model is not here: ${error.message}.`);
    return;
  }
  const text = model.tidy(state.text), complaint = model.complain(text);
  parts.stage.classList.remove("stale");
  parts.watch.disabled = parts.step.disabled = Boolean(complaint);
  parts.undo.hidden = state.silent.size + state.forbidden.size + state.temperature === 0
    && !state.twin;
  if (complaint) {
    tellOfOld(complaint, model.mend(text));
    return;
  }
  parts.stage.ariaBusy = true;
  const made = await model.compute(text, state, wanted);
  if (!wanted()) return;
  parts.stage.ariaBusy = false;
  found = made;
  if (atRest) {
    say();
    drawFolded();
    return;
  }
  Object.assign(state, { swap: null, place: null, asked: null, pointed: false });
  seen = "";
  finish();
  write?.(found.words);
}

/* Say why nothing new is shown, what may be meant, and whose the faint picture is. */
function tellOfOld(reason, meant = "") {
  const old = make("small", {}, ` Below is still “${found.text}”.`);
  parts.said.replaceChildren(make("span", { class: "translator-complaint" }, reason,
    ...(meant ? [" ", example(meant, `Did you mean “${meant}”?`)] : []), old));
  parts.stage.classList.add("stale");
  seen = "";
  Object.assign(state, { place: null, asked: null });
  mark();
}

/* The parts of a stack that compute, in their order. */
function partsOf(stack) {
  return MACHINE[stack].flatMap(Object.entries)
    .filter(([, text]) => `without-${LACKED[text]}` !== state.twin).map(([name]) => name);
}

/* Show all that was written; nothing computes. */
function finish() {
  state.moving = false;
  light("");
  show(Infinity);
  drawFolded();
}

function arrived() {
  parts.stage.classList.remove("arriving");
}

function show(count) {
  arrived();
  Object.assign(state, { shown: count, known: "" });
  say();
  drawWords();
  if (count === Infinity) fit();
  mark();
}

/* Let the words stand in two rows; in two columns, if a row is longer than a line: so no
line runs behind a word. */
function fit() {
  const { classList } = parts.view;
  classList.remove("tall");
  classList.toggle("tall", [parts.source, parts.target].map(chipsOf)
    .some((chips) => chips[0].offsetTop !== chips.at(-1).offsetTop));
}

/* Draw what lies below the words, if it is open and there is a model. */
function drawFolded() {
  if (!found.maps) return;
  if (!parts.heads.hidden) panels.drawHeads(found);
  if (!parts.beams.hidden) panels.drawBeams(found);
}

/* A button that lets a number be translated. */
function example(text, name = text) {
  const button = make("button", { type: "button" }, name);
  button.addEventListener("click", () => {
    state.text = parts.input.value = text;
    renew();
  });
  return button;
}

/* A button that shows one number after another which the whole machine gets wrong. */
function mistake() {
  const button = make("button", { type: "button" }, "a mistake");
  let next = 0;
  button.addEventListener("click", async () => {
    const [text, place, right] = mistakes.shown[next++ % mistakes.shown.length];
    state.text = parts.input.value = text;
    await restore();
    const said = state.text === text && panels.tellMistake(found.words[place], right);
    if (!said) return;
    state.place = place;
    seen = `${mistakes.told} ${said}`;
    mark();
  });
  return button;
}

/* Put everything back that was changed. */
function restore() {
  state.silent.clear();
  state.forbidden.clear();
  state.temperature = 0;
  return take(null);
}

/* Take a part out of the machine, or put all parts back. */
function take(twin) {
  state.twin = twin;
  if (location.hash.slice(1) in TWINS && location.hash.slice(1) !== twin) {
    history.replaceState(null, "", location.href.split("#")[0]); // it names another one
  }
  document.body.dataset.twin = twin ?? ""; // what it lacks is struck out
  for (const button of parts.twins.querySelectorAll("button")) {
    button.ariaPressed = button.value === twin;
  }
  return renew();
}

/* Say what to notice without the part that is taken out. */
function notice() {
  parts.notice.hidden = !state.twin;
  if (!state.twin) return;
  const { told: text, examples } = toldOf[state.twin];
  parts.notice.replaceChildren(make("p", {}, text),
    make("div", { class: "translator-examples" }, "Try", ...examples.map((text) => example(text))));
}

/* Take out the part that the address names, as chapters do. */
function follow() {
  const twin = location.hash.slice(1);
  if (twin in TWINS) take(twin);
}

/* Bring a part into view. */
function bring(part) {
  part.scrollIntoView({ block: "nearest", behavior: "instant" });
}

/* Put the live parts in place of the still. */
function build() {
  parts.watch.addEventListener("click", () => {
    if (state.shown < Infinity) {
      state.place = null;
      finish();
    } else {
      turn(null);
      [parts.machine, parts.view.firstChild].forEach(bring);
      renew({ write: (words) => writing.watch(words, found) });
    }
  });
  parts.step.addEventListener("click", () => {
    if (state.shown < Infinity) writing.step(found.words);
    else renew({ write: (words) => writing.step(words) });
  });
  parts.tools.append(opener(parts.heads, "See its 24 heads"),
    opener(parts.beams, "See its search"), parts.undo);
  buildMachine();
  say();
  parts.lines.classList.add("translator-lines");
  parts.lines.setAttribute("aria-hidden", "true");
  parts.stage.append(parts.lines, parts.source, parts.target);
  parts.view.append(parts.stage, make("div", {}, parts.notice, parts.told,
    make("div", { class: "translator-tools" },
      ...(still.matches ? [parts.step, parts.watch] : [parts.watch, parts.step])), buildHeat()));
  parts.examples.append(...EXAMPLES.map((given) => example(...given)), mistake());
  const width = make("input", { type: "range", min: "1", max: "8", value: "1",
    id: "translator-width" });
  const wide = make("output", { for: "translator-width" }, "1");
  width.addEventListener("input", () => {
    Object.assign(state, { width: Number(width.value), temperature: 0 });
    wide.textContent = width.value;
    renew();
  });
  parts.input.addEventListener("focus", () => parts.input.select());
  parts.input.addEventListener("input", () => {
    state.text = parts.input.value;
    renew();
  });
  parts.undo.addEventListener("click", restore);
  Object.entries(TWINS).forEach(([twin, part]) => {
    const button = make("button", { type: "button", value: twin,
      "aria-pressed": "false" }, part);
    button.addEventListener("click", () => {
      take(state.twin === twin ? null : twin);
      bring(parts.notice);
    });
    button.setAttribute("aria-describedby", `${twin}-before`);
    parts.twins.append(make("div", {}, button,
      make("small", { id: `${twin}-before` }, toldOf[twin].before)));
    document.getElementById(twin)?.removeAttribute("id"); // an address leads here now
    box.prepend(make("span", { id: twin }));
  });
  new ResizeObserver(drawLines).observe(parts.stage);
  new ResizeObserver(fit).observe(parts.input); // as wide as a line, and never higher
  buildTour();
  const proof = box.querySelector(".translator-proof");
  proof.lastElementChild.textContent = "It runs in your browser.";
  parts.beams.append(make("label", { for: "translator-width" }, "texts at once "), width, " ",
    wide);
  box.querySelector(".translator-still").replaceWith(
    make("div", { class: "translator-ask" },
      make("label", { for: "translator-text" }, "A number, in words or digits:"), parts.examples),
    parts.input,
    ...(parts.tour.firstChild ? [parts.tour] : []), parts.said, parts.view, parts.twins, parts.tools, parts.machine, parts.heads, parts.beams, proof);
}

/* A button that opens a panel in the place of the machine in small, and closes it. */
function opener(panel, text) {
  const button = make("button", { type: "button", "aria-expanded": "false",
    "aria-controls": panel.id }, text);
  button.addEventListener("click", () => turn(panel.hidden ? panel : null));
  return button;
}

/* Show a panel; if none, the machine in small. */
function turn(shown) {
  parts.machine.hidden = Boolean(shown);
  state.head = null;
  mark();
  for (const panel of [parts.heads, parts.beams]) {
    panel.hidden = panel !== shown;
    parts.tools.querySelector(`[aria-controls="${panel.id}"]`).ariaExpanded =
      panel === shown;
  }
  drawFolded();
  tour?.open(shown);
}

/* Fetch the model as soon as somebody comes near. */
function wake() {
  if (!begun) renew({ atRest: true });
}

build();
parts.stage.classList.add("arriving");
drawWords();
mark();
chipsOf(parts.target).at(-1).addEventListener("animationend", arrived);
addEventListener("hashchange", follow);
follow();
for (const sign of ["pointerenter", "focusin", "touchstart"]) {
  box.addEventListener(sign, wake, { once: true, passive: true });
}
})();
