const TEXT = { last: 20, at: { query: 4, key: 6 }, start: 15, slot: 16.5, row: 66, above: 24,
  below: 108, foot: 66 };

const math = {
  // A pair turned by an angle, counterclockwise.
  turn: ([x, y], angle) => [
    x * Math.cos(angle) - y * Math.sin(angle),
    x * Math.sin(angle) + y * Math.cos(angle),
  ],
  dot: (a, b) => a[0] * b[0] + a[1] * b[1],
  cross: (a, b) => a[0] * b[1] - a[1] * b[0],
  // Where a hand points, in degrees, counterclockwise from the right.
  angle: ([x, y], frequency, position) =>
    ((Math.atan2(y, x) + frequency * position) * 180) / Math.PI,
  // Where a score stands on the curve.
  place: (offset, total) => [coordinate(180 + 8 * offset), coordinate(75 - 4 * total)],
};

function start({ data }) {
  const INNER = 14, NAMES = ["query", "key"], { say } = words;

  // The smaller angle from the query's hand to the key's.
  function drawArc(query, key) {
    const [from, to] = [query, key].map(([x, y]) =>
      [x, -y].map((side) => coordinate((INNER * side) / Math.hypot(x, y))).join(" "));
    const clockwise = math.cross(query, key) < 0 ? 1 : 0;
    return `M ${from} A ${INNER} ${INNER} 0 0 ${clockwise} ${to}`;
  }

  return (view, moved) => {
    if (moved === null) letDragWords(view, TEXT);
    const { at } = view, offset = at.key - at.query;
    let total = 0;
    data.frequencies.forEach((frequency, pair) => {
      for (const name of NAMES) {
        const angle = coordinate(-math.angle(data[name], frequency, at[name]));
        view.set(`${name}-${pair}`, { transform: `rotate(${angle})` });
      }
      const hands = NAMES.map((name) => math.turn(data[name], frequency * at[name]));
      view.set(`arc-${pair}`, { d: drawArc(...hands) });
      view.write(`part-${pair}`, fixed(math.dot(...hands), 2));
      total += math.dot(...hands);
    });
    putWords(view, TEXT, `score ${fixed(total, 2)}`);
    const [cx, cy] = math.place(offset, total);
    view.set("dot", { cx, cy });
    view.set("drop", { d: `M ${cx} 75 V ${cy}` });
    view.write("offset", say(offset));
    view.write("total", fixed(total, 2));
    const [cat, dog] = NAMES.map((name) => view.part(`${name}-word`).textContent);
    view.write("readout", `The query of ${cat} at ${say(at.query)} and the key of ${dog} at ` +
      `${say(at.key)} have the score ${fixed(total, 2)}. Any two positions with offset ` +
      `${say(offset)} have it.${moved === "both" ? " Both move together." : ""}`);
  };
}
