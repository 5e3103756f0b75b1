function stage({ phrases }) {
  const [across, down] = math.place([0, 0]), names = [...Object.keys(phrases), "x"];
  const row = (name, i) => `<tr data-part="row-${i}"><th scope="row">${name}</th>` +
    `<td data-part="sum-${i}"></td><td data-part="bent-${i}"></td></tr>`;
  const beside = ([name, [x, y]], i) => {
    const [left, top] = math.place([x, y]);
    return `<circle class="phrase" data-part="dot-${i}" cx="${left}" cy="${top}"/>` +
      word(left, top + (y ? -22 : 34), name, "phrase");
  };
  return `<div class="beside unit">
${plane("four phrases by hot and dog, and where the unit speaks", [0, 0, 300, 290],
    [[20, across, 290], [20, down, 284]], [
      '<path class="speaks" data-part="speaks"/>',
      ...Object.entries(phrases).map(beside),
      word(298, down - 6, "hot", "note end"), word(across + 6, 14, "dog", "note start"),
      handle("x", "x", "query", 30)])}
<table aria-label="what the unit reads and says">
<thead><tr><td></td><th>sum</th><th>ReLU</th></tr></thead>
<tbody>${names.map(row).join("\n")}</tbody></table>
</div>`;
}
