function stage() {
  const [middle, unit] = PLANE, size = 2 * middle, far = 3 * unit;
  const round = coordinate(unit * Math.SQRT2);
  const line = (name) => `<path class="${name}" data-part="${name}"/>`;
  const diagonal = (way) => `<path class="faint" d="M${middle - far} ${middle + way * far}` +
    `L${middle + far} ${middle - way * far}"/>`;
  const row = ([name, called]) => `<tr class="${name}"><th scope="row">${called}</th>` +
    `<td data-part="${name}-0"></td><td data-part="${name}-1"></td></tr>`;
  const rows = [["as-it-is", "x"], ["rms", "RMSNorm"], ["centered", "x less its mean"],
    ["layer", "LayerNorm"]];
  return `<div class="beside arrows">
${plane("a vector of two features, a circle and two diagonals", [0, -20, size, size + 40],
    [[4, middle, size - 4], [4, middle, size - 4]], [
      diagonal(1), diagonal(-1),
      `<circle class="circle" cx="${middle}" cy="${middle}" r="${round}"/>`,
      word(0, -6, "mean 0", "note start"), word(middle, -6, "feature 2 ↑"),
      word(size, -6, "equal", "note end"), word(size, size + 14, "feature 1 →", "note end"),
      line("center"), line("ray"), line("arrow"),
      `<path class="rms" data-part="rms"/><path class="layer" data-part="layer"/>`,
      handle("x", "x", "query", 34)])}
<table aria-label="the vector, and what each norm makes of it">
<thead><tr><td></td><th>feature 1</th><th>feature 2</th></tr></thead>
<tbody>${rows.map(row).join("\n")}</tbody></table>
</div>`;
}
