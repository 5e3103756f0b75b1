function stage({ image }) {
  const shades = (name) => repeat(16, (i) =>
    `<path fill-opacity="${(i + 1) / 16}" data-part="${name}-${i + 1}"/>`);
  const cells = image.flatMap((row, y) => row.map((ink, x) => ink &&
    `<path fill-opacity="${ink / 16}" d="${math.square([CELL * x, CELL * y], CELL)}"/>`));
  const size = CELL * SIDE;
  return `<svg viewBox="0 -18 360 336" class="cut" role="group" \
aria-label="a seven of eight by eight pixels, and the words that it is cut into">
${word(size / 2, -5, "the picture")}${word(BIG[0] + size / 2, -5, "the word, large")}
<rect class="frame" width="${size}" height="${size}"/>
<rect class="frame" x="${BIG[0]}" width="${size}" height="${size}"/>
${cells.filter(Boolean).join("")}
<path class="here" data-part="here"/>
${shades("big")}
${word(0, ROW - 8, "all words, in the order in which the model gets them", "note start")}
<path class="frame" data-part="frames"/>
${shades("strip")}
<path class="here" data-part="chosen"/>
<path class="track" d="M14 ${TRACK}H346"/>
${handle("word", "", "query", 44)}
</svg>`;
}
