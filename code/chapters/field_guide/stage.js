function stage({ schemes }) {
  const zero = `<rect class="track" x="${coordinate(math.place(0) - 0.25)}" y="-10" width="0.5" height="30"/>`;
  const row = (name, i) => `<tr><th scope="row">${name}</th><td>${bar(`bar-${i}`, zero)}</td>` +
    `<td><span data-part="score-${i}"></span></td></tr>`;
  return `<div class="schemes">
<svg viewBox="0 0 360 150" role="group" aria-label="a text of 13 positions, and two words to move">
${drawPlaces(TEXT, 146)}
${drawWords("bank", "river")}
</svg>
<table aria-label="the score of bank and river in each scheme">
<tbody>${schemes.map(row).join("\n")}</tbody></table>
</div>`;
}
