function stage() {
  const row = (role) => `<tr class="${role}"><th scope="row">${role} of lost</th>` +
    `<td data-part="${role}-0"></td><td data-part="${role}-1"></td></tr>`;
  return `<div class="heads">
<div class="all">${step("project", "all of lost, times each matrix, then a part for each head")}
<table class="cut" aria-label="query, key and value of lost, for each head">
<thead><tr><td></td><th>head 1</th><th>head 2</th></tr></thead>
<tbody>${ROLES.map(row).join("\n")}</tbody></table></div>
${["what was lost?", "who lost it?"].map(writeHead).join("\n")}
<div class="all"><p class="mixed">(<b data-part="output-0"></b> | <b data-part="output-1"></b>) \
Wᴼ = <b data-part="mixed"></b></p>
${step("mix", "side by side, then times Wᴼ, whose rows are (1, 1) and (1, −1)")}</div>
</div>`;
}

// How one head reads the three vectors, and its weights.
function writeHead(question, head) {
  const lines = ROLES.map((role) => `<path class="${role} line glide" ` +
    `data-part="line-${role}-${head}"/><text data-part="name-${role}-${head}">${role}</text>`);
  const foot = (j) => ["key", "value"].map((role) => `<path class="${role} foot" ` +
    `data-part="foot-${role}-${head}-${j}"/><circle class="${role}" r="4" ` +
    `data-part="dot-${role}-${head}-${j}"/>`).join("");
  const shapes = [
    ...lines, repeat(3, foot),
    `<path class="query foot" data-part="foot-query-${head}"/>`,
    `<path class="query reach" data-part="reach-${head}"/>`,
    `<circle class="output tip" data-part="tip-${head}" r="7"/>`,
    repeat(2, (j) => `<circle data-part="dot-${head}-${j}" r="4"/>` +
      `<text data-part="word-${head}-${j}"/>`),
    handle(`lost-${head}`, "lost", "muted", 56),
  ];
  const cell = (name, j) => `<td class="${name}" data-part="${name}-${head}-${j}"></td>`;
  const row = (j) => `<tr><th scope="row" data-part="row-${head}-${j}">lost</th>` +
    `${cell("key", j)}${cell("score", j)}<td>${bar(`bar-${head}-${j}`)}</td>` +
    `${cell("weight", j)}${cell("value", j)}</tr>`;
  return `<div>${step(`head ${head + 1}`, question)}
${plane(`three words, and the lines along which head ${head + 1} reads them`,
    [0, 0, 352, 286], [[56, MIDDLE[0], 296], [40, MIDDLE[1], 272]], shapes)}
<table class="rows" aria-label="key, score, weight and value of each word in head ${head + 1}">
<thead><tr><td></td><th>key</th><th>score</th><td></td><th>weight</th><th>value</th></tr></thead>
<tbody>${repeat(3, row)}</tbody></table></div>`;
}
