function stage({ changes }) {
  const [across, down] = FIELD.origin;
  const names = ["word", ...changes.map((_, i) => `sublayer ${i + 1}`)];
  const colors = ["query", "key", "value"];
  const row = (name, i) => `<tr class="entry${i}"><th scope="row">${name}</th>` +
    `<td data-part="change-${i}"></td><td data-part="along-${i}"></td></tr>`;
  return `<div class="beside stream">
${plane("a word and two changes, one behind the other, and their sum", [0, 0, 300, 290],
    [[10, across, 296], [4, down, 286]], [
      '<path class="sum" data-part="sum"/>',
      ...names.map((_, i) => `<path class="entry entry${i}" data-part="entry-${i}"/>`),
      ...names.map((_, i) => handle(`x${i}`, `x${"₀₁₂"[i]}`, colors[i], 38))])}
<table aria-label="what the word and each sublayer add to the stream">
<thead><tr><td></td><th>adds</th><th>along the word</th></tr></thead>
<tbody>${names.map(row).join("\n")}
<tr class="chosen"><th scope="row">sum</th>\
<td data-part="total"></td><td data-part="along"></td></tr></tbody></table>
</div>`;
}
