// A band as wide as what it stands for, from a place to another one to the right of it.
function ribbon([left, from], [right, to], width) {
  const [a, b, x, y] = [left, right, from - width / 2, to - width / 2].map(coordinate);
  const [low, lower] = [from + width / 2, to + width / 2].map(coordinate);
  const half = coordinate((left + right) / 2);
  return `M${a} ${x}C${half} ${x} ${half} ${y} ${b} ${y}V${lower}` +
    `C${half} ${lower} ${half} ${low} ${a} ${low}Z`;
}
