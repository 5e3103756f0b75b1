function stage({ parts }) {
  const colors = ["query", "value", "muted"];
  const blocks = Object.entries(parts).map(([part, name], i) =>
    `<rect data-part="${part}" x="90" width="80" style="fill: var(--${colors[i]})"/>` +
    `<text class="end" data-part="${part}-word" x="84">${name}</text>`);
  const row = (name, words) => `<tr><th scope="row">${words}</th><td data-part="${name}"></td></tr>`;
  return `<div class="costs">
<svg viewBox="0 0 360 246" role="group" aria-label="the operations of one token, to scale">
<path class="faint" d="M90 ${BASE}H310M90 ${BASE - LEVEL}H310"/>
${blocks.join("\n")}
<rect data-part="stack" x="230" width="80" style="fill: var(--key)"/>
${word(130, BASE + 26, "the weights")}
${word(270, BASE + 26, "the text")}
${handle("text", "1,024", "key", 70)}
</svg>
<table aria-label="operations and cache of one token">
<thead><tr><td></td><th scope="col">millions</th></tr></thead>
<tbody>${row("weights", "FLOPs of the weights")}
${row("positions", "FLOPs of the text")}
${row("all", "FLOPs in all")}
${row("cache", "bytes of cache, at 16 bits")}</tbody></table>
</div>`;
}
