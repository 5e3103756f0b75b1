function stage({ texts }) {
  const most = Math.max(...Object.values(texts).map(([words]) => words.length));
  const words = (name, x) => `<g class="${name}" data-part="${name}" ` +
    `transform="translate(${x} 0)">${repeat(most, () => "<text/>")}</g>`;
  const plate = ([kind, wide, high]) => `<rect class="${kind}" x="${-wide / 2}" ` +
    `y="${-high / 2}" width="${wide}" height="${high}" rx="2"/>`;
  const plates = [["room", 44, 44], ["halo", 22, 21], ["mark", 15, 14]].map(plate);
  return `<svg viewBox="0 0 360 430" class="heads" data-part="drawing" role="group" \
aria-label="a map of heads, and the words between which one of them looks">
${drawMap()}
<path class="others" data-part="others"/>
<path class="ribbons" data-part="ribbons"/>
${words("queries", 231)}
${words("keys", 305)}
<rect class="pick" x="170" y="30" width="190" height="360"/>
<g class="explorer-handle" data-part="head" style="color: var(--ink)">
${plates.join("")}${pointer(3, 0.5)}
</g>
</svg>`;
}

// The map with its layers from the bottom up, and its scale.
function drawMap() {
  const shade = (i) => `<path data-part="shade-${i}" opacity="${(i + 0.5) / 10}"/>`;
  const layer = (number) => [20, 30 + 12 * (LAYERS - number) + 10, number, "note end"];
  const texts = [
    [0, 16, "layer", "note start"], ...[1, 10, 20, 30].map(layer),
    [29.85, 402, "1", "note"], [133.85, 402, "9", "note"], [76, 402, "head", "note"],
    [7, 424.8, "0", "note end"], [143, 424.8, "100 %", "note start"],
    [231, 16, "a word", "note end"], [305, 16, "looks at", "note start"],
  ];
  return `<g class="shades" transform="translate(24 36) scale(13 12)">
${repeat(10, shade)}
</g>
<rect class="pick" x="24" y="30" width="117" height="360"/>
${texts.map((text) => word(...text)).join("\n")}`;
}
