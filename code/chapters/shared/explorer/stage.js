// What an explorer draws once, before its script moves parts of it. `stage` of a chapter
// writes it with these. The book keeps the result, so its pages carry none of this.

// Draws the stage into its place.
function fill({ part, data }) {
  part("stage").innerHTML = `\n${stage(data)}\n`;
}

// Words in which no sign means something in HTML.
function escaped(words) {
  const names = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return String(words).replace(/[&<>"]/g, (sign) => names[sign]);
}

// What `write` says for each number from 0 on.
function repeat(count, write) {
  return Array.from({ length: count }, (_, i) => write(i)).join("\n");
}

// What a reader drags in a drawing: a word on a rounded plate, with room for a finger.
function handle(name, word, color, width = 44) {
  const plates = [["room", 10], ["halo", 5], ["grip", 0]].map(([kind, rim]) =>
    `<rect class="${kind}" x="${-width / 2 - rim}" y="${-11 - rim}" ` +
    `width="${width + 2 * rim}" height="${22 + 2 * rim}" rx="${11 + rim}"/>`);
  return `<g class="explorer-handle" data-part="${name}" style="color: var(--${color})">` +
    `${plates.join("")}<text y="4" data-part="${name}-word">${escaped(word)}</text>` +
    `${pointer(width / 2 - 9, -0.25)}</g>`;
}

// A small hand, which is seen at the first handle until one is moved: its left end, and
// the tip of its finger.
function pointer(x, y) {
  return '<path class="pointer" display="none" ' +
    `d="M${coordinate(x + 4)} ${coordinate(y + 11)}v-9a2 2 0 0 1 4 0v5.3l6.1 1.2` +
    "a2.5 2.5 0 0 1 2 2.9l-.9 4.9a2.7 2.7 0 0 1-2.7 2.2h-4.9a3 3 0 0 1-2.5-1.2l-4.5-4.9" +
    'a1.6 1.6 0 0 1 2.4-2.1z" style="fill: var(--paper); stroke: var(--ink); ' +
    'stroke-linejoin: round; stroke-width: 1.25"/>';
}

// An arrow to what comes next: to the right, and down where parts stand below each other.
const ARROW = '<svg class="arrow" viewBox="0 0 24 12" aria-hidden="true">' +
  '<path d="M1 6H23M18 1.5 23 6 18 10.5"/></svg>';

// What happens at a stage: its name, and about ten words.
function step(name, words) {
  return `<p class="step"><b>${name}</b>: ${words}</p>`;
}

// The places of a text, every fifth with its number, for words that a reader drags.
function drawPlaces({ last, start, slot, row }, numbers) {
  const across = (position) => coordinate(start + slot * position);
  return repeat(last + 1, (i) =>
    `<circle class="place" r="2.5" cx="${across(i)}" cy="${row}"/>`) + "\n" +
    repeat(last / 5 + 1, (i) =>
      `<text class="note" x="${across(5 * i)}" y="${numbers}">${5 * i}</text>`);
}

// Two words, their lines to the text, and the number between them.
function drawWords(query = "cat", key = "dog") {
  const line = (name) => `<path class="${name.replace("-", " ")}" data-part="${name}"/>`;
  const plate = (name, told) => handle(name, told, name, 11 * (told.length + 1));
  return [...["stem-query", "stem-key", "span"].map(line), plate("query", query),
    plate("key", key), handle("both", "", "muted", 34)].join("\n");
}

// A plane with its axes: its name, its frame (left, top, width, height), and where each
// axis begins, meets the other one, and ends.
function plane(label, frame, [[left, x, right], [top, y, bottom]], shapes, role = "group") {
  return `<svg viewBox="${frame.join(" ")}" role="${role}" aria-label="${label}">\n` +
    `<path class="faint" d="M${left} ${y}H${right}M${x} ${top}V${bottom}"/>\n` +
    `${shapes.join("\n")}\n</svg>`;
}

// A word in a drawing, and what kind of word it is.
function word(x, y, words, kind = "note") {
  return `<text class="${kind}" x="${x}" y="${y}">${words}</text>`;
}

// What two words have in common, over their offset: `place` finds the dot of an offset and
// a total, which the script moves.
function curve(last, total, place, numbers, kind) {
  const points = Array.from({ length: 8 * last + 1 }, (_, i) => i / 4 - last);
  const drawn = points.map((offset) => place(offset, total(offset)).join(" ")).join("L");
  const ticks = [-20, -10, 0, 10, 20];
  return [`<path class="turn" d="M${drawn}"/>`, '<path class="drop" data-part="drop"/>',
    `<circle class="${kind}" data-part="dot" r="7"/>`,
    ...ticks.map((tick) => word(Number(place(tick, 0)[0]), numbers, fixed(tick, 0)))];
}

// A bar as long as a share, in a cell of a table; the script sets its length.
function bar(name, track = '<rect class="track" width="100" height="10"/>') {
  return '<svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" ' +
    `style="height: 10px">${track}<rect class="glide" data-part="${name}" height="10"/></svg>`;
}
