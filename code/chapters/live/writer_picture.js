/* The one picture of the page that writes: from the tokens of a text to the next one.

Rows are tokens, columns are what the model computes, from left to right: vectors, then
for each layer where each row looks and what its network makes of it, and what the model
would say if it stopped there. Nothing here asks for a browser, so that Node draws the
picture that stands where no scripts run. */
(() => {
"use strict";

const ROW = 26, TOP = 46, FOOT = 44; // heights: of a row, above and below them
const LEAST = 0.04; // of a look, to be drawn,
const KEPT = 3; // or it is among so many strongest of its row
const ROWS = 9, FEW = 8; // tokens that are shown, and on a phone
const HALF = ROW / 2; // height of the sign for tokens that are left out
const CELLS = 12; // numbers of a vector that are shown
/* Sizes of a word below a layer, from the usual one on, and the room of a letter in each. */
const SIZES = [["", 8.4], [" fewer", 7.1], [" least", 6]];

function fixed(number) {
  return String(Math.round(number * 10) / 10);
}

function safe(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

/* How a token is called: its letters, a sign where there are none to be seen, and dots
before what goes on with a word. */
function nameOf(tokenizer, id, joined = false) {
  const piece = tokenizer.decode([id]);
  if (piece === "\n") return "line end";
  if (/[\ufffd\p{Cc}]/u.test(piece)) return `byte ${tokenizer.bytesOf(id).join(" ")}`;
  if (!piece.trim()) return "space";
  return joined && /^\p{L}/u.test(piece) ? `…${piece}` : piece.trim();
}

/* How a token is called that stands, or would stand, behind another one. */
function nameAfter(tokenizer, before, id) {
  return nameOf(tokenizer, id, before !== undefined && /\p{L}$/u.test(tokenizer.decode([before])));
}

function namesOf(tokenizer, ids) {
  return ids.map((id, i) => nameAfter(tokenizer, ids[i - 1], id));
}

/* Where things stand in a picture of some width. */
function layout(width, layers) {
  const wide = width >= 440;
  const names = wide ? 92 : 72, cells = wide ? 44 : 22, end = wide ? 22 : 6;
  const from = names + cells + (wide ? 12 : 6), band = (width - from - end) / layers;
  return { wide, width, rows: wide ? ROWS : FEW, names, cells, from, band, end,
    looks: (layer) => [from + layer * band + 4, from + (layer + 0.62) * band],
    network: (layer) => [from + (layer + 0.66) * band, from + (layer + 0.98) * band],
    after: (stage) => from + stage * band };
}

/* The mean of the heads of a layer that were not taken out, or one of them. */
function looksOf(heads, layer, { head, silent }) {
  const left = heads.filter((_, i) => (head?.layer !== layer || i === head.head)
    && !silent.has(`decoder.layers.${layer}.self_attention.${i}`));
  return heads[0].map((_, key) =>
    left.reduce((sum, weights) => sum + weights[key], 0) / Math.max(left.length, 1));
}

/* What the model would say after each layer: what the layer holds, which no temperature
bends; its logits are computed once. */
function saidOf(text, place) {
  const { tokenizer } = text.model, kept = text.places[place], { bookWriter: writer } = globalThis;
  kept.said ??= [...kept.streams.slice(0, -1).map((stream) => writer.said(text.model, stream)), kept.logits];
  return kept.said.map((logits) => {
    const { id, share } = writer.likeliest(logits);
    return { name: nameAfter(tokenizer, kept.id, id), share };
  });
}

/* How many halves of a row some tokens take, with a half for each gap before one of them. */
function halvesOf(places) {
  return places.reduce((sum, place, i) => sum + (place > (places[i - 1] ?? -1) + 1 ? 3 : 2), 0);
}

/* Which tokens have a row, if there is room for `count`: the one that looks, what it looks at
most in each layer, and then what it looks at most in all of them. */
function chosenOf(looks, place, count) {
  const all = Array.from({ length: place + 1 }, (_, key) => key);
  if (all.length <= count) return all;
  const whole = all.map((key) => looks.reduce((sum, shares) => sum + shares[key], 0));
  const most = looks.map((shares) => shares.indexOf(Math.max(...shares)));
  let chosen = [place];
  for (const key of [...most, ...all.sort((a, b) => whole[b] - whole[a])]) {
    const more = [...new Set([...chosen, key])].sort((a, b) => a - b);
    if (halvesOf(more) <= 2 * count) chosen = more;
  }
  return chosen;
}

/* Where the rows stand and the gaps between them, in halves of a row; a picture of a long
text is always as high. Tokens up to the `last` one that come later keep their rows. */
function placed(looks, place, count, last = place) {
  const places = chosenOf(looks, place, count), gaps = [], whole = places.length > place;
  const high = 2 * (whole ? Math.min(last + 1, count) : count);
  let at = whole ? 0 : high - halvesOf(places);
  const rows = places.map((key, i) => {
    const from = (places[i - 1] ?? -1) + 1;
    if (key > from) gaps.push({ from, count: key - from, at: (at += 1) - 1 });
    return { place: key, at: (at += 2) - 2 };
  });
  const late = Array.from({ length: Math.max(high / 2 - place - 1, 0) }, (_, i) =>
    ({ place: place + 1 + i, at: 2 * (place + 1 + i) }));
  return { rows, gaps, high, late };
}

/* What the picture shows of a text at a place, with room for `count` rows; what comes later,
up to the `last` token, is hidden from it. */
function sceneOf(text, { place = text.ids.length - 1, last = place, count = ROWS, head = null } = {}) {
  const { tokenizer, config } = text.model, { silent = new Set() } = text.options;
  const names = namesOf(tokenizer, text.ids);
  const looksAt = (key) => text.places[key].looks.map(
    (heads, layer) => looksOf(heads, layer, { head, silent }));
  const { rows, gaps, high, late } = placed(looksAt(place), place, count, last), said = saidOf(text, place);
  return { gaps, high, place, said, layers: said.length - 1, silent, positions: config.position !== "none",
    late: late.map((row) => ({ ...row, name: names[row.place] })),
    rows: rows.map((row) => ({ ...row, id: text.places[row.place].id, name: names[row.place],
      cells: Array.from(text.places[row.place].streams[0].slice(0, CELLS)), looks: looksAt(row.place) })) };
}

/* What is taken out of the attention of a layer, by the numbers of its heads. */
function silentOf({ silent }, layer) {
  const own = `decoder.layers.${layer}.self_attention.`;
  return [...silent].filter((name) => name.startsWith(own)).map((name) =>
    `${layer + 1}.${Number(name.slice(own.length)) + 1}`).sort();
}

/* A curve from a row to one that it looks at, as strong as it looks. */
function curve([left, right], from, to, share, kind) {
  const middle = (left + right) / 2;
  return `<path class="${kind}" d="M${fixed(right)} ${from}C${fixed(middle)} ${from} ` +
    `${fixed(middle)} ${to} ${fixed(left)} ${to}" stroke-width="${fixed(0.6 + 5 * share)}" ` +
    `opacity="${fixed(kind === "others" ? 0.1 + 0.3 * share : 0.45 + 0.55 * share)}"/>`;
}

/* A part that can be pressed: an area, and what is drawn in it. */
function part(name, label, [x, y, wide, high], drawn, more, kind = "") {
  return `<g class="writer-part of-${name.split(".")[0]}${kind}" data-part="${name}" role="button" ` +
    `tabindex="-1" aria-label="${safe(label)}" ${more}><rect class="area" x="${fixed(x)}" ` +
    `y="${fixed(y)}" width="${fixed(wide)}" height="${fixed(high)}" rx="5"/>${drawn}</g>`;
}

/* What leads the eye from a part that is open to what is shown of it below. */
function opening([x, y, wide, high], width, tall) {
  return `<path class="opening" d="M${fixed(x)} ${fixed(y + high)}L0 ${tall}H${width}` +
    `L${fixed(x + wide)} ${fixed(y + high)}Z"/>`;
}

function words(text, x, y, kind, most = Infinity) {
  const cut = text.length > most ? `${text.slice(0, most - 1)}…` : text;
  return `<text class="${kind}" x="${fixed(x)}" y="${fixed(y)}">${safe(cut)}</text>`;
}

function percent(share) {
  if (share > 1 - 1e-6) return "100 %";
  if (share > 0.995) return "> 99 %";
  return share < 0.005 ? "< 1 %" : `${Math.round(100 * share)} %`;
}

/* Cells of numbers: orange above zero, blue below, as strong as they are large. */
function cellsOf(numbers, [x, y, wide, high], columns = numbers.length) {
  const largest = Math.max(...numbers.map(Math.abs)) || 1;
  const side = wide / columns, tall = high / Math.ceil(numbers.length / columns);
  return numbers.map((number, i) => `<rect class="${number < 0 ? "minus" : "plus"}" ` +
    `x="${fixed(x + side * (i % columns))}" y="${fixed(y + tall * Math.floor(i / columns))}" ` +
    `width="${fixed(side)}" height="${fixed(tall)}" ` +
    `fill-opacity="${fixed(Math.abs(number) / largest)}"/>`).join("");
}

/* Draw a scene; `looking` is the place whose looks are shown, `open` the part that stands
open below. */
function draw(scene, place, { looking = scene.place, open = null } = {}) {
  const { rows, gaps } = scene, bottom = TOP + HALF * scene.high, tall = bottom + FOOT;
  const known = new Map([...rows, ...scene.late].map((row) => [row.place, TOP + HALF * (row.at + 1)]));
  for (const { from, at } of gaps) known.set(from, TOP + HALF * (at + 0.5));
  const y = (at) => known.get(at); // of a row, and of a gap by the first token in it
  const given = { scene, place, looking, y, bottom, high: bottom - 20 };
  const parts = [...tokens(given), vectors(given)];
  for (let layer = 0; layer < scene.layers; layer += 1) {
    parts.push(attention(given, layer), network(given, layer));
  }
  parts.push(...scene.said.map((_, stage) => stop(given, stage)));
  const found = parts.find(({ name }) => name === open);
  const drawn = parts.map(({ name, label, area, inside, pressed, kind }) => part(name, label, area,
    inside, pressed === undefined ? `aria-expanded="${name === open}"` : `aria-pressed="${pressed}"`, kind));
  return { tall, drawn: [found ? opening(found.area, place.width, tall) : "", ...heads(given),
    ...streams(given), ...drawn].join("") };
}

/* The names above the columns, and before the last row. */
function heads({ scene: { gaps, layers, positions }, place, y, bottom }) {
  return [
    place.wide ? words("tokens", place.names - 6, 14, "head last") : words("tokens", 4, 14, "head"),
    ...gaps.map(({ from, count }) => words(`${count} other${count > 1 ? "s" : ""}`,
      place.names - 6, y(from) + 3.5, "least last")),
    words("vectors", place.names + place.cells / 2 - (place.wide ? 0 : 5), 14, "head middle"),
    positions ? "" : words(place.wide ? "positions" : "pos.", place.names + place.cells / 2, 34, "least middle out"),
    ...Array.from({ length: layers }, (_, layer) => words(`layer ${layer + 1}`,
      (place.after(layer) + place.after(layer + 1)) / 2, 14, "head middle")),
    words("would say", place.names - (place.wide ? 28 : 17), bottom + 18, "small last"),
  ];
}

/* The stream of each row, from its vector to the end; that of the last one goes on. */
function streams({ scene, place, y }) {
  const from = fixed(place.names + place.cells), end = place.width - place.end;
  const at = y(scene.place), tip = place.width - 8;
  return [
    ...scene.rows.slice(0, -1).map((row) => `<path class="stream" d="M${from} ${y(row.place)}H${end}"/>`),
    `<path class="stream now" d="M${from} ${at}H${place.wide ? tip : end}"/>`,
    place.wide ? `<path class="tip" d="M${tip} ${at - 5}L${tip + 8} ${at}L${tip} ${at + 5}Z"/>` : "",
  ];
}

function tokens({ scene, place, looking, y }) {
  const isLate = (row) => row.place > scene.place;
  return [...scene.rows, ...scene.late].map((row) => ({
    name: `token.${row.place}`, label: `token “${row.name}”${isLate(row) ? ", hidden" : ""}`,
    pressed: row.place === looking, kind: isLate(row) ? " late" : "",
    area: [1, y(row.place) - ROW / 2 + 1, place.names - 1, ROW - 2],
    inside: words(row.name, place.names - 6, y(row.place) + 4.5, "name last", place.wide ? 11 : 9),
  }));
}

function vectors({ scene, place, y, high }) {
  return {
    name: "vectors", label: "Vectors: the row of the table for each token",
    area: [place.names + 2, 22, place.cells - 4, high],
    inside: scene.rows.map((row) => cellsOf(
      row.cells, [place.names + 5, y(row.place) - 7, place.cells - 10, 14])).join(""),
  };
}

/* The looks of a row that are drawn: the strongest at tokens that have a row. */
function drawnOf(looks, rows) {
  const shown = rows.filter((key) => key < looks.length).map((key) => [key, looks[key]]);
  const least = Math.min(LEAST, shown.map(([, share]) => share).sort((a, b) => b - a)[KEPT - 1] ?? 0);
  return shown.filter(([, share]) => share > 0 && share >= least);
}

/* How much of a row's look goes to each gap. */
function gapsOf(looks, gaps) {
  return gaps.map(({ from, count }) => [from, looks.slice(from, from + count).reduce((sum, share) => sum + share, 0)])
    .filter(([, share]) => share >= LEAST);
}

/* Where the looks of a layer go; to a gap, they go in thin lines, for no token in it has much. */
function attention({ scene, place, looking, y, high }, layer) {
  const [left, right] = place.looks(layer), kinds = { others: [], rest: [], asked: [], asks: [] };
  const shown = scene.rows.map((row) => row.place), out = silentOf(scene, layer);
  for (const row of scene.rows) {
    for (const [key, share] of drawnOf(row.looks[layer], shown)) {
      const kind = row.place === looking ? "asks"
        : key === looking && looking !== scene.place ? "asked" : "others";
      kinds[kind].push(curve([left, right], y(row.place), y(key), share, kind));
    }
    if (row.place !== looking) continue;
    for (const [from] of gapsOf(row.looks[layer], scene.gaps)) {
      kinds.rest.push(curve([left, right], y(row.place), y(from), 0, "asks rest"));
    }
  }
  const label = words(out.length > 2 ? `${out.length} heads` : out.join(" ") || "looks",
    (left + right) / 2, 34, `${place.wide && !out.length ? "small" : "least"} middle${out.length ? " out" : ""}`);
  const hidden = scene.late.map((row) =>
    words("hidden", (left + right) / 2, y(row.place) + 3.5, `${place.wide ? "small" : "least"} middle`)).join("");
  return {
    name: `attention.${layer}`,
    label: `Attention of layer ${layer + 1}${out.length ? `, without head ${out.join(", ")}` : ""}`,
    area: [left - 2, 22, right - left + 4, high], inside: label + hidden + Object.values(kinds).flat().join(""),
  };
}

function network({ scene, place, y, high }, layer) {
  const [start, end] = place.network(layer), middle = (start + end) / 2;
  const out = scene.silent.has(`decoder.layers.${layer}.feed_forward`), off = out ? " off" : "";
  const cross = `<path class="cross" d="M${fixed(start)} 22L${fixed(end)} ${22 + high}M${fixed(end)} 22` +
    `L${fixed(start)} ${22 + high}"/>`;
  return {
    name: `network.${layer}`, label: `Network of layer ${layer + 1}${out ? ", taken out" : ""}`,
    area: [start, 22, end - start, high],
    inside: words("FFN", middle, 34, `${place.wide ? "small" : "least"} middle${out ? " out" : ""}`) +
      (out ? cross : "") +
      scene.rows.map((row) => `<rect class="unit${row.place === scene.place ? " now" : ""}${off}" ` +
        `x="${fixed(middle - 5)}" y="${y(row.place) - 6}" width="10" height="12" rx="2"/>`).join(""),
  };
}

/* A word at the largest size that has room; what is longer is cut. */
function fitted(name, side) {
  const [kind, room] = SIZES.find(([, room]) => name.length * room <= side) ?? SIZES.at(-1);
  const most = Math.floor(side / room);
  return { kind, word: name.length <= most ? name : `${name.slice(0, most - 1)}…`, cut: name.length > most };
}

/* How wide a word below a layer may be. */
function sideOf({ scene, place }, stage) {
  const usual = place.band * 0.94, room = (place.width - place.after(scene.layers - 1) - 3) * 2 / 3;
  return stage < scene.layers - 1 ? usual : Math.min(usual, room); // the last two share their room
}

/* A line end has a sign, below all layers if it has no room below one. */
function signed({ scene, place }, stage) {
  const isEnd = ({ name }) => name === "line end";
  const short = scene.said.some((said, at) => isEnd(said) && fitted(said.name, sideOf({ scene, place }, at)).cut);
  return isEnd(scene.said[stage]) && short ? "\u21b5" : scene.said[stage].name;
}

/* What the model would say if it stopped after some layers. */
function stop({ scene, place, y, bottom }, stage) {
  const { name, share } = scene.said[stage], x = place.after(stage);
  const side = sideOf({ scene, place }, stage);
  const middle = stage ? Math.min(x, place.width - side / 2) : x - place.cells / 2;
  const { kind, word } = fitted(signed({ scene, place }, stage), side);
  return {
    name: `stream.${stage}`,
    label: `After ${stage || "no"} layer${stage === 1 ? "" : "s"} it would say “${name}”, ${percent(share)}`,
    area: [middle - side / 2, bottom + 4, side, 36],
    inside: `<circle class="stop" cx="${fixed(x)}" cy="${y(scene.place)}" r="3.5"/>` +
      words(word, middle, bottom + 18, `guess${kind} middle`) +
      words(percent(share), middle, bottom + 33, "small middle"),
  };
}

const STYLE = `.writer-picture { --ink: var(--pst-color-text-base, #1a1a1a);
  --paper: var(--pst-color-background, #ffffff); --faint: var(--pst-color-text-muted, #48566b);
  --line: var(--pst-color-border, #d0d4d9); --look: var(--look-ink, #b84f00);
  --ask: var(--asks, #0072b2);
  font-family: var(--pst-font-family-base, "DejaVu Sans", sans-serif); font-size: 13px; }
.writer-picture text { fill: var(--ink); }
.writer-picture .last { text-anchor: end; }
.writer-picture .middle { text-anchor: middle; }
.writer-picture .head, .writer-picture .guess { font-weight: 600; }
.writer-picture .small, .writer-picture .head { font-size: 11px; }
.writer-picture .of-network .small { font-size: 10px; }
.writer-picture .fewer { font-size: 11px; }
.writer-picture .least { font-size: 9.5px; letter-spacing: -0.03em; }
.writer-picture :is(.small, .least):not(.guess, .out) { fill: var(--faint); }
.writer-picture path { fill: none; }
.writer-picture .area { fill: transparent; stroke: var(--line); }
.writer-picture .of-stream .area { stroke: none; }
.writer-picture .opening { fill: var(--ask); fill-opacity: 0.12; }
.writer-picture .stream { stroke: var(--line); stroke-width: 1.5; }
.writer-picture .stream.now { stroke: var(--look); stroke-width: 2.5; }
.writer-picture .tip, .writer-picture .stop { fill: var(--look); }
.writer-picture .others { stroke: var(--faint); }
.writer-picture .asks { stroke: var(--ask); }
.writer-picture .asked { stroke: var(--look); }
.writer-picture .rest { stroke-width: 1.2; stroke-dasharray: 2 3; }
.writer-picture .out { fill: var(--look); font-weight: 600; text-decoration: line-through; }
.writer-picture .cross { stroke: var(--look); stroke-width: 2; }
.writer-picture .unit { fill: var(--paper); stroke: var(--faint); }
.writer-picture .unit.now { fill: var(--look); stroke: var(--look); }
.writer-picture .unit.off { fill: none; stroke-dasharray: 2 2; }
.writer-picture .plus { fill: var(--look); }
.writer-picture .minus { fill: var(--ask); }
.writer-picture [aria-pressed="true"] .area { stroke: var(--ask); stroke-width: 2; }
`;

/* The picture by itself, in a file. */
function still(scene, width) {
  const { drawn, tall } = draw(scene, layout(width, scene.layers));
  return `<svg xmlns="http://www.w3.org/2000/svg" class="writer-picture" width="${width}" ` +
    `height="${tall}" viewBox="0 0 ${width} ${tall}"><style>\n${STYLE}</style>` +
    `${drawn.replaceAll(/ (role|tabindex|aria-\w+|data-part)="[^"]*"/g, "")}</svg>\n`;
}

globalThis.bookWriterPicture = {
  layout, placed, sceneOf, saidOf, drawnOf, draw, still, nameOf, nameAfter, namesOf, cellsOf, percent, safe, STYLE,
};
})();
