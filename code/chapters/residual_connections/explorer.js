const FIELD = { origin: [76, 246], unit: 45, low: [-1.4, -0.6], high: [4.6, 5.2] };

const math = {
  add: (a, b) => a.map((side, i) => side + b[i]),
  less: (a, b) => a.map((side, i) => side - b[i]),
  // A stream from the word on: what it is after each sublayer.
  stream: (word, changes) => changes.reduce((all, change) =>
    [...all, math.add(all.at(-1), change)], [word]),
  // What each point adds to the one before; the first is the word itself.
  entries: (all) => all.map((point, i) => i ? math.less(point, all[i - 1]) : point),
  // A point that is moved takes all later ones along, since their changes stay.
  move: (all, i, to) => all.map((point, j) =>
    j < i ? point : math.add(point, math.less(to, all[i]))),
  // How much of a vector lies in the direction of the word.
  along: ([x, y], word) => (x * word[0] + y * word[1]) / (Math.hypot(...word) || 1),
};

function start(view) {
  const { word, changes } = view.data, names = ["x0", "x1", "x2"];
  view.points = math.stream(word, changes);

  return (_, moved) => {
    if (moved === null) letDragPoints(view, names, FIELD, math.move);
    const entries = math.entries(view.points), [first] = view.points;
    const last = view.points.at(-1);
    const along = (vector) => fixed(math.along(vector, first), 2);
    entries.forEach((entry, i) => {
      const from = i ? view.points[i - 1] : [0, 0];
      view.set(`entry-${i}`, { d: points.path([from, view.points[i]], FIELD) });
      view.write(`change-${i}`, points.say(entry));
      view.write(`along-${i}`, along(entry));
    });
    view.set("sum", { d: points.path([[0, 0], last], FIELD) });
    view.write("total", points.say(last));
    view.write("along", along(last));
    putPoints(view, names, FIELD);
    const left = math.along(last, first), erased = Math.abs(left) < 0.05;
    view.write("readout", `The stream ends at ${points.say(last)}. Along the word it holds ` +
      `${along(last)} of ${along(first)}${erased ? ": the word is erased" : ""}. Without skips ` +
      `only what the last sublayer wrote would be handed on, ${points.say(entries.at(-1))}.`);
  };
}
