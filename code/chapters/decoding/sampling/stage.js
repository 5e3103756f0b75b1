function stage() {
  const heads = [[108, "end", "logit"], [147, "end", "÷ T"], [186, "end", "share"],
    [193, "start", "after cut"], [306, "end", "drawn"]];
  const columns = { word: [20, "start"], logit: [108, "end"], scaled: [147, "end"],
    share: [186, "end"], after: [278, "end"], drawn: [306, "end"] };
  // The middle of a row; the last one is for all words that are not listed.
  const middle = (i) => 62 + 17 * i + (i === LISTED ? 20 : 8.5);
  const column = ([name, [x, side]]) =>
    `<g class="${name}" data-part="${name}" transform="translate(${x} 0)">` +
    repeat(LISTED + 1, (i) => `<text class="${side}" y="${middle(i) + 4}"/>`) + "</g>";
  const bars = (name) => `<g class="${name}" data-part="${name}" transform="translate(193 0)">` +
    repeat(LISTED + 1, (i) => `<rect class="glide" y="${middle(i) - 5}" height="10"/>`) + "</g>";
  return `<svg viewBox="0 0 360 484" class="sampling" role="group" \
aria-label="the likeliest next words with their logits and probabilities">
${word(0, 24, "temperature T", "note start")}
<path class="track" d="M110 20H330"/>
${heads.map(([x, side, words]) => word(x, 53, words, `note ${side}`)).join("\n")}
<text class="note" data-part="head" x="334" y="53"/>
<path class="cut" data-part="line"/>
<g class="rank" transform="translate(14 0)">
${repeat(LISTED, (i) => word(0, middle(i) + 4, i + 1, "note end"))}
</g>
${Object.entries(columns).map(column).join("\n")}
${bars("before")}
${bars("bars")}
${handle("cut", "", "muted", 48)}
<text class="note" data-part="sum" x="334"/><text class="note" data-part="had" x="334"/>
${handle("temperature", "", "muted")}
</svg>`;
}
