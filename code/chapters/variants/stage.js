function stage({ router, tokens }) {
  const [middle] = FIELD.origin, size = 2 * middle;
  const row = (_, i) => `<tr data-part="row-${i}" class="expert${i}"><th scope="row">expert ` +
    `${i + 1}</th>${["score", "weight", "load"].map((name) =>
      `<td data-part="${name}-${i}"></td>`).join("")}</tr>`;
  const arrow = (_, i) => `<path class="arrow expert${i}" data-part="arrow-${i}"/>`;
  const dots = (_, i) => `<path class="dots expert${i}" data-part="dots-${i}"/>`;
  const names = ["key", "value", "output"];
  return `<div class="beside router">
${plane(`${tokens.length} tokens, and a row of the router for each expert`,
    [0, -16, size, size + 16], [[4, middle, size - 4], [4, middle, size - 4]], [
      word(middle, -4, "tokens, colored by whom they ask first"),
      ...router.map(dots), ...router.map(arrow),
      ...router.map((_, i) => handle(`expert ${i + 1}`, i + 1, names[i], 30)),
      handle("token", "x", "query", 30)])}
<table aria-label="score, weight and tokens of each expert">
<thead><tr><td></td><th>score of x</th><th>weight</th><th>tokens</th></tr></thead>
<tbody>${router.map(row).join("\n")}</tbody></table>
</div>`;
}
