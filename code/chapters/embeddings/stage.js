function stage({ columns }) {
  const tips = Object.entries(columns).map(([name, column]) => {
    const [cx, cy] = math.place(column);
    return `<circle class="${name}" cx="${cx}" cy="${cy}" r="6"/>`;
  });
  const row = (name, j) => `<tr class="${name}"><th scope="row">${name}</th>` +
    `<td>(${columns[name].join(", ")})</td><td data-part="score-${j}"></td>` +
    `<td>${bar(`bar-${j}`)}</td><td data-part="chance-${j}"></td></tr>`;
  return `<div class="push">
${plane("the plane of both scores, with the row of cat in it", [0, 0, 360, 300],
    [[56, MIDDLE[0], 304], [24, MIDDLE[1], 276]], [
      word(MIDDLE[0], 12, "score of stops"), word(304, 296, "score of sleeps", "note end"),
      `<path class="chord" d="M${math.place(columns.sleeps).join(" ")}L${math.place(columns.stops).join(" ")}"/>`,
      ...tips, '<path class="pull" data-part="pull"/>', '<circle class="mean" data-part="mean" r="6"/>',
      '<path class="pull" data-part="push"/>', handle("cat", "cat", "query")])}
<table aria-label="column, score and probability of each next word">
<thead><tr><td></td><th>column</th><th>score</th><td></td><th>probability</th></tr></thead>
<tbody>${Object.keys(columns).map(row).join("\n")}</tbody></table>
</div>`;
}
