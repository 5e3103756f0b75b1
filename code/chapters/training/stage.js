function stage() {
  const line = (i) => [["query", 104], ["key", 256], ["share", 378]].map(([name, x]) =>
    `<text data-part="${name}-${i}" x="${x}" y="${math.high(i) + 4}"/>`).join("");
  return `<div class="looks"><svg viewBox="0 0 378 342" data-part="drawing" role="group" \
aria-label="words that look, and ribbons to the words that they look at">
${word(104, 12, "queries", "note end")}
${word(256, 12, "keys", "note start")}
<path class="ribbon others" data-part="others"/>
<path class="ribbon chosen" data-part="chosen"/>
${repeat(SIZE, line)}
${handle("word", "", "query", 76)}
</svg></div>`;
}
