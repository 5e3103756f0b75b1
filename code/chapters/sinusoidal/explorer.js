const TEXT = { last: 24, at: { query: 6, key: 9 }, start: 66, slot: 12, row: 62, above: 24,
  below: 365, foot: 327 };

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
  // What each pair adds to the dot product of two places.
  parts: (frequencies, ...places) => frequencies.map((frequency) => {
    const [a, b] = places.map((place) => math.encode(frequency, place));
    return a[0] * b[0] + a[1] * b[1];
  }),
  // Where a dot product stands on the curve.
  place: (offset, total) => [coordinate(180 + 7 * offset), coordinate(110 - 24 * total)],
  middle: (pair) => 118 + 62 * pair,
  // All hands of a word, and how high they reach on the waves.
  hands(frequencies, position, across) {
    const drawn = { hand: "", level: "", dot: "" }, end = coordinate(across);
    frequencies.forEach((frequency, pair) => {
      const [sine, cosine] = math.encode(frequency, position), middle = math.middle(pair);
      const tip = `${coordinate(28 + 19 * sine)} ${coordinate(middle - 19 * cosine)}`;
      drawn.hand += `M28 ${middle}L${tip}`;
      drawn.level += `M${tip}H${end}`;
      drawn.dot += `M${end} ${tip.split(" ")[1]}h0`;
    });
    return drawn;
  },
  // The turns from one word to the other, each less its full turns.
  arcs: (frequencies, ...places) => frequencies.map((frequency, pair) => {
    const angle = frequency * (places[1] - places[0]);
    const ends = places.map((place) => math.encode(frequency, place)).map((hand) =>
      `${coordinate(28 + 8 * hand[0])} ${coordinate(math.middle(pair) - 8 * hand[1])}`);
    const large = Math.abs(angle) % (2 * Math.PI) > Math.PI ? 1 : 0;
    return `M${ends[0]}A8 8 0 ${large} ${angle < 0 ? 0 : 1} ${ends[1]}`;
  }).join(""),
};

function start(view) {
  const { frequencies } = view.data, { say } = words;

  // A lane that is pressed is the one that the equation is about.
  frequencies.forEach((_, pair) => view.part(`lane-${pair}`).addEventListener("click", () => {
    view.control("pair").value = pair;
    view.draw("pair");
  }));
  letDragWords(view, TEXT);

  function writeMatrix(name, rows, label) {
    view.part(`${name}-label`).textContent = label;
    rows.forEach((row, i) =>
      row.forEach((number, j) => view.write(`${name}-${i}${j}`, fixed(number, 3))));
  }

  return () => {
    const { query, key } = view.at, offset = key - query;
    const pair = view.value("pair"), frequency = frequencies[pair];
    for (const [name, position] of Object.entries(view.at)) {
      const across = TEXT.start + TEXT.slot * position;
      const drawn = math.hands(frequencies, position, across);
      for (const [kind, d] of Object.entries(drawn)) view.set(`${kind}-${name}`, { d });
    }
    view.set("arcs", { d: math.arcs(frequencies, query, key) });
    frequencies.forEach((each, i) => {
      view.write(`turn-${i}`, fixed(each * offset, 2));
      view.part(`lane-${i}`).classList.toggle("chosen", i === Number(pair));
    });
    const parts = math.parts(frequencies, query, key);
    const sum = parts.reduce((a, b) => a + b), total = fixed(sum, 2);
    parts.forEach((part, i) => view.write(`part-${i}`, fixed(part, 2)));
    view.write("total", total);
    putWords(view, TEXT, `dot product ${total}`);
    const [cx, cy] = math.place(offset, sum);
    view.set("dot", { cx, cy });
    view.set("drop", { d: `M${cx} 110V${cy}` });
    const column = (place) => math.encode(frequency, place).map((number) => [number]);
    writeMatrix("end", column(key), `dog at ${say(key)}`);
    writeMatrix("turn", math.shift(frequency, offset), `offset ${say(offset)}`);
    writeMatrix("start", column(query), `cat at ${say(query)}`);
    view.write("readout", `From cat at ${say(query)} to dog at ${say(key)}, the hand of ` +
      `pair ${pair} turns by ${fixed(frequency * offset, 2)} radians. Offset ${say(offset)} ` +
      `has this matrix and the dot product ${total} wherever it starts.`);
  };
}
