const MIDDLE = [180, 150], UNIT = 52, FAR = 2.2;

const math = {
  // What a row makes of the columns: scores, probabilities, their mean, loss and push.
  push(columns, row, came) {
    const scores = columns.map(([a, b]) => row[0] * a + row[1] * b);
    const powers = scores.map((score) => Math.exp(score - Math.max(...scores)));
    const chances = powers.map((power) => power / powers.reduce((a, b) => a + b));
    const mean = [0, 1].map((side) =>
      chances.reduce((sum, chance, j) => sum + chance * columns[j][side], 0));
    const push = columns[came].map((side, i) => side - mean[i]);
    return { scores, chances, mean, push, loss: -Math.log(chances[came]) };
  },
  clamp: (row) => row.map((side) => Math.min(Math.max(side, -FAR), FAR)),
  place: ([x, y]) => [MIDDLE[0] + UNIT * x, MIDDLE[1] - UNIT * y],
};

function start(view) {
  const words = Object.keys(view.data.columns), columns = Object.values(view.data.columns);
  let row = [0, 0];
  const came = () => words.indexOf(view.value("next"));
  const add = (right, up) => (row = math.clamp([row[0] + right, row[1] + up]));
  const two = (pair, places = 2) => `(${pair.map((side) => fixed(side, places)).join(", ")})`;
  letDrag(view, "cat", {
    label: "row of cat", range: [-FAR, FAR],
    drag: (x, y) => (row = math.clamp([(x - MIDDLE[0]) / UNIT, (MIDDLE[1] - y) / UNIT])),
    step: (right, up) => add(right / 10, up / 10),
  });
  view.part("give").addEventListener("click", () => {
    add(...math.push(columns, row, came()).push);
    view.draw("cat");
  });
  const arrow = (from, to) => `M${[from, to].map((end) => math.place(end).map(coordinate).join(" ")).join("L")}`;

  return () => {
    const now = came(), { scores, chances, mean, push, loss } = math.push(columns, row, now);
    const [cx, cy] = math.place(mean);
    view.set("mean", { cx, cy });
    view.set("pull", { d: arrow(mean, columns[now]) });
    view.set("push", { d: arrow(row, row.map((side, i) => side + push[i])) });
    words.forEach((word, j) => {
      view.write(`score-${j}`, fixed(scores[j], 2));
      view.write(`chance-${j}`, fixed(chances[j], 2));
      view.set(`bar-${j}`, { width: 100 * chances[j] });
    });
    putHandle(view, "cat", math.place(row), Math.round(10 * row[0]) / 10, two(row, 1));
    view.write("readout", `The row of cat is ${two(row)}, and ${words[now]} comes. The push is ` +
      `${two(columns[now], 0)} − ${two(mean)} = ${two(push)}, the loss ${fixed(loss, 2)}.`);
  };
}
