function stage({ keys, values }) {
  const [across, down] = FIELD.origin;
  const cells = (i) => ["own", "others", "read"].map((name) =>
    `<td data-part="${name}-${i}"></td>`).join("");
  const row = (value, i) => `<tr><th scope="row">${i + 1}: ` +
    `<b>${points.say(value, 0)}</b></th>${cells(i)}</tr>`;
  return `<div class="beside board">
${plane("the keys of three words, each with two features", [0, 0, 300, 300],
    [[4, across, 296], [4, down, 296]], [
      ...keys.map((_, i) => `<path class="arrow" data-part="arrow-${i}"/>`),
      ...keys.map((_, i) => handle(`key ${i + 1}`, i + 1, "key", 30))])}
<table aria-label="what each word has written, and what its key reads">
<thead><tr><td>word</td><th>own</th><th>others</th><th>read</th></tr></thead>
<tbody>${values.map(row).join("\n")}</tbody></table>
</div>`;
}
