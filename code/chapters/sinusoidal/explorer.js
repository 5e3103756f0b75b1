const math = {
  // Sine and cosine of a pair at a position.
  encode: (frequency, position) => [
    Math.sin(frequency * position),
    Math.cos(frequency * position),
  ],
  // The matrix that moves a pair by an offset.
  shift(frequency, offset) {
    const [sine, cosine] = math.encode(frequency, offset);
    return [[cosine, sine], [-sine, cosine]];
  },
  // Whether a turn, less its full turns, is more than half a turn.
  isLarge: (angle) => angle % (2 * Math.PI) > Math.PI,
};

function start({ data }) {
  const RADIUS = 50, INNER = 22;

  function writeMatrix(view, name, rows, label) {
    view.part(`${name}-label`).textContent = label;
    rows.forEach((row, i) =>
      row.forEach((number, j) => view.write(`${name}-${i}${j}`, fixed(number, 3))));
  }

  function drawClock(view, frequency, pair, from, to) {
    const hands = [math.encode(frequency, from), math.encode(frequency, to)];
    const [first, last] = hands.map(([sine, cosine]) =>
      `${coordinate(INNER * sine)} ${coordinate(-INNER * cosine)}`);
    ["start", "end"].forEach((name, i) =>
      view.set(`${name}-${pair}`, { x2: RADIUS * hands[i][0], y2: -RADIUS * hands[i][1] }));
    const large = math.isLarge(frequency * (to - from)) ? 1 : 0;
    view.set(`arc-${pair}`, { d: `M ${first} A ${INNER} ${INNER} 0 ${large} 1 ${last}` });
    view.write(`turn-${pair}`, fixed(frequency * (to - from), 2));
  }

  return (view) => {
    const position = view.value("position"), offset = view.value("offset");
    const pair = view.value("pair"), frequency = data.frequencies[pair];
    data.frequencies.forEach((each, i) =>
      drawClock(view, each, i, position, position + offset));
    for (const name of ["position", "offset"]) view.mean(name, String(view.value(name)));
    const column = (place) => math.encode(frequency, place).map((number) => [number]);
    writeMatrix(view, "end", column(position + offset), `position ${position + offset}`);
    writeMatrix(view, "turn", math.shift(frequency, offset), `offset ${offset}`);
    writeMatrix(view, "start", column(position), `position ${position}`);
    view.write("readout", `From position ${position} to ${position + offset}, the hand ` +
      `of pair ${pair} turns by ${fixed(frequency * offset, 2)} radians. From any other ` +
      `position, offset ${offset} turns it by the same matrix.`);
  };
}
