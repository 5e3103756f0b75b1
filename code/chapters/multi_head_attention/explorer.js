const MIDDLE = [176, 156], UNIT = 52, ROLES = ["query", "key", "value"];
// Where names of lines stand: beyond their ends, or beside an axis for all three.
const NAMES = [
  [[[137, 19, ""], [306, 233, "start"], [251, 34, ""]],
    [[215, 19, ""], [46, 233, "end"], [101, 34, ""]]],
  [[[321, 141, "start"], [321, 159, "start"], [321, 177, "start"]],
    [[128, 17, ""], [176, 17, ""], [222, 17, ""]]],
];

const math = {
  dot: ([a, b], [c, d]) => a * c + b * d,
  // What both heads make of three vectors of which the last asks; a head's lines are
  // the directions along which it reads query, key and value.
  read(lines, places) {
    const heads = lines.map(([q, k, v]) => {
      const query = math.dot(places.at(-1), q);
      const [keys, values] = [k, v].map((line) => places.map((x) => math.dot(x, line)));
      const scores = keys.map((key) => query * key), most = Math.max(...scores);
      const powers = scores.map((score) => Math.exp(score - most));
      const weights = powers.map((power) => power / powers.reduce((a, b) => a + b));
      const output = weights.reduce((sum, weight, j) => sum + weight * values[j], 0);
      return { query, keys, values, scores, weights, output };
    });
    const [a, b] = heads.map((head) => head.output);
    return { heads, mixed: [a + b, a - b] };
  },
  clamp: (x) => x.map((side) => side * Math.min(1, 2.2 / (Math.hypot(...x) || 1))),
  answer: (x) => (Math.abs(x) < 0.2 ? "neither" : x > 0 ? "many" : "one"),
  // How many answers of both heads to all four phrases are right.
  count({ places, numbers, phrases }, lines, lost) {
    const right = phrases.map((words) => math
      .read(lines, [...words.map((word) => places[word]), lost]).heads
      .filter(({ output }, i) => math.answer(output) === numbers[words[i]]).length);
    return right.reduce((a, b) => a + b);
  },
  tell({ heads }, words, right) {
    const [first, second] = heads.map(({ weights, output }) => {
      const most = Math.max(...weights);
      return `at ${words[weights.indexOf(most)]} with ${fixed(100 * most, 0)} % ` +
        `and says ${math.answer(output)}`;
    });
    return `Head 1 looks ${first}, head 2 ${second}. In the four phrases ${right} of 8 ` +
      "answers are right.";
  },
};

function start({ data }) {
  const END = 2.55;
  let lost = [0.3, 1.8];
  const place = ([x, y]) => [MIDDLE[0] + UNIT * x, MIDDLE[1] - UNIT * y];
  const draw = (...points) =>
    `M${points.map((end) => place(end).map(coordinate).join(" ")).join(" L")}`;
  const stretch = (line, by) => line.map((side) => by * side);
  const axis = ([x, y]) => {
    const tip = [END * x, END * y], back = END - 0.14;
    const [left, right] = [0.09, -0.09].map((s) => [back * x - s * y, back * y + s * x]);
    return draw([-END * x, -END * y], tip) + draw(left, tip, right);
  };
  // A word that the handle would cover makes room for it.
  function dodge([x, y], [left, top]) {
    const beside = Math.abs(x - left) > 28 + 48, below = y - top;
    if (beside || Math.abs(below) >= 20) return 0;
    return (below < 0 ? -20 : 20) - below;
  }

  return (view, moved) => {
    if (moved === null) {
      [0, 1].forEach((head) => letDrag(view, `lost-${head}`, {
        label: `lost, in head ${head + 1}`, range: [-2.2, 2.2],
        drag: (x, y) =>
          (lost = math.clamp([(x - MIDDLE[0]) / UNIT, (MIDDLE[1] - y) / UNIT])),
        step: (right, up) =>
          (lost = math.clamp([lost[0] + right / 10, lost[1] + up / 10])),
      }));
    }
    const cut = Number(view.value("cut")), lines = data.lines[cut];
    const words = view.value("phrase").split(" ");
    const places = [...words.map((word) => data.places[word]), lost];
    const found = math.read(lines, places), at = place(lost);
    const told = lost.map((side) => fixed(side, 1));

    found.heads.forEach((part, i) => {
      const [query, key, value] = lines[i], foot = stretch(query, part.query);
      ROLES.forEach((role, r) => {
        const [x, y, side] = NAMES[cut][i][r];
        view.set(`line-${role}-${i}`, { d: axis(lines[i][r]) });
        view.set(`name-${role}-${i}`, { class: `${role} ${side}`.trim(), x, y });
        view.write(`${role}-${i}`, fixed([part.query, part.keys[2], part.values[2]][r], 2));
      });
      places.forEach((vector, j) => {
        const weight = part.weights[j];
        const ends = { key: stretch(key, part.keys[j]), value: stretch(value, part.values[j]) };
        for (const [role, end] of Object.entries(ends)) {
          const [cx, cy] = place(end), glow = role === "value" ? { opacity: weight } : {};
          view.set(`foot-${role}-${i}-${j}`, { d: draw(vector, end), ...glow });
          view.set(`dot-${role}-${i}-${j}`, { cx, cy, ...glow });
        }
        view.set(`bar-${i}-${j}`, { width: 100 * weight });
        const row = { key: part.keys, score: part.scores, weight: part.weights, value: part.values };
        for (const [name, numbers] of Object.entries(row)) {
          view.part(`${name}-${i}-${j}`).textContent = fixed(numbers[j], 2);
        }
      });
      view.set(`foot-query-${i}`, { d: draw(lost, foot) });
      view.set(`reach-${i}`, { d: draw([0, 0], foot) });
      const [cx, cy] = place(stretch(value, part.output));
      view.set(`tip-${i}`, { cx, cy });
      words.forEach((word, j) => {
        const [x, y] = place(places[j]), [side, by] = x > MIDDLE[0] ? ["start", 9] : ["end", -9];
        view.set(`dot-${i}-${j}`, { cx: x, cy: y });
        view.set(`word-${i}-${j}`, { class: `word ${side}`, x: x + by, y: y + 4 + dodge([x + 2 * by, y], at) });
        for (const name of ["word", "row"]) view.part(`${name}-${i}-${j}`).textContent = word;
      });
      view.write(`output-${i}`, fixed(part.output, 2));
      putHandle(view, `lost-${i}`, at, Math.round(10 * lost[0]) / 10,
        `feature 1 ${told[0]}, feature 2 ${told[1]}`);
    });
    view.write("mixed", `(${found.mixed.map((side) => fixed(side, 2)).join(", ")})`);
    view.write("readout", math.tell(found, [...words, "lost"], math.count(data, lines, lost)));
  };
}
