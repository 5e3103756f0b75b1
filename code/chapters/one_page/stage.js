function stage({ answer }) {
  const signs = (row) => repeat(SIGNS, (i) =>
    `<text data-part="${row}-${i}" x="${134 + 23 * i}" y="${276 + 24 * row}"/>`);
  const wanted = [...answer].map((sign, i) => word(134 + 23 * i, 252, escaped(sign), "sign"));
  const ticks = [0.01, 0.1, 1].map((loss) =>
    word(LEFT - 6, math.high(loss) + 4, loss, "note end"));
  return `<div class="trained">
<p class="line"><span>Instead of</span> <code data-part="gone"></code></p>
<p class="line"><span>stands</span> <code data-part="come"></code></p>
<svg viewBox="0 0 360 310" role="group" aria-label="the losses of two machines over 300 steps">
<path class="faint" d="M${LEFT} 10V${FOOT}H${RIGHT}"/>
<path class="guess" d="M${LEFT} ${coordinate(math.high(Math.log(11)))}H${RIGHT}"/>
${word(RIGHT + 6, coordinate(math.high(Math.log(11)) + 4), "a guess", "note start")}
${ticks.join("")}${word(LEFT - 6, 14, "loss", "note end")}
<path class="curve whole" data-part="curve-0"/>
<path class="curve other" data-part="curve-1"/>
<path class="faint" data-part="stem"/>
<circle class="whole" r="5" data-part="dot-0"/>
<circle class="other" r="5" data-part="dot-1"/>
${word(343, FOOT + 34, "steps")}
${word(112, 252, "must write", "note end")}${wanted.join("")}
${word(112, 276, "as it is", "whole end")}
${signs(0)}
${word(112, 300, "changed", "other end")}
${signs(1)}
${handle("step", "", "muted", 40)}
</svg>
</div>`;
}
