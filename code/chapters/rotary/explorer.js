const math = {
  // A pair turned by an angle, counterclockwise.
  turn: ([x, y], angle) => [
    x * Math.cos(angle) - y * Math.sin(angle),
    x * Math.sin(angle) + y * Math.cos(angle),
  ],
  dot: (a, b) => a[0] * b[0] + a[1] * b[1],
  cross: (a, b) => a[0] * b[1] - a[1] * b[0],
  // The nearest position to one that may lie outside of the text.
  clamp: (position, last) => Math.min(Math.max(position, 0), last),
};

function start({ data }) {
  const UNIT = 15, INNER = 14, STEP = 8, TALL = 4, MIDDLE = [180, 75];
  let offset = null;

  // Keeps the offset when both positions move; the end of the text stops both.
  function follow(view, moved) {
    const other = moved === "query" ? "key" : "query", sign = moved === "query" ? 1 : -1;
    const there = math.clamp(view.value(moved) + sign * offset, data.last);
    view.control(other).value = there;
    view.control(moved).value = there - sign * offset;
  }

  // The smaller angle from the query's hand to the key's.
  function drawArc(query, key) {
    const [from, to] = [query, key].map(([x, y]) =>
      [x, -y].map((side) => coordinate((INNER * side) / Math.hypot(x, y))).join(" "));
    const clockwise = math.cross(query, key) < 0 ? 1 : 0;
    return `M ${from} A ${INNER} ${INNER} 0 0 ${clockwise} ${to}`;
  }

  return (view, moved) => {
    const both = view.value("both");
    if (both && (moved === "query" || moved === "key")) follow(view, moved);
    const at = { query: view.value("query"), key: view.value("key") };
    offset = at.key - at.query;
    let total = 0;
    data.frequencies.forEach((frequency, pair) => {
      const hands = {};
      for (const name of ["query", "key"]) {
        hands[name] = math.turn(data[name], frequency * at[name]);
        const [x, y] = hands[name];
        view.set(`${name}-${pair}`, { x2: UNIT * x, y2: -UNIT * y });
      }
      view.set(`arc-${pair}`, { d: drawArc(hands.query, hands.key) });
      const part = math.dot(hands.query, hands.key);
      total += part;
      view.write(`part-${pair}`, fixed(part, 2));
    });
    for (const name of ["query", "key"]) view.mean(name, String(at[name]));
    view.set("dot", { cx: MIDDLE[0] + STEP * offset, cy: MIDDLE[1] - TALL * total });
    view.write("offset", fixed(offset, 0));
    view.write("total", fixed(total, 2));
    view.write("readout", `The query at ${at.query} and the key at ${at.key} have the ` +
      `score ${fixed(total, 2)}. Any two positions with offset ${fixed(offset, 0)} have ` +
      `it.${both ? " Both move together." : ""}`);
  };
}
