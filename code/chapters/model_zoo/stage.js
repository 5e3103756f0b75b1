function stage({ rows, models }) {
  const track = ([name, all], row) => {
    const y = TOP + ROW * row;
    const stops = all.map((option, i) => word(math.stop(i), y - 18, option) +
      `<circle class="stop" r="3.5" cx="${math.stop(i)}" cy="${y}"/>`);
    return `<path class="faint" d="M${LEFT} ${y}H${math.stop(all.length - 1)}"/>` +
      `${word(0, y + 4, name, "start")}${stops.join("")}`;
  };
  const model = (name, i) => `<tr data-part="model-${i}"><th scope="row">${name}</th>` +
    `<td data-part="far-${i}"></td></tr>`;
  return `<div class="beside lock">
<svg viewBox="0 0 380 ${ROW * rows.length}" role="group" aria-label="six choices of a layer">
${rows.map(track).join("\n")}
${repeat(rows.length, (row) => handle(`turn-${row}`, "", "query", 30))}
</svg>
<table aria-label="how far the layer is from those of seven models, and what a file has of it">
<thead><tr><td></td><th scope="col">other choices</th></tr></thead>
<tbody>${Object.keys(models).map(model).join("\n")}
<tr class="file"><th scope="row">tensors of a layer</th><td data-part="tensors"></td></tr>
<tr><th scope="row">numbers in them</th><td data-part="numbers"></td></tr></tbody></table>
</div>`;
}
