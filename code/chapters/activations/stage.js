function stage({ names }) {
  const curves = (lane) => Object.keys(names).map((name) =>
    `<path class="${name}" data-part="${lane}-${name}"/>`).join("");
  const marks = (numbers, place) => numbers.map(place).join("");
  const { x: across, gate, value } = math.place;
  const row = ([key, name]) => `<tr data-part="row-${key}"><th scope="row" class="${key}">` +
    `${name}</th>${["gate", "value", "slope"].map((column) =>
      `<td data-part="${column}-of-${key}"></td>`).join("")}</tr>`;
  return `<div class="beside bends">
${plane("the gates of four activations, and what they pass", [0, 0, 360, 342],
    [[30, across(0), 352], [158, value(0), 322]], [
      `<path class="faint" d="M30 ${gate(0)}H352"/><path class="track" d="M34 15H346"/>`,
      word(30, 48, "gate", "note start"), word(30, 168, "x · gate", "note start"),
      marks([0, 1], (n) => word(24, gate(n) + 4, n, "note end")),
      marks([0, 1, 2, 3], (n) => word(24, value(n) + 4, n, "note end")),
      marks([-4, -2, 2, 4], (n) => word(across(n), 338, fixed(n, 0))),
      '<path class="drop" data-part="drop"/>', curves("gates"), curves("values"),
      '<path class="tangent" data-part="tangent"/>',
      '<circle data-part="gate-dot" r="5"/><circle data-part="dot" r="5"/>',
      handle("x", "", "muted", 88)])}
<table aria-label="gate, value and slope of each activation">
<thead><tr><td></td><th>gate</th><th>value</th><th>slope</th></tr></thead>
<tbody>${Object.entries(names).map(row).join("\n")}</tbody></table>
</div>`;
}
