function stage({ query, key, frequencies }) {
  const line = (name, pair) => `<line class="hand ${name}" data-part="${name}-${pair}" ` +
    `x2="${coordinate(15 * Math.hypot(...(name === "query" ? query : key)))}"/>`;
  const dial = (frequency, pair) => `<div class="explorer-cell">
<svg viewBox="-54 -54 108 108" aria-hidden="true"><circle class="faint" r="50"/>
<path class="turn" data-part="arc-${pair}"/>${line("query", pair)}${line("key", pair)}
<circle r="3" style="fill: var(--ink)"/></svg>
<span>${["fast", "slow"][pair]} pair, ω = ${fixed(frequency, 1)}</span>
<span>adds <b data-part="part-${pair}"></b></span></div>`;
  const total = (offset) => frequencies.reduce((sum, frequency) =>
    sum + math.dot(query, math.turn(key, frequency * offset)), 0);
  return `<div class="rotary">
<div><svg viewBox="0 0 360 150" role="group" aria-label="a text of 21 positions, and two words to move">
${drawPlaces(TEXT, 146)}
${drawWords()}
</svg>
${step("turn", "each hand, by ω times the position of its word")}</div>
${ARROW}
<div><div class="explorer-grid">
${frequencies.map(dial).join("\n")}
</div>
${step("multiply", "both lengths, times the cosine of the angle between the hands")}</div>
${ARROW}
<div><p>offset <b data-part="offset"></b>, score <b class="score" data-part="total"></b></p>
${plane("the score over the offset, key position minus query position", [0, 0, 360, 150],
    [[20, 180, 340], [4, 75, 128]],
    [...curve(20, total, math.place, 144, "dot"), word(340, 91, "offset", "note end")], "img")}
${step("add", "what both pairs give. Only the offset counts.")}</div>
</div>`;
}
