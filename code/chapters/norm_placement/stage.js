function stage({ orders }) {
  const legend = [["stream", "query"], ["norm", "key"], ["bar", "output"]];
  const [stream, norm, bar] = legend.map(([name, color]) =>
    `<b style="color: var(--${color})">${name}</b>`);
  return `<p class="legend">${stream}, ${norm}, and a ${bar} for each layer; \
thin: range of three seeds</p>
<svg viewBox="0 -10 360 386" class="stacks" role="group" \
aria-label="stacks of layers, with a bar for each layer">
${Object.entries(orders).map(drawStack).join("\n")}
<path class="lid" data-part="lid"/>
<text class="note" data-part="axis" x="180" y="${BOTTOM + 52}"/>
${handle("top", "", "muted", 78)}
</svg>
${step("upward", "each layer reads the stream and adds what it computes")}`;
}

// A stack with its name above and its ticks below.
function drawStack([order, name]) {
  const place = { post: "after each sum", pre: "before each layer", none: "" }[order];
  const text = (part, y, words, kind = "note") =>
    `<text class="${kind}" data-part="${order}-${part}" y="${y}">${words}</text>`;
  const paths = SHAPES.map((shape) =>
    `<path class="${shape}" data-part="${order}-${shape}"/>`);
  return `<g data-part="${order}">${paths.join("")}${text("name", 2, name, "name")}` +
    text("place", 18, place) + text("note", BOTTOM - 12, "") +
    `${repeat(3, (i) => text(`tick-${i}`, BOTTOM + 34, ""))}</g>`;
}
