const FIELD = { origin: [150, 150], unit: 80, low: [-1.6, -1.6], high: [1.6, 1.6] };

const math = {
  dot: (a, b) => a[0] * b[0] + a[1] * b[1],
  add: (all) => all.reduce((a, b) => a.map((side, i) => side + b[i]), [0, 0]),
  times: (number, vector) => vector.map((side) => number * side),
  // The rows of the state: each feature of each key, times the value of its word.
  state: (keys, values) => [0, 1].map((row) =>
    math.add(keys.map((key, i) => math.times(key[row], values[i])))),
  read: (state, query) => math.add(state.map((row, i) => math.times(query[i], row))),
  // What a word's own key finds of its value, and of the values of others.
  parts(keys, values, word) {
    const found = keys.map((key, i) => math.times(math.dot(keys[word], key), values[i]));
    return { own: found[word], others: math.add(found.filter((_, i) => i !== word)) };
  },
};

function start(view) {
  const { keys, values } = view.data, names = keys.map((_, i) => `key ${i + 1}`);
  view.points = keys;

  return (_, moved) => {
    if (moved === null) letDragPoints(view, names, FIELD);
    const state = math.state(view.points, values), clean = [];
    view.points.forEach((key, i) => {
      const { own, others } = math.parts(view.points, values, i);
      view.set(`arrow-${i}`, { d: points.path([[0, 0], key], FIELD) });
      view.write(`own-${i}`, points.say(own));
      view.write(`others-${i}`, points.say(others));
      view.write(`read-${i}`, points.say(math.read(state, key)));
      if (view.points.every((other, j) => i === j || Math.abs(math.dot(key, other)) < 0.05)) {
        clean.push(i + 1);
      }
    });
    putPoints(view, names, FIELD);
    const told = clean.length === 0 ? "Every word reads others along with its own."
      : `No other key disturbs word ${clean.join(" or word ")}.`;
    const rows = state.map((row) => points.say(row)).join(" and ");
    view.write("readout", `The state has the rows ${rows}. Word 1 reads ` +
      `${points.say(math.read(state, view.points[0]))}, and has written ` +
      `${points.say(values[0])}. ${told}`);
  };
}
