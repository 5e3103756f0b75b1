function stage() {
  const shades = [-4, -3, -2, -1, 1, 2, 3, 4];
  const matrix = (name) => shades.map((shade) => `<path class="shade${Math.abs(shade)} ` +
    `${shade < 0 ? "minus" : "plus"}" data-part="${name}${shade}"/>`).join("");
  const [low, middle, high] = AT, half = CELL * SIDE / 2, foot = middle + 2 * half + 17;
  const frame = ([x, y]) => `<rect class="frame" x="${x - 1}" y="${y - 1}" ` +
    `width="${CELL * SIDE + 2}" height="${CELL * SIDE + 2}"/>`;
  return `<svg viewBox="0 -18 360 290" class="narrow" role="group" \
aria-label="B and A, their product, the wanted change, and what is missing">
${[[middle, middle], [high, middle], [high, low]].map(frame).join("")}
${["b", "a", "product", "wanted", "missing"].map(matrix).join("\n")}
<path class="outline" data-part="outline"/>
<text class="note" data-part="a-name" x="${middle + half}">A</text>
${word(high + half, -4, "missing")}${word(middle - 12, foot, "B")}
${word(middle + half, foot, "B · A")}${word(high + half, foot, "wanted")}
${handle("rank", "", "muted", 58)}
</svg>`;
}
