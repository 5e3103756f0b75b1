/* The page that writes: one's own words go into a language model, and it goes on.

The page holds a still of it, complete without scripts. This script puts a field above it,
and fetches what draws it (`writer_picture.js`) and moves it (`writer_flow.js`), a record that
moves before the model is here (`writer_record.js`, `writer_demo.js`), and what weighs the
words (`writer_surprise.js`). When the model is asked for, it fetches what runs it
(`transformer.js`, `writer_model.js`, the numbers in `writer_weights.js`), the line on which
the lot falls (`writer_lot.js`), what opens its parts (`writer_inside.js`, `writer_head.js`) and its tour
(`writer_tour.js`). */
(() => {
"use strict";

const box = document.querySelector("[data-writer]");
if (!box) return;
const folder = document.currentScript.src.replace(/[^/]*$/, "");
const quiet = matchMedia("(prefers-reduced-motion: reduce)");
const EXAMPLES = ["And Abraham took Sarah his", "my phone is dead",
  "And the wifi was down forty days and forty"];
const OTHERS = ["In the beginning God created the heaven and the", "Thou shalt not text thy neighbour's", "And it came to pass in those",
  "And the robots did that which was evil in the sight of the", "And the robot opened his",
  "My son, hear the words of my", "And these are the sons of Google:"];
const FIRST = ["writer_picture.js", "writer_flow.js", "writer_surprise.js", "writer_record.js",
  "writer_demo.js"];
const SCRIPTS = ["transformer.js", "writer_model.js", "writer_lot.js", "writer_head.js",
  "writer_inside.js", "writer_tour.js"];
const NUMBERS = "writer_weights.js";
const BYTES = 3018368; // of the numbers, which a host sends in less
const LONGEST = 256; // tokens that it has learned to read
const LETTERS = "4000"; // of a field: more than it can read, so that it says what is left out
const WRITES = 48; // tokens that it writes at a time,
const MORE = 48; // and how many more, up to the end of a sentence
const ENDS = /[.;?!\n]$/;
const SHOWN = 8; // tokens that could come next
const THIN = 0.1; // of a look: where no token gets more, it is spread thin
const HEAD = 60; // pixels from the edge of the window to the buttons, when they are brought
const EDGE = 8; // and from the picture to the edge of the whole screen
const BEAT = 45; // milliseconds of a token, at least

let model, engine, writer, picture, surprise, demo, lot, flow, inside, tour;
let turns = 0; // how often something was begun, so that what went before is dropped
let pending = null; // what is read, or written, now
let entered = false; // whether Enter was pressed before the model is here
let seen; // what the picture shows
const typed = { last: EXAMPLES[0] }; // in the first field, when it was read
const drawn = { text: null, prompt: 0, count: 0, chip: null }; // of the text, as chips
const state = {
  text: null, prompt: 0, // what the model has read, and how much of it was typed,
  inked: new Set(), old: null, // where somebody went on; what was there before
  place: 0, last: 0, looking: null, open: null, focus: "",
  head: null, step: 0, asked: null, // the head that is walked, and the token that it asks
  temperature: 1, most: 1, window: LONGEST, positions: true, silent: new Set(),
  before: null, // what came next before the last switch
  seed: "", die: null, // what gives the numbers, and the lot that falls now
  hand: null, // where somebody holds the needle
  moving: false, left: 0, // tokens that are to be written
  cut: false, // whether more was typed than is read
  stopped: 0, // tokens after which it stopped, though no sentence had ended
};

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

function slider(id, name, given, tell) {
  const input = make("input", { type: "range", id: `writer-${id}`, ...given });
  const output = make("output", { for: input.id });
  const label = make("label", { for: input.id }, name);
  const set = () => { output.textContent = tell(Number(input.value)); };
  input.addEventListener("input", () => {
    state[id] = Number(input.value);
    set();
  });
  const show = () => {
    input.value = state[id];
    set();
  };
  show();
  return { input, show, element: make("div", { class: "writer-slider" }, label, output, input) };
}

const parts = {
  input: make("input", { type: "text", id: "writer-text", value: EXAMPLES[0],
    autocomplete: "off", spellcheck: "false", autocapitalize: "sentences", maxlength: LETTERS }),
  examples: make("div", { class: "writer-examples" }),
  coming: make("p", { class: "writer-coming" }),
  write: make("button", { type: "button", class: "writer-main" }),
  one: make("button", { type: "button" }, "One token"),
  watch: make("button", { type: "button" }, "Watch one"),
  back: make("button", { type: "button", "aria-label": "Take one back", title: "Take one back" }, "⌫"),
  another: make("button", { type: "button" }, "More"),
  outcome: make("span", { class: "writer-outcome" }),
  said: make("p", { class: "writer-said", role: "group", "aria-label": "The text, token by token" }),
  own: make("p", { class: "writer-own", "aria-hidden": "true", hidden: true }), // which the text says
  stopped: make("small", { class: "writer-stopped", role: "status" }),
  lost: make("p", { class: "writer-lost", hidden: true }),
  without: make("span", { class: "writer-without" }), // what is taken out,
  lacks: make("strong", { class: "writer-lacks" }), // and above the picture again, with what
  whole: make("button", { type: "button", class: "writer-inline" }, "Put back"), // ends that
  svg: document.createElementNS("http://www.w3.org/2000/svg", "svg"),
  next: make("div", { class: "writer-next", role: "group", "aria-label": "What could come next" }),
  more: make("button", { type: "button", "data-part": "next", class: "writer-part" },
    "What could come next ", make("small")),
  turn: make("input", { type: "text", id: "writer-turn", "aria-label": "Go on yourself",
    placeholder: "Go on yourself …", autocomplete: "off", spellcheck: "false", maxlength: LETTERS }),
  undo: make("button", { type: "button", class: "writer-undo", hidden: true }, "Old text back"),
  seed: make("input", { type: "text", id: "writer-seed", autocomplete: "off", placeholder: "by chance" }),
  told: make("p", { class: "writer-told", role: "status" }),
  inside: make("section", { class: "writer-inside", "aria-label": "Inside", hidden: true }),
  positions: make("button", { type: "button", class: "writer-positions" }, "Take out positions"),
  restore: make("button", { type: "button" }, "Put everything back"),
  order: make("button", { type: "button", class: "writer-inline" }, "Try it where order counts"),
  large: make("button", { type: "button", "aria-pressed": "false" }, "Large"),
};
parts.said.append(parts.turn, parts.stopped);
const rows = Array.from({ length: SHOWN }, () => make("button", { type: "button" }, make("span"), make("small")));
const sliders = {
  temperature: slider("temperature", "temperature", { min: "0", max: "1.5", step: "0.1" },
    (value) => (value ? String(value) : "0: greedy")),
  most: slider("most", "top-p", { min: "0.1", max: "1", step: "0.1" },
    (value) => (value < 1 ? String(value) : "1: all tokens")),
  window: slider("window", "window", { min: "1", max: String(LONGEST), step: "1" },
    (value) => `the last ${value} token${value > 1 ? "s" : ""}`),
};
parts.next.append(parts.more, ...rows);
const ask = make("div", { class: "writer-ask" }, make("div", { class: "writer-begin" },
  make("label", { for: "writer-text" }, "Begin a sentence"), parts.undo), parts.examples, parts.input);
const main = make("div", { class: "writer-row writer-buttons" }, parts.write, parts.one, parts.watch, parts.back);
for (const text of EXAMPLES) {
  const button = make("button", { type: "button" }, text);
  button.addEventListener("click", () => begin(text));
  parts.examples.append(button);
}

/* Begin with a text that the page offers, and with all parts, of which it was said what it becomes. */
function begin(text) {
  parts.input.value = text;
  return retype(putBack());
}

/* Fetch a script, once; a second try follows what failed. */
const scripts = new Map();
function fetchScript(name) {
  const coming = scripts.get(name) ?? new Promise((resolve, reject) => {
    document.head.append(make("script", { src: folder + name, async: false, onload: resolve,
      onerror: () => reject(new Error(`${name} could not be read`)) }));
  });
  scripts.set(name, coming);
  coming.catch(() => scripts.delete(name));
  return coming;
}

/* Fetch what moves before the model is here. */
async function prepare() {
  await Promise.all(FIRST.map(fetchScript));
  if (surprise) return;
  picture = globalThis.bookWriterPicture;
  surprise = globalThis.bookWriterSurprise({ make, input: parts.input, retype });
}

/* Fetch the numbers and tell how many bytes have come; from a disk, a page may load them
as a script only. */
async function fetchNumbers() {
  if (location.protocol === "file:") {
    await fetchScript(NUMBERS);
    return globalThis.bookVerses;
  }
  const wrong = () => new Error(`${NUMBERS} could not be read`);
  const { ok, body } = await fetch(folder + NUMBERS).catch(() => { throw wrong(); });
  if (!ok) throw wrong();
  const reader = body.getReader(), held = [];
  for (let count = 0; ;) {
    const { done, value } = await reader.read().catch(() => { throw wrong(); });
    if (done) break;
    held.push(value);
    tellComing(count += value.length);
  }
  const text = await new Blob(held).text(); // a name, the numbers as JSON, and a semicolon
  return JSON.parse(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1));
}

/* Say how much of the model is here, and what is seen when it is. */
function tellComing(count) {
  const megabytes = (bytes) => (bytes / 1e6).toFixed(1);
  const bar = parts.coming.querySelector("progress")
    ?? make("progress", { max: BYTES, "aria-label": "How much of the model is here" });
  bar.value = count;
  parts.coming.replaceChildren(bar, ` ${megabytes(count)} of ${megabytes(BYTES)} MB are here. Then ` +
    "your words run through the picture, and the next one falls out of it.");
}

/* Fetch the model and what it needs, once; a second try follows what failed. */
let loaded = null;
function load() {
  loaded ??= (async () => {
    tellComing(0);
    await prepare();
    const [numbers] = await Promise.all([fetchNumbers(), ...SCRIPTS.map(fetchScript)]); // they run in this order
    ({ bookTransformer: engine, bookWriter: writer } = globalThis);
    globalThis.bookVerses = numbers;
    model = await engine.paced(writer.unpacking(numbers));
    lot = globalThis.bookWriterLot({ state, make, model, shapeAt, lotAt, rows, drawNext, said: parts.said,
      turn: parts.turn, halt, put: (...given) => (pending = put(...given)) });
    flow = globalThis.bookWriterFlow({ box, svg: parts.svg, next: parts.next, needle: lot.needle,
      fell: lot.fell, quiet });
    inside = globalThis.bookWriterInside({ state, panel: parts.inside, svg: parts.svg, make, model, draw, shut,
      change, options, lotAt, outcome, home: `${folder}../book/` });
    tour = globalThis.bookWriterTour({ box, state, make, model, draw, open, change, keep, bring,
      said: parts.said, svg: parts.svg });
  })().catch((error) => {
    loaded = null;
    throw error;
  });
  return loaded;
}

/* Replace the still by the live picture, once the model has read what was typed. */
async function start() {
  if (opening.disabled) return;
  opening.textContent = "The model comes …";
  opening.disabled = true;
  try {
    await load();
  } catch (error) {
    opening.textContent = `${error.message}. Try again`;
    opening.disabled = false;
    parts.coming.replaceChildren();
    return;
  }
  const live = build();
  retype();
  for (let work; work !== pending;) await (work = pending); // somebody may type meanwhile
  const { top, bottom } = opening.getBoundingClientRect(), near = bottom > 0 && top < innerHeight;
  const caret = document.activeElement === parts.input ? parts.input.selectionEnd : null;
  opening.parentElement.replaceWith(main);
  box.replaceChildren(...live);
  box.classList.add("live");
  draw();
  let wide = box.clientWidth;
  new ResizeObserver(() => {
    if (wide !== box.clientWidth) draw();
    wide = box.clientWidth;
  }).observe(box);
  // A field that is focused brings up the keys of a phone, over the picture.
  if (caret !== null || !matchMedia("(pointer: coarse)").matches) parts.input.focus({ preventScroll: true });
  else parts.one.focus({ preventScroll: true });
  if (caret !== null) parts.input.setSelectionRange(caret, caret);
  if (near) bring();
  if (entered) write();
  else if (!quiet.matches) showOnce();
}

/* Let the first token come about as soon as the picture is in view, if nothing was begun, and
then the rest of its sentence. */
function showOnce() {
  const turn = turns, free = () => turn === turns && !state.open && state.looking === null;
  const begun = async () => {
    if (await one() && !state.open) await read(state.text.ids, 1, WRITES);
  };
  new IntersectionObserver(([{ isIntersecting }], observer) => {
    if (!isIntersecting) return;
    observer.disconnect();
    if (free()) pending = flow.run(seen).then((whole) => (whole && free() ? begun() : tellEnded(whole)));
  }, { threshold: 0.6 }).observe(parts.svg);
}

/* Say what was missed by who ended a run before its lot fell. */
function tellEnded(whole) {
  if (!whole) lot.note("You ended this run, so no word was drawn. Watch one runs it again.");
}

/* Whether the list stands beside the picture, and not below it. */
function beside() {
  return parts.next.getBoundingClientRect().left > parts.svg.getBoundingClientRect().right;
}

/* Bring the words, the picture and the lot into view, if the lot, the likeliest, the text, or
the picture beside the list is out of it; the buttons stay above them, for whoever goes on,
where there is room. */
function bring() {
  const needed = [lot.element, lot.fell, parts.said, rows[2], ...(beside() ? [parts.svg] : [])];
  const out = needed.some((part) => {
    const { top, bottom } = part.getBoundingClientRect();
    return top < 0 || bottom > innerHeight;
  });
  const whole = lot.fell.getBoundingClientRect().bottom - main.getBoundingClientRect().top;
  const first = whole < innerHeight - HEAD ? main : parts.said;
  if (out) first.scrollIntoView({ block: "start", behavior: quiet.matches ? "instant" : "smooth" });
}

/* Bring a text that is about to grow into view, and the picture beside the list or, below
the text, where it begins. */
function bringText() {
  if (beside()) bring();
  else main.scrollIntoView({ block: "start", behavior: quiet.matches ? "instant" : "smooth" });
}

function build() {
  const caption = still.querySelector(".writer-caption");
  caption.append(parts.lacks);
  parts.examples.append(parts.another);
  if (document.fullscreenEnabled) parts.input.before(parts.large);
  parts.svg.setAttribute("class", "writer-picture");
  parts.svg.setAttribute("role", "toolbar");
  parts.svg.setAttribute("aria-label", "From the tokens to the next one; arrow keys walk");
  return [
    ask, make("div", { class: "writer-text" }, parts.said, parts.own), parts.lost,
    make("div", { class: "writer-row writer-controls" }, sliders.temperature.element, surprise.element,
      tour.begin),
    make("div", { class: "writer-stage" }, caption, parts.svg, tour.element, parts.inside,
      make("div", { class: "writer-row writer-switches" }, parts.positions, parts.restore,
        make("div", { class: "writer-effect", role: "status" }, parts.without, parts.outcome)), parts.next,
      make("div", { class: "writer-words" },
        make("p", { class: "writer-legend" }, make("b", { class: "asks" }, "Blue"),
          " is where a token looks, ", make("b", { class: "looks" }, "orange"),
          " what is handed on, and who looks at a token that you point at. Of each row the strongest lines are drawn."),
        parts.told)),
    make("div", { class: "writer-sliders" }, sliders.most.element, sliders.window.element),
    make("div", { class: "writer-row" }, make("label", { for: "writer-seed" }, "seed"), parts.seed,
      "With a seed, the same words are drawn again."),
  ];
}

/* What is taken out, as the model is told. */
function options() {
  const { positions, silent, window } = state;
  return { positions, silent, window };
}

/* Let the model read ids, and then `more` that it writes, and `beyond` at most up to the end
of a sentence; the page stays awake. What the model has read of the same ids is kept, and
what is seen then is the newest place, or another one. */
function read(ids, more = 0, beyond = MORE, place = null) {
  pending = reading(ids, more, beyond, place);
  return pending;
}

async function reading(ids, more, beyond, place) {
  const turn = turns += 1, wanted = () => turn === turns, given = ids.length; // to which it adds
  lot.note("");
  state.stopped = 0;
  const old = state.text, other = old?.ids.findIndex((id, i) => id !== ids[i]) ?? 0;
  const text = other && !old.changed ? old : writer.begin(model, options());
  if (text === old && other > 0) {
    writer.cut(text, other);
    drawn.text = null;
    state.place = Math.min(state.place, other - 1);
  }
  const work = function* () {
    for (const id of ids.slice(text.ids.length)) {
      writer.read(text, id);
      yield;
    }
  };
  parts.said.ariaBusy = String(ids.length - text.ids.length > 16);
  if (await engine.paced(work(), wanted) === null) return;
  parts.said.ariaBusy = "false";
  state.text = text;
  for (let left = more, begun = performance.now(); wanted(); left -= 1) {
    const ended = hasEnded(text.ids);
    const goes = text.ids.length < LONGEST && (left > 0 || (more > 0 && left > -beyond && !ended));
    Object.assign(state, { place: text.ids.length - 1, looking: null, moving: goes, left });
    if (!goes) break;
    draw();
    const { id } = cast();
    lot.draw();
    await new Promise((resume) => setTimeout(resume, BEAT - (performance.now() - begun)));
    if (!wanted()) return;
    begun = performance.now();
    writer.read(text, id);
    await new Promise((resume) => setTimeout(resume)); // before it is drawn
  }
  if (!wanted()) return;
  const ended = more > 0 && hasEnded(text.ids), count = text.ids.length - given;
  state.stopped = more === 0 || ended || text.ids.length === LONGEST ? 0 : count;
  Object.assign(state, { place: place ?? (ended ? restOf(text.ids, given) : text.ids.length - 1),
    moving: false, die: null });
  draw();
  if (more > 0) tellGlued(given);
}

function hasEnded(ids) {
  return ENDS.test(model.tokenizer.decode(ids.slice(-1)));
}

/* Where one looks when a sentence has ended: at what could have ended it otherwise, for behind
it there is a line end or little else. */
function restOf(ids, begun) {
  const line = model.tokenizer.decode(ids.slice(-1)) === "\n";
  return Math.max(ids.length - (line ? 3 : 2), begun - 1);
}

/* Say why the word that somebody typed last goes on, if it does. */
function tellGlued(place) {
  const { text: { ids }, prompt, inked } = state, own = place <= prompt || inked.has(place - 1);
  const name = own && place < ids.length ? picture.nameAfter(model.tokenizer, ids[place - 1], ids[place]) : "";
  if (name.startsWith("…")) lot.note(`“${name}” has no space: it goes on with your word.`);
}

/* Draw the token that comes next: the lot is kept at its place, and never drawn again. */
function cast() {
  const place = state.text.ids.length - 1, { seed, temperature, most } = state;
  const value = seed ? writer.dieOf(seed, place) : Math.random();
  state.die = { value, temperature, most, id: writer.drawn(shapeAt(place), value) };
  state.text.places[place].die = state.die;
  return state.die;
}

/* The lot that fell at a place, if the text went on with it and the line is still the same. */
function lotAt(place) {
  const { places, ids } = state.text, { die } = places[place];
  const same = die && die.temperature === state.temperature && die.most === state.most;
  return same && (die === state.die || die.id === ids[place + 1]) ? die : null;
}

/* Draw one token, let the needle run to it, read it, and let its word land in the text. The
list from which it came stays, with the needle where it fell. Say whether nothing else was begun. */
async function one() {
  const turn = turns += 1;
  lot.note("");
  Object.assign(state, { place: state.text.ids.length - 1, looking: null, moving: false });
  const { place } = state, { id, value } = cast(), order = shapeAt(place).order.indexOf(id);
  const hit = [rows[order], lot.piece(order)].filter(Boolean);
  draw();
  bring();
  await flow.fall(value, hit);
  state.die = null;
  if (turn !== turns) return false;
  await read([...state.text.ids, id], 0, 0, place);
  if (turn + 1 === turns) tellGlued(place + 1);
  if (turn + 1 === turns && chipAt(place + 1)) {
    await flow.land(rows.find(({ dataset }) => Number(dataset.id) === id), chipAt(place + 1));
  }
  return turn + 1 === turns;
}

/* Go on with the token on which the needle stands at a value, as if it had fallen there. */
async function put(value, by) {
  const { place, text, temperature, most } = state, { ids } = text;
  const id = writer.drawn(shapeAt(place), value);
  text.places[place].die = { value, temperature, most, id, by };
  if (ids[place + 1] === id) return draw();
  return branch(place, id, place);
}

/* The lot of the newest token, if that is looked at: what lies below its needle changes with
the line. */
function newestLot() {
  const { place, text: { places, ids }, moving } = state, { die } = places[place];
  return die && !moving && place === ids.length - 2 && die.id === ids[place + 1] ? die : null;
}

/* The line has changed below the needle: the newest token is what lies there now. */
function reshape() {
  const die = state.text && newestLot();
  if (die) put(die.value, die.by);
  else draw();
}

/* Read what was typed, and `anew` with other parts; what was written before can be brought back. */
async function retype(anew = false) {
  if (!model) return showRecord();
  const { text, prompt } = state;
  if (text && !text.changed && text.ids.length > prompt) remember();
  if (anew) text.changed = true;
  typed.last = parts.input.value;
  state.inked.clear();
  const ids = model.tokenizer.encodePrompt(parts.input.value.trimEnd());
  state.prompt = Math.min(ids.length, LONGEST - WRITES);
  state.cut = state.prompt < ids.length;
  return read(ids.slice(0, state.prompt));
}

/* Show what the model did with an example; while something else stands in the field, say
that the still is one. */
function showRecord() {
  const text = parts.input.value.trim(), known = demo?.knows(text) ?? text === EXAMPLES[0];
  example.hidden = known;
  still.classList.toggle("other", !known);
  still.querySelector(".writer-first").hidden = text !== EXAMPLES[0];
  if (!demo) return;
  demo.stop();
  surprise.show(known ? text : "", known ? demo.tokens(text) : []);
  if (known) demo.play(text);
}

/* Remember a text that is about to be lost, and offer to bring it back. */
function remember() {
  const { text, prompt, inked } = state;
  state.old = { ids: [...text.ids], prompt, inked: new Set(inked), typed: typed.last };
  parts.undo.hidden = false;
}

/* Bring back what was written before something else took its place. */
function undo() {
  const { ids, prompt, inked, typed: value } = state.old;
  turns += 1;
  parts.input.value = typed.last = value;
  Object.assign(state, { prompt, inked, cut: false, moving: false, old: null });
  parts.undo.hidden = true;
  parts.input.focus({ preventScroll: true });
  return read(ids);
}

/* Keep the text as it is, and return what puts it back, unless somebody has typed since. */
function keep() {
  const ids = [...state.text.ids], { prompt, place, old } = state, inked = new Set(state.inked), { last } = typed;
  return () => {
    const own = [...state.inked].some((one) => !inked.has(one));
    if (own || typed.last !== last) return;
    halt();
    Object.assign(state, { prompt, old, inked: new Set(inked) });
    parts.undo.hidden = !old;
    read(ids, 0, 0, place);
  };
}

/* Go on with what somebody typed at the end, and then with a sentence of the model. */
async function takeTurn() {
  const said = parts.turn.value.trim(), { tokenizer } = model;
  if (!said) return;
  if (state.moving) stop();
  await pending;
  const { ids } = state.text, free = LONGEST - ids.length;
  const apart = /^[\p{L}\p{N}]/u.test(said) && !/\s$/.test(tokenizer.decode(ids.slice(-1)));
  const whole = tokenizer.encode(apart ? ` ${said}` : said), more = whole.slice(0, free);
  more.forEach((_, i) => state.inked.add(ids.length + i));
  parts.turn.value = "";
  bringText();
  const reading = read([...ids, ...more], 1, WRITES), turn = turns;
  await reading;
  if (turn === turns && more.length < whole.length) {
    lot.note(`Only the first ${more.length} of your ${whole.length} tokens had room.`);
  }
}

/* Read everything again, after a part was taken out or put back, and write on. Without that,
the place stays, and the needle of the newest token, below which another one may lie now. */
async function change() {
  const left = state.moving ? Math.max(state.left, 1) : 0;
  if (!left) await pending;
  const die = newestLot();
  state.before = left ? null : { ids: [...state.text.ids], place: state.place, logits: state.text.places[state.place].logits };
  state.text.changed = true;
  const reading = read(state.text.ids, left, MORE, left ? null : state.place), turn = turns;
  await reading;
  if (die && turn === turns) await put(die.value, die.by);
}

/* What comes next as things stand, and what came before the last switch. */
function outcome() {
  const { before, place, temperature, text: { ids, places } } = state;
  const say = ({ logits }) => {
    const { id, share } = writer.likeliest(logits, temperature);
    return `“${lot.nameNext(id)}” ${picture.percent(share)}`;
  };
  const was = isBefore() ? say(before) : null, now = say(places[place]);
  return [`After “${picture.namesOf(model.tokenizer, ids)[place]}”: `,
    was && !(isWhole() && was === now) ? `${was} → ` : "", make("b", {}, now)];
}

/* Whether what came before the last switch came at the place that is looked at. */
function isBefore() {
  const { before, place, text: { ids } } = state;
  return before?.place === place && ids.slice(0, place + 1).every((id, i) => id === before.ids[i]);
}

/* Say beside the switches what they did; where the likeliest token stays the same without
positions, offer a text of which that is not so. */
function tellEffect() {
  const { before, moving, positions, place, text: { places } } = state, first = ({ logits }) => writer.likeliest(logits).id;
  const same = isBefore() && first(before) === first(places[place]);
  const shown = before && !moving && (isBefore() || lacking().length);
  parts.outcome.replaceChildren(...(shown ? outcome() : []), ...(same && !positions ? [" ", parts.order] : []));
  const told = lacking().length ? `It works without ${lacking().join(", ")}. ` : "";
  const held = document.activeElement === parts.whole;
  parts.without.textContent = told;
  parts.lacks.replaceChildren(...(told ? [parts.whole, " ", told] : []));
  if (held) (told ? parts.whole : parts.positions).focus({ preventScroll: true });
}

/* What is taken out, by name. */
function lacking() {
  const parted = [...state.silent].map((name) => name.match(/(\d+)\.(?:self_attention\.(\d+)|feed_forward)/));
  return [...(state.positions ? [] : ["positions"]), ...parted.map(([, layer, head]) =>
    (head ? `head ${Number(layer) + 1}.${Number(head) + 1}` : `network ${Number(layer) + 1}`))];
}

/* Do something with what was read, once all that was typed is. */
function then(act) {
  return async () => {
    await pending;
    pending = act(state.text.ids);
  };
}

function stop() {
  turns += 1;
  if (state.text.ids.length > state.place + 1) writer.cut(state.text, state.place + 1); // not seen yet
  Object.assign(state, { moving: false, die: null });
  flow.finish();
  drawText();
  drawNext();
  tell();
  tour.draw();
}

/* Let nothing that was begun go on, and let the lot that is falling be void. */
function halt() {
  if (state.moving) stop();
  turns += 1;
  state.die = null;
  flow.finish();
}

/* Keep who wrote what in the first `length` tokens only. */
function forget(length) {
  state.prompt = Math.min(state.prompt, length);
  for (const place of state.inked) if (place >= length) state.inked.delete(place);
}

/* Take another token at the place that is looked at: the text goes on from there. */
function take(id, place = state.place) {
  return branch(place, id);
}

/* Let the text go on from a place with another token. What is lost can be brought back, but for
a single token that was drawn; of somebody's own words, that is said. */
async function branch(place, id, then = null) {
  const { text: { ids }, prompt, inked } = state, kept = ids.slice(0, place + 1);
  const own = prompt > kept.length || [...inked].some((one) => one > place);
  if (own || ids.length > kept.length + 1) remember();
  forget(kept.length);
  const reading = read([...kept, id], 0, 0, then), turn = turns;
  await reading;
  if (!own || turn !== turns) return;
  const back = make("button", { type: "button", class: "writer-inline" }, "Bring them back");
  back.addEventListener("click", undo);
  lot.note(`Your words after “${picture.namesOf(model.tokenizer, kept).at(-1)}” went. `, back);
}

/* Let the next token come about before one's eyes; who ends that early, keeps the text. */
async function watch() {
  const turn = turns += 1, held = document.activeElement === parts.watch;
  Object.assign(state, { place: state.text.ids.length - 1, looking: null, open: null, moving: true });
  draw();
  bring();
  if (held) parts.write.focus({ preventScroll: true }); // which stops it
  const whole = await flow.run(seen);
  if (turn !== turns) return;
  state.moving = false;
  draw();
  if (held && document.activeElement === parts.write) parts.watch.focus({ preventScroll: true });
  if (whole) await one();
  else tellEnded(whole);
}

/* Open a part, or close it. */
function open(name) {
  if (name.startsWith("token.")) {
    state.place = Number(name.slice(6));
    state.looking = null;
  } else state.open = state.open === name ? null : name;
  state.focus = name;
  draw();
  if (!parts.inside.hidden && !tour.shown) parts.inside.querySelector("h3").scrollIntoView({ block: "nearest", behavior: "instant" });
}

/* Close what is open; who was in it stands at its part again. */
function shut() {
  const held = parts.inside.contains(document.activeElement), name = state.open;
  state.open = null;
  draw();
  if (held) box.querySelector(`.writer-part[data-part="${name}"]`)?.focus({ preventScroll: true });
}

/* Draw everything anew, and leave the focus where it is. */
function draw() {
  if (!state.text || !parts.svg.isConnected) return;
  flow.finish();
  const scene = drawPicture();
  drawText();
  drawNext();
  if (!state.moving) weigh();
  fit();
  tellEffect();
  inside.draw(scene);
  tour.draw();
}

/* On the whole screen the picture is as high as what is free below the text. */
function fit() {
  if (document.fullscreenElement !== box) return;
  const above = parts.svg.getBoundingClientRect().top + box.scrollTop;
  box.style.setProperty("--free", `${Math.floor(innerHeight - above - EDGE)}px`);
}

/* Show how much what was typed surprises the model. */
function weigh() {
  const { text: { places, ids }, prompt } = state, { tokenizer } = model;
  const tokens = places.slice(1, prompt).map(({ id, bits }) => ({ letters: tokenizer.decode([id]), bits }));
  surprise.show(tokenizer.decode(ids.slice(1, prompt)), tokens);
}

/* Draw the picture, and say what is seen; a head stands alone while its layer is open, unless
it is taken out. */
function drawPicture() {
  const beside = getComputedStyle(parts.svg.parentElement).gridTemplateColumns.split(" ");
  const { clientWidth } = parts.svg.parentElement, large = document.fullscreenElement === box;
  const room = beside.length > 1 && large ? clientWidth - parseFloat(beside[1]) : parseFloat(beside[0]);
  const width = Math.max(280, Math.min(room, large ? 720 : Infinity)); // there it is drawn larger
  const alone = state.open === `attention.${state.head?.layer}`
    && !state.silent.has(`decoder.layers.${state.head.layer}.self_attention.${state.head.head}`);
  const head = alone ? state.head : null;
  const { place } = state, layout = picture.layout(width, state.text.places[0].streams.length - 1);
  state.last = Math.max(place, Math.min(state.last, state.text.ids.length - 1)); // that was drawn
  const scene = picture.sceneOf(state.text, { place, last: state.last, head, count: layout.rows });
  const held = parts.svg.contains(document.activeElement);
  const { drawn, tall } = picture.draw(scene, layout,
    { looking: state.looking ?? state.place, open: state.open });
  for (const [name, value] of Object.entries({ width, height: tall, viewBox: `0 0 ${width} ${tall}` })) {
    parts.svg.setAttribute(name, value);
  }
  parts.svg.parentElement.style.setProperty("--ratio", (width / tall).toFixed(3));
  parts.svg.innerHTML = drawn;
  const all = [...parts.svg.querySelectorAll(".writer-part")];
  const focused = all.find(({ dataset }) => dataset.part === state.focus) ?? all[0];
  focused.setAttribute("tabindex", "0");
  if (held) focused.focus({ preventScroll: true });
  seen = { ...scene, head };
  inside.light();
  tell();
  return scene;
}

/* The text as tokens that can be pressed; what the model wrote has a color. */
function drawText() {
  const { ids } = state.text;
  if (drawn.text !== state.text || drawn.prompt !== state.prompt) {
    Object.assign(drawn, { text: state.text, prompt: state.prompt, count: 1, chip: null });
    while (parts.turn.previousSibling) parts.turn.previousSibling.remove();
  }
  const grown = drawn.count < ids.length;
  for (; drawn.count < ids.length; drawn.count += 1) append(drawn.count);
  const chip = chipAt(state.place);
  if (drawn.chip !== chip) {
    if (drawn.chip) Object.assign(drawn.chip, { ariaPressed: "false", tabIndex: -1 });
    if (chip) Object.assign(chip, { ariaPressed: "true", tabIndex: 0 }); // arrows lead to the others
    drawn.chip = chip;
  }
  if (grown) requestAnimationFrame(() => { parts.said.scrollTop = parts.said.scrollHeight; });
  parts.own.textContent = model.tokenizer.decode(ids.slice(1, state.prompt));
  keepOwn();
  const writes = state.moving, full = ids.length >= LONGEST;
  parts.write.textContent = writes ? "Stop" : "Let it write";
  for (const button of [parts.one, parts.watch]) button.disabled = writes || full;
  parts.turn.hidden = full;
  parts.write.disabled = full && !writes;
  parts.watch.hidden = quiet.matches;
  parts.back.disabled = writes || ids.length <= 1;
  parts.stopped.textContent = state.stopped && !writes ? `It stopped after ${state.stopped} tokens.` : "";
  parts.lost.hidden = !full && !state.cut;
  parts.lost.textContent = (state.cut ? `Only the first ${state.prompt} tokens were read. ` : "")
    + (full ? `It has learned to read ${LONGEST} tokens, and these are all. Take some back.` : "");
  parts.positions.textContent = state.positions ? "Take out positions" : "Put positions back";
  parts.positions.classList.toggle("off", !state.positions);
  parts.restore.ariaDisabled = String(isWhole()); // and it keeps the focus
}

/* Let somebody's own words stand above the text, once they are scrolled out of it. */
function keepOwn() {
  parts.own.hidden = parts.said.scrollTop < 1 || !parts.own.textContent || tour.shown;
}

/* The chip of a place, if it has one. */
function chipAt(place) {
  return parts.said.querySelector(`[data-place="${place}"]`);
}

/* Append a token as a chip, to its word if it goes on with one; of a letter in several
tokens, the last one shows it. */
function append(place) {
  const { ids } = state.text, { tokenizer } = model, piece = tokenizer.decode([ids[place]]);
  if (piece === "\n") {
    parts.turn.before(make("br"));
    return;
  }
  let text = piece.replaceAll(/\p{Cc}/gu, "").trimStart() || "\u00b7";
  if (piece.includes("\ufffd")) {
    const letter = [4, 3, 2].map((count) => tokenizer.decode(ids.slice(Math.max(0, place + 1 - count), place + 1)))
      .find((letter) => !letter.includes("\ufffd"));
    text = letter ?? "\u00b7";
  }
  const chip = make("button", { type: "button", "data-place": String(place) }, text);
  const written = place >= state.prompt && !state.inked.has(place), { bits } = state.text.places[place];
  chip.classList.toggle("written", written);
  if (!written) {
    chip.style.setProperty("--bits", bits.toFixed(1));
    chip.title = `${bits.toFixed(1)} bits`;
  }
  if (piece.startsWith(" ")) parts.turn.before(" ");
  const word = parts.turn.previousSibling;
  if (word?.tagName === "SPAN") word.append(chip);
  else parts.turn.before(make("span", {}, chip));
}

/* What could come next, likeliest first, and at last what came, if it is not among them, or
what somebody holds; a press takes it. */
function drawNext() {
  const { ids } = state.text, shape = shapeAt(state.place);
  const came = state.hand === null ? ids[state.place + 1] : writer.drawn(shape, state.hand);
  rows.forEach((row, i) => {
    const far = i === SHOWN - 1 ? shape.order.indexOf(came, SHOWN) : -1, at = Math.max(i, far);
    const id = shape.order[at], cut = at >= shape.stay, share = cut ? 0 : shape.kept[at];
    Object.assign(row.dataset, { id: String(id), at: String(at) });
    row.title = cut ? "left out by top-p" : far >= 0 ? `number ${at + 1} by its share` : "";
    row.classList.toggle("far", far >= 0);
    row.children[0].textContent = lot.nameNext(id);
    row.children[1].textContent = cut ? "out" : picture.percent(share);
    row.style.setProperty("--share", share.toFixed(3));
    row.classList.toggle("cut", cut);
    row.classList.toggle("taken", id === came);
  });
  lot.draw();
  parts.more.ariaExpanded = String(state.open === "next");
  parts.more.lastChild.textContent = `temperature ${state.temperature}`
    + (state.most === 1 ? "" : `, top-p ${state.most}`);
}

/* The order and the shares of what could come at a place, as the sliders stand. */
function shapeAt(place) {
  const kept = state.text.places[place], { temperature, most } = state;
  if (kept.shape?.temperature !== temperature || kept.shape.most !== most) {
    kept.shape = { temperature, most, ...writer.shaped(kept.logits, state) };
  }
  return kept.shape;
}

/* Say what is seen, in a sentence; while it writes, no sentence would hold. */
function tell() {
  parts.told.style.visibility = state.moving ? "hidden" : "visible";
  if (state.moving) return;
  const { rows, gaps, layers, head } = seen, { places, ids } = state.text, looking = state.looking ?? state.place;
  const names = picture.namesOf(model.tokenizer, ids);
  const { id, share } = writer.likeliest(places[state.place].logits, state.temperature);
  const row = rows.find(({ place }) => place === looking) ?? rows.at(-1), shown = rows.map(({ place }) => place);
  const peaks = row.looks.map((shares) => Math.max(...shares));
  const thin = row.looks.map((shares, layer) => (row.place >= SHOWN && peaks[layer] > 0 && peaks[layer] <= THIN
    ? Math.max(...shares.slice(0, row.place)) : null));
  const looks = Array.from({ length: layers }, (_, layer) => {
    if (thin[layer] !== null) return null;
    const shares = shown.map((key) => row.looks[layer][key] ?? 0), most = Math.max(...shares);
    return most ? `in layer ${layer + 1} at “${names[shown[shares.indexOf(most)]]}” (${picture.percent(most)})`
      : `in layer ${layer + 1} nowhere, without its heads`;
  }).filter(Boolean).join(", ");
  const spread = thin.flatMap((most, layer) => (most === null ? []
    : [`in layer ${layer + 1} none of the ${row.place} before it gets more than ${Math.ceil(100 * most)} %`])).join(", ");
  const others = gaps.flatMap(({ from, count }) => Array.from({ length: count }, (_, i) => from + i))
    .filter((key) => key < row.place);
  const elsewhere = row.looks.some((shares, layer) => thin[layer] === null && !shown.includes(shares.indexOf(peaks[layer])));
  const held = [looks && `looks most${elsewhere ? ", of the tokens shown," : ""} ${looks}`,
    spread && `spreads its look thin${looks ? " elsewhere" : ""}: ${spread}`].filter(Boolean).join(", and ");
  const rest = row.looks.map((shares) => picture.percent(others.reduce((sum, key) => sum + shares[key], 0)));
  const later = state.place < ids.length - 1 ? " What comes later is hidden from it." : "";
  const whose = head ? `head ${head.layer + 1}.${head.head + 1} alone in its layer` : "mean of its heads";
  parts.told.textContent = `After “${names[state.place]}” the likeliest token is ` +
    `“${lot.nameNext(id)}”, with ${picture.percent(share)}` +
    `${state.temperature === 1 ? "" : ` at temperature ${state.temperature}`}` +
    `${state.most === 1 ? "" : " before top-p"}. ` +
    `“${names[row.place]}” ${held} (${whose}).` +
    `${others.length ? ` The ${others.length} others before it get ${rest.join(", ")} of its look, layer by layer.` : ""}${later}`;
}

parts.input.addEventListener("input", () => retype());
const write = then((ids) => {
  bringText();
  return read(ids, WRITES);
});
parts.input.addEventListener("keydown", ({ key }) => {
  if (key !== "Enter") return;
  if (model && state.text) write();
  else {
    entered = true;
    start();
  }
});
parts.turn.addEventListener("keydown", ({ key, isComposing }) => {
  if (key === "Enter" && !isComposing) takeTurn();
});
parts.undo.addEventListener("click", undo);
parts.write.addEventListener("click", () => (state.moving ? stop() : write()));
parts.one.addEventListener("click", then(one));
parts.watch.addEventListener("click", then(watch));
parts.back.addEventListener("click", then((ids) => {
  forget(ids.length - 1);
  return read(ids.slice(0, -1));
}));
parts.said.addEventListener("click", ({ target }) => {
  const { place } = target.closest("button")?.dataset ?? {};
  if (!place) return;
  if (state.moving) stop();
  open(`token.${place}`);
  chipAt(place).focus({ preventScroll: true });
});
parts.next.addEventListener("click", ({ target, pointerType }) => {
  const { id, part } = target.closest("button")?.dataset ?? {};
  const seen = pointerType ? aimed : null;
  if (state.moving) stop();
  if (part) open(part);
  else if (id) take(Number(seen?.id ?? id), seen?.place);
});

parts.seed.addEventListener("input", () => { state.seed = parts.seed.value.trim(); });

/* Any key and any press ends a motion; at the button that stops it, the click does. */
function hurry({ target, repeat }) {
  if (flow?.moving && !repeat && !(state.moving && target === parts.write)) flow.finish();
}
document.addEventListener("keydown", hurry, true);
box.addEventListener("pointerdown", hurry, true);

/* A press stops the writing, so that it meets what was seen; a finger may yet scroll, and
what it aims at is kept. */
let aimed = null;
box.addEventListener("pointerdown", ({ target, pointerType }) => {
  const { id } = target.closest("[data-id]")?.dataset ?? {};
  aimed = id ? { id, place: state.place } : null;
  const acts = [parts.said, parts.next, parts.svg, parts.inside].some((part) => part.contains(target));
  if (state.moving && acts && pointerType !== "touch") stop();
});
parts.said.addEventListener("scroll", keepOwn);
parts.said.addEventListener("keydown", (event) => {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key] ?? 0;
  const all = [...parts.said.querySelectorAll("button")];
  const at = all.indexOf(document.activeElement), to = step && at >= 0 && all[at + step];
  if (!to) return;
  event.preventDefault();
  to.focus({ preventScroll: true });
});
parts.svg.addEventListener("click", ({ target, pointerType }) => {
  const part = target.closest(".writer-part"), token = target.closest(".of-token");
  if (!part) return;
  if (state.moving) stop();
  const unseen = token && Number(token.dataset.part.slice(6)) !== (state.looking ?? state.place);
  if (pointerType === "touch" && unseen && !isLate(token)) look(token); // a second touch goes there
  else open(part.dataset.part);
});
parts.svg.addEventListener("pointerover", ({ target, pointerType }) => {
  if (pointerType === "mouse") look(target.closest(".of-token"));
});
parts.said.addEventListener("pointerover", ({ target, pointerType }) => {
  const place = target.closest("button")?.dataset.place;
  if (pointerType === "mouse") look(parts.svg.querySelector(`[data-part="token.${place}"]`));
});
for (const part of [parts.svg, parts.said]) {
  part.addEventListener("pointerleave", ({ pointerType }) => {
    if (pointerType === "mouse") look(null);
  });
}
parts.svg.addEventListener("focusin", ({ target }) => {
  state.focus = target.dataset.part ?? "";
});

/* Whether a token is hidden from the one that looks. */
function isLate(token) {
  return token.classList.contains("late");
}

/* Show who looks at whom from a token's place. */
function look(token) {
  const place = token && !isLate(token) ? Number(token.dataset.part.slice(6)) : null;
  if (place === state.looking || state.moving || flow.moving) return;
  state.looking = place;
  drawPicture();
  tour.draw();
}

const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
parts.svg.addEventListener("keydown", (event) => {
  const all = [...parts.svg.querySelectorAll(".writer-part")], { key } = event;
  const at = all.findIndex((part) => part === document.activeElement);
  if (at < 0) return;
  if (state.moving && (key === "Enter" || key === " ")) stop();
  if (key === "Enter" || key === " ") open(all[at].dataset.part);
  else if (key in STEPS) {
    const to = all[(at + STEPS[key] + all.length) % all.length];
    state.focus = to.dataset.part;
    to.focus({ preventScroll: true });
    look(to.closest(".of-token"));
  } else return;
  event.preventDefault();
});
box.addEventListener("keydown", ({ key }) => {
  if (key !== "Escape") return;
  if (state.open) shut();
  else if (document.fullscreenElement === box) document.exitFullscreen();
});
for (const { input } of Object.values(sliders)) {
  input.addEventListener("input", () => (input.id === "writer-window" ? change() : reshape()));
}
parts.positions.addEventListener("click", () => {
  state.positions = !state.positions;
  change();
});
parts.order.addEventListener("click", async () => {
  parts.positions.focus({ preventScroll: true });
  await begin(OTHERS[0]);
  state.positions = false;
  await change();
});
for (const button of [parts.restore, parts.whole]) {
  button.addEventListener("click", () => {
    if (putBack()) change();
  });
}

/* Put all parts back, and say whether any was out. */
function putBack() {
  if (isWhole()) return false;
  Object.assign(state, { positions: true, window: LONGEST });
  state.silent.clear();
  sliders.window.show();
  return true;
}

function isWhole() {
  return !lacking().length && state.window === LONGEST;
}

/* The whole screen, for those who sit far from it. */
let left = 0; // where the page stood before
parts.large.addEventListener("click", () => {
  if (document.fullscreenElement) return document.exitFullscreen();
  left = scrollY;
  return box.requestFullscreen();
});
box.addEventListener("fullscreenchange", () => {
  const large = document.fullscreenElement === box;
  parts.large.ariaPressed = String(large);
  draw();
  if (!large) requestAnimationFrame(() => scrollTo({ top: left, behavior: "instant" }));
});

let other = 0;
parts.another.addEventListener("click", () => {
  begin(OTHERS[other % OTHERS.length]);
  other += 1;
});

const opening = make("button", { type: "button", class: "writer-main" },
  "Let the model go on: fetch it, 2 to 3 MB");
opening.addEventListener("click", start);

/* In the still, the last word is a gap: who presses it, lets the model fill it. */
const still = box.querySelector(".writer-still");
const example = make("p", { class: "writer-example", hidden: true },
  "An example. Your own words run through it when the model is here.");
const gap = make("button", { type: "button", class: "writer-gap", "aria-label": "Let the model say the next word" }, "…?");
gap.addEventListener("click", start);
still.querySelector("strong").replaceWith(gap);
still.prepend(example);
ask.append(make("div", { class: "writer-row" }, opening));
still.before(ask, parts.coming);

/* Wait until the page has come and nothing else is to be done. */
function rested() {
  return new Promise((resume) => {
    const idle = () => (globalThis.requestIdleCallback ?? setTimeout)(resume);
    if (document.readyState === "complete") idle();
    else addEventListener("load", idle, { once: true });
  });
}

/* Fetch the record, and let it move once it is in view; a touch ends that. */
rested().then(prepare).then(() => {
  if (!still.isConnected) return;
  demo = globalThis.bookWriterDemo({ box, still, gap, make, quiet });
  demo.rest(EXAMPLES[0]);
  surprise.show(EXAMPLES[0], demo.tokens(EXAMPLES[0]));
  still.querySelector(".writer-stage").after(surprise.element);
  new IntersectionObserver(([{ isIntersecting }], observer) => {
    if (!isIntersecting) return;
    observer.disconnect();
    showRecord();
  }, { threshold: 0.4 }).observe(still.querySelector(".writer-picture"));
  for (const kind of ["pointerdown", "keydown"]) document.addEventListener(kind, demo.stop, true);
}, () => {}); // without it, the still stands
})();
