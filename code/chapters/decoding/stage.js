function stage() {
  const colors = [["live", "query"], ["ended", "value"], ["followed", "output"]];
  const [live, ended, followed] = colors.map(([name, color]) =>
    `<b style="color: var(--${color})">${name}</b>`);
  const branch = (name) => `<path class="ribbon ${name}" data-part="branch-${name}"/>`;
  const plate = handle("followed", "", "output") // whose width the script sets
    .replace(/<rect class="(\w+)"/g, '$& data-part="$1"');
  return `<div class="beam">
<p>${live}, ${ended}, dropped, and ${followed}; a branch is as wide as its text is probable</p>
<svg viewBox="0 0 370 460" data-part="tree" role="group" \
aria-label="the tree of a beam search, which grows downward step by step">
<g transform="matrix(0 1 1 0 0 0)">
${["gone", "live", "followed", "drops", "ends"].map(branch).join("\n")}
</g>
<g class="words" data-part="words"></g>
${handle("step", "", "muted", 28)}
${plate}
</svg>
<div><b style="color: var(--value)">Best that have ended, by score</b>
${repeat(5, (i) => `<p data-part="done-${i}"></p>`)}</div>
</div>`;
}
