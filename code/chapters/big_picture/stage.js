function stage({ texts, rows: [[guesses]] }) {
  const text = (words, i) => `<p data-part="text-${i}">${escaped(words)} ` +
    `<b data-part="end-${i}"></b></p>`;
  const row = (i) => `<tr data-part="row-${i}"><th scope="row" data-part="word-${i}"></th>` +
    `<td>${bar(`bar-${i}`, "")}</td><td data-part="share-${i}"></td></tr>`;
  return `<div class="endings">
<div class="texts">${texts.map(text).join("\n")}</div>
${drawLadder(guesses.length)}
<table><caption>10 likeliest next words</caption>
<tbody>${repeat(guesses[0].length, row)}</tbody></table>
</div>`;
}

// The first guess after each layer, the last layer on top.
function drawLadder(layers) {
  const bottom = math.high(1, layers), under = (layer) => math.high(layer, layers) + 4;
  const marked = [1, 10, 20, 30].filter((layer) => layer <= layers);
  return `<svg viewBox="0 0 150 ${bottom + 12}" data-part="drawing" role="group" \
aria-label="the layers, with the likeliest word after each">
${word(44, 12, "layer")}
${word(72, 12, "first guess", "note start")}
<rect class="room" x="0" y="0" width="150" height="${bottom + 12}"/>
<path class="rail" d="M44 36V${bottom}"/>
${marked.map((layer) => word(16, under(layer), layer, "note end")).join("\n")}
<g class="guesses" data-part="ladder">
${repeat(layers, (i) => `<text x="72" y="${under(i + 1)}"/>`)}
</g>
${handle("layer", "", "muted", 36)}
</svg>`;
}
