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
  // The nearest position to one that may lie outside of the text.
  clamp: (position, last) => Math.min(Math.max(position, 0), last),
  // Both positions moved alike; the end of the text stops both.
  shift({ query, key }, by, last) {
    const far = Math.min(Math.max(by, -Math.min(query, key)), last - Math.max(query, key));
    return { query: query + far, key: key + far };
  },
  // The nearest places of words that were let go; their offset is rounded by itself.
  settle({ query, key }, last) {
    const near = Math.round(query);
    return math.shift({ query: near, key: near + Math.round(key - query) }, 0, last);
  },
};

function start({ data }) {
  const UNIT = 15, INNER = 14, STEP = 8, TALL = 4, START = 15, SLOT = 16.5, ROW = 66;
  const NAMES = ["query", "key"], rows = { query: ROW - 42, key: ROW + 42 };
  let at = data.at;
  const slot = (position) => START + SLOT * position;
  // A word between two places is told with a decimal.
  const say = (position) => fixed(position, 1).replace(".0", "");

  // The smaller angle from the query's hand to the key's.
  function drawArc(query, key) {
    const [from, to] = [query, key].map(([x, y]) =>
      [x, -y].map((side) => coordinate((INNER * side) / Math.hypot(x, y))).join(" "));
    const clockwise = math.cross(query, key) < 0 ? 1 : 0;
    return `M ${from} A ${INNER} ${INNER} 0 0 ${clockwise} ${to}`;
  }

  // A word glides under the finger, and falls into a place when it is let go.
  function letMove(view) {
    const range = [0, data.last];
    const drop = () => (at = math.settle(at, data.last));
    const move = (name, place) => (at = { ...at, [name]: math.clamp(place, data.last) });
    for (const name of NAMES) {
      const word = view.part(`${name}-word`).textContent;
      letDrag(view, name, {
        label: `${word}, ${name}`, range, drop,
        drag: (x) => move(name, (x - START) / SLOT),
        step: (right, up) => move(name, at[name] + (right || up)),
      });
    }
    letDrag(view, "both", {
      label: "both words", range, drop,
      drag(x) {
        const middle = (at.query + at.key) / 2;
        at = math.shift(at, (x - START) / SLOT - middle, data.last);
      },
      step: (right, up) => (at = math.shift(at, right || up, data.last)),
    });
  }

  return (view, moved) => {
    if (moved === null) letMove(view);
    const offset = at.key - at.query, [query, key] = NAMES.map((name) => slot(at[name]));
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
    for (const name of NAMES) {
      const x = slot(at[name]);
      putHandle(view, name, [x, rows[name]], at[name], `position ${say(at[name])}`);
      view.set(`stem-${name}`, { d: `M ${coordinate(x)} ${rows[name]} V ${ROW}` });
    }
    putHandle(view, "both", [(query + key) / 2, ROW], Math.min(at.query, at.key),
      `positions ${say(at.query)} and ${say(at.key)}, score ${fixed(total, 2)}`);
    view.part("both-word").textContent = (offset > 0 ? "+" : "") + say(offset);
    view.set("span", { d: `M ${coordinate(query)} ${ROW} H ${coordinate(key)}` });
    const x = coordinate(180 + STEP * offset), y = coordinate(75 - TALL * total);
    view.set("dot", { cx: x, cy: y });
    view.set("drop", { d: `M ${x} 75 V ${y}` });
    view.write("offset", say(offset));
    view.write("total", fixed(total, 2));
    const [cat, dog] = NAMES.map((name) => view.part(`${name}-word`).textContent);
    view.write("readout", `The query of ${cat} at ${say(at.query)} and the key of ${dog} at ` +
      `${say(at.key)} have the score ${fixed(total, 2)}. Any two positions with offset ` +
      `${say(offset)} have it.${moved === "both" ? " Both move together." : ""}`);
  };
}
