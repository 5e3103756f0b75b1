function stage() {
  const [across, down] = FIELD.origin, { unit } = FIELD, end = 6 * unit;
  const row = (name, i) => `<tr class="${i < 3 ? "read" : "written"}"><th scope="row">${name}</th>` +
    `<td data-part="river-${i}"></td><td data-part="money-${i}"></td></tr>`;
  return `<div class="beside bank">
${plane("river and money of the verb, and of bank on its way to its note", [0, 0, 362, 320],
    [[across, across, across + end], [down - end, down, down]], [
      `<path class="tie" d="M${across} ${down}l${end} ${-end}"/>`,
      word(across + 4 * unit, down + 46, "blooms"), word(across - 66, down - 4 * unit + 4, "lends", "note end"),
      word(across + end, down + 46, "river", "end"), word(across - 8, down - end + 6, "money", "end"),
      '<path class="way" data-part="way"/>',
      ...[3.5, 5, 7.5].map((r, i) => `<circle class="glide" r="${r}" data-part="dot-${i}"/>`),
      handle("verb", "", "key", 62)])}
<table aria-label="river and money in the rows of bank and la, and two scores">
<thead><tr><td></td><th scope="col">river</th><th scope="col">money</th></tr></thead>
<tbody>${["bank, embedded", "after looking", "its note", "la, before", "with the notes",
    "made of it"].map(row).join("\n")}</tbody>
<thead><tr><td></td><th scope="col">rive</th><th scope="col">banque</th></tr></thead>
<tbody><tr><th scope="row">score</th><td data-part="rive"></td><td data-part="banque"></td></tr></tbody>
</table>
</div>`;
}
