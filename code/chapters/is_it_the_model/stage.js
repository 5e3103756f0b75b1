function stage() {
  const colors = ["query", "muted", "key", "value", "ink", "output"];
  const block = (part, i) => `<rect data-part="${part}" x="110" width="80" ` +
    `style="fill: var(--${colors[i]})"/>`;
  const row = (part, i) => `<tr><th scope="row"><svg viewBox="0 0 10 10" aria-hidden="true">` +
    `<rect width="10" height="10" style="fill: var(--${colors[i]})"/></svg> ${part}</th>` +
    `<td data-part="${part}-count"></td></tr>`;
  return `<div class="beside counted">
<svg viewBox="0 0 300 262" role="group" aria-label="the share of each part in all parameters">
<path class="faint" d="M${LEFT} ${TOP + TALL + 32}H${RIGHT}"/>
${PARTS.map(block).join("\n")}
${handle("width", "", "muted", 66)}
</svg>
<table aria-label="the parameters of each part">
<thead><tr><td></td><th scope="col">parameters</th></tr></thead>
<tbody>${PARTS.map(row).join("\n")}
<tr class="chosen"><th scope="row">in all</th><td data-part="all"></td></tr></tbody></table>
</div>`;
}
