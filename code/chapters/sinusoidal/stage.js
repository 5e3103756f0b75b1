function stage({ frequencies }) {
  const lane = (_, pair) => `<rect class="lane" data-part="lane-${pair}" width="360" ` +
    `height="58" rx="6" x="0" y="${math.middle(pair) - 36}"/>` +
    `<circle class="faint" r="19" cx="28" cy="${math.middle(pair)}"/>` +
    `<path class="wave" d="${drawWave(frequencies[pair], math.middle(pair))}"/>`;
  const hands = (name) => ["hand", "level", "dot"].map((kind) =>
    `<path class="${kind} ${name}" data-part="${kind}-${name}"/>`).join("");
  const names = (frequency, pair) => {
    const y = math.middle(pair) - 24, turned = `<tspan data-part="turn-${pair}"/>`;
    return word(66, y, `pair ${pair}, ω = ${fixed(frequency, 3)}`, "name note start") +
      word(356, y, `turned by ${turned}`, "name note end");
  };
  const parts = frequencies.map((_, pair) => `<span data-part="part-${pair}"></span>`);
  const total = (offset) => math.parts(frequencies, 0, offset).reduce((a, b) => a + b);
  return `<div class="waves">
<div><svg viewBox="0 0 360 389" role="group" aria-label="a text of 25 positions over the waves \
of ${frequencies.length} pairs, and two words to move">
${drawPlaces(TEXT, 339)}
${frequencies.map(lane).join("\n")}
${drawWords()}
<path data-part="arcs"/>${hands("query")}${hands("key")}
${frequencies.map(names).join("\n")}
</svg>
${step("encode", "each hand turns by ω a position, and its height is the wave")}</div>
${ARROW}
<div><p>dot product ${parts.join(" + ")} = <b class="output" data-part="total"></b></p>
${plane("the dot product over the offset, highest at offset 0 and the same on both sides",
    [0, 0, 360, 152], [[8, 180, 352], [6, 110, 122]],
    [...curve(24, total, math.place, 136, "output"), word(180, 150, "offset")], "img")}
${step("multiply and add", "how alike the two hands of each pair point")}
<math display="block">${matrix("end", 1)}<mo>=</mo>${matrix("turn", 2)}${matrix("start", 1)}</math>
${step("turn", "the matrix of the offset, from the hand of cat to that of dog")}</div>
</div>`;
}

// How high a hand reaches at each place, its cosine: a point for each place, or more.
function drawWave(frequency, middle) {
  const count = TEXT.last * Math.max(1, Math.round((12 * frequency) / Math.PI));
  const points = Array.from({ length: count + 1 }, (_, i) => (i * TEXT.last) / count);
  return `M${points.map((place) => [TEXT.start + TEXT.slot * place,
    middle - 19 * Math.cos(frequency * place)].map(coordinate).join(" ")).join(" L")}`;
}

// A matrix of two rows over its label.
function matrix(name, columns) {
  const cell = (i, j) => `<mtd><mn data-part="${name}-${i}${j}"></mn></mtd>`;
  const row = (i) => `<mtr>${repeat(columns, (j) => cell(i, j))}</mtr>`;
  return `<munder><mtable>${repeat(2, row)}</mtable>` +
    `<mtext data-part="${name}-label"></mtext></munder>`;
}
