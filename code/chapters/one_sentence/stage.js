function stage({ steps, features }) {
  const end = TOPS[1] + 6 * HIGH, y = (low, k) => TOPS[low] + HIGH * (k + 0.72);
  const columns = Object.entries(steps).map(([name, [x, low, above, below]]) =>
    word(x, TOPS[low] - 20, above, "note end") + word(x, TOPS[low] - 7, below, "note end") +
      repeat(low ? 6 : features.length, (k) =>
        `<text class="${name} end" data-part="${name}-${k}" x="${x}" y="${y(low, k)}"/>`));
  const labels = (name, x) => repeat(6, (k) =>
    `<text class="end" data-part="${name}-${k}" x="${x}" y="${y(1, k)}"/>`);
  const plate = ([kind, wide, high]) => `<rect class="${kind}" x="${-wide / 2}" ` +
    `y="${-high / 2}" width="${wide}" height="${high}" rx="3"/>`;
  const plates = [["room", 64, 44], ["halo", WIDE + 8, HIGH + 8]];
  const line = (k) => `<tr data-part="made-${k}"><th scope="row" data-part="line-${k}-0"></th>` +
    `${repeat(3, (i) => `<td data-part="line-${k}-${i + 1}"></td>`)}</tr>`;
  return `<div class="machine">
<svg viewBox="0 0 360 ${end + 6}" data-part="drawing" role="group" \
aria-label="the numbers of one row, step by step">
<path data-part="lit" style="fill: var(--tint)"/>
<path class="faint" d="M0 ${TOPS[0] - 2}H360M0 ${TOPS[1] - 2}H138M144 ${TOPS[1] - 2}H360"/>
<g class="explorer-handle" data-part="number" style="color: var(--query)">
${plates.map(plate).join("")}<rect x="${-WIDE / 2}" y="${-HIGH / 2}" width="${WIDE}" height="${HIGH}" rx="3" \
style="fill: none; stroke: currentcolor; stroke-width: 2"/>${pointer(15, 1)}
</g>
${features.map((name, k) => word(0, y(0, k), name, "start")).join("\n")}
${labels("read", 50)}
${labels("known", 188)}
${columns.join("\n")}
</svg>
<table aria-label="what made the number">
<thead><tr><td></td>${repeat(3, (i) => `<th scope="col" data-part="head-${i}"></th>`)}</tr></thead>
<tbody>${repeat(MOST + 2, line)}</tbody></table>
</div>`;
}
