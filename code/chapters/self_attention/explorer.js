const KEYS = [150, 52], VALUES = [120, 46]; // middle and unit of each plane

const math = {
  // What a query of the plane meets: scores, weights, and the mean of the values.
  attend({ keys, values, hidden, sizes }, query, size, root) {
    const divisor = root ? Math.sqrt(sizes[size]) : 1;
    const scores = keys.map((key, i) =>
      (query[0] * key[0] + query[1] * key[1] + hidden[size][i]) / divisor);
    const weights = math.softmax(scores);
    const output = [0, 1].map((feature) =>
      weights.reduce((sum, weight, i) => sum + weight * values[i][feature], 0));
    return { scores, weights, output };
  },
  softmax(scores) {
    const powers = scores.map((score) => Math.exp(score - Math.max(...scores)));
    const sum = powers.reduce((a, b) => a + b);
    return powers.map((power) => power / sum);
  },
  // Entropy, largest weight, and trace of the Jacobian.
  measure: (weights) => ({
    entropy: weights.reduce((sum, a) => sum - (a > 0 ? a * Math.log(a) : 0), 0),
    largest: Math.max(...weights),
    trace: weights.reduce((sum, a) => sum + a * (1 - a), 0),
  }),
  // A query that is no longer than the plane allows.
  clamp: (query) => query.map((side) => side * Math.min(1, 2.5 / Math.hypot(...query))),
  // Where a key meets the line of the query at a right angle.
  foot([x, y], key) {
    const share = (x * key[0] + y * key[1]) / (x * x + y * y || 1);
    return [share * x, share * y];
  },
  // Where a vector stands in a plane.
  place: ([x, y], [middle, unit]) => [middle + unit * x, middle - unit * y],
};

function start({ data }) {
  const RAY = 2.7, { place } = math;
  let query = [1.5, 0.7];
  // Draws a line between two points of the plane of keys.
  const draw = (...ends) =>
    `M ${ends.map((end) => place(end, KEYS).map(coordinate).join(" ")).join(" L ")}`;

  // A word that the handle would cover makes room for it, upward if there is room.
  function dodge([text, { x, y, width, height }], [left, top]) {
    const room = 17 + 0.4 * height;
    const beside = Math.abs(x + width / 2 - left) > 38 + width / 2;
    const below = y + height / 2 - top;
    if (beside || Math.abs(below) >= room) text.removeAttribute("transform");
    else text.setAttribute("transform", `translate(0 ${(below < 0 && y > 40 ? -room : room) - below})`);
  }

  return (view, moved) => {
    if (moved === null) {
      const [middle, unit] = KEYS;
      letDrag(view, "query", {
        label: "query of bank", range: [-2.5, 2.5],
        drag: (x, y) => (query = math.clamp([(x - middle) / unit, (middle - y) / unit])),
        step: (right, up) =>
          (query = math.clamp([query[0] + right / 10, query[1] + up / 10])),
      });
    }
    const size = view.value("size"), root = view.value("root"), features = data.sizes[size];
    const { scores, weights, output } = math.attend(data, query, size, root);
    const tip = place(query, KEYS), [x, y] = place(output, VALUES);
    const [across, up] = query.map((side) => fixed(side, 1));
    putHandle(view, "query", tip, Math.round(10 * query[0]) / 10,
      `water ${across}, money ${up}`);
    [...view.root.querySelectorAll("svg:first-child > text")]
      .map((text) => [text, text.getBBox()]).forEach((word) => dodge(word, tip));
    view.set("arrow", { x2: tip[0], y2: tip[1] });
    const far = RAY / (Math.hypot(...query) || 1);
    view.set("ray", { d: draw(...[-far, far].map((by) => query.map((side) => by * side))) });
    view.set("feet", { d: data.keys.map((key) => draw(key, math.foot(query, key))).join(" ") });
    weights.forEach((weight, i) => {
      view.set(`key-${i}`, { "stroke-width": 1.5 + 6 * weight });
      view.set(`bar-${i}`, { width: 100 * weight });
      view.set(`dot-${i}`, { r: 3 + 12 * Math.sqrt(weight) });
      view.part(`score-${i}`).textContent = fixed(scores[i], 2);
      view.part(`weight-${i}`).textContent = fixed(weight, 2);
    });
    view.set("mean", { x2: x, y2: y });
    view.set("tip", { cx: x, cy: y });
    for (const [name, number] of Object.entries(math.measure(weights))) {
      view.part(name).textContent = fixed(number, 2);
    }
    view.mean("size", String(features));
    const told = weights.map((weight, i) => [weight, data.words[i]])
      .sort((a, b) => b[0] - a[0]).slice(0, 3).filter(([weight]) => weight >= 0.005)
      .map(([weight, word]) => `${word} ${fixed(100 * weight, 0)} %`);
    view.write("readout", `With the query (${across}, ${up}), bank listens to ` +
      `${told.join(", ")}, and receives (${output.map((side) => fixed(side, 2)).join(", ")}). ` +
      `Scores over ${features} features, ${root
        ? `divided by √${features} = ${fixed(Math.sqrt(features), 1)}` : "not divided"}.`);
  };
}
