function stage({ verse }) {
  const letters = [...verse], [left, foot, wide, tall] = PLACE;
  const grid = [4, 8].map((bits) => `<path class="faint" d="M${left} ${foot - tall * bits}` +
    `H${left + wide * letters.length}"/>`);
  const across = (i) => left + wide * (i + 0.5);
  const names = [4, 8].map((bits) => word(left + wide * letters.length, foot - tall * bits - 4,
    `${bits} bits`, "note end over"));
  const shown = letters.map((letter, i) => word(across(i), foot + 16, letter === " " ? "·" : letter,
    "letter"));
  return `<svg viewBox="0 0 360 236" class="guesses" role="group" \
aria-label="a bar of bits for each letter of a verse, and the bytes of the file">
${word(left, 8, `the file, in bytes of ${letters.length}`, "note start")}
<path class="kept" data-part="kept"/><path class="saved" data-part="saved"/>
${grid.join("")}
<path class="others" data-part="others"/><path class="chosen" data-part="chosen"/>
${names.join("")}
${shown.join("")}
${handle("letter", "", "query", 52)}
</svg>`;
}
