const LEFT = 104, SLOT = 80, ROW = 46, TOP = 30; // of the tracks

const math = {
  stop: (i) => LEFT + SLOT * i,
  near: (x, count) => Math.min(Math.max(Math.round((x - LEFT) / SLOT), 0), count - 1),
  differ: (a, b) => a.flatMap((option, i) => (option === b[i] ? [] : [i])),
  // What a layer keeps in a file: for norms, attention and network how many tensors, and
  // how many numbers in them.
  file([, kind, , network, biases, heads], { d, inner, gated, shared }) {
    const keys = heads ? shared : d, bias = biases === 1, both = biases < 2;
    const units = network === 2 ? gated : inner, up = network === 2 ? 2 : 1;
    return [
      kind ? [2, 2 * d] : [4, 4 * d],
      [bias ? 8 : 4, 2 * d * d + 2 * d * keys + (bias ? 2 * d + 2 * keys : 0)],
      [(up + 1) * (both ? 2 : 1), (up + 1) * d * units + (both ? up * units + d : 0)],
    ];
  },
  sum: (parts, i) => parts.reduce((sum, part) => sum + part[i], 0),
};

function start({ data }) {
  const { rows, models } = data, names = Object.keys(models), options = rows.map(([, all]) => all);
  let now = models[names[0]], before = null, turned = null;
  const group = (number) => number.toLocaleString("en-US");
  // What a turn brings that does not stand in the layer.
  const outside = ([place, , position]) => turned === 0 && place ? " Behind all layers comes a norm."
    : turned === 2 && [1, 2].includes(position) ? " What is learned of positions stands elsewhere." : "";
  const turn = (row, to) => {
    const next = now.with(row, Math.min(Math.max(to, 0), options[row].length - 1));
    if (next[row] !== now[row]) [before, now, turned] = [now, next, row];
  };

  function letTurn(view) {
    rows.forEach(([name, all], row) => letDrag(view, `turn-${row}`, {
      label: name, range: [0, all.length - 1],
      drag: (x) => turn(row, math.near(x, all.length)),
      step: (right, up) => turn(row, now[row] + (right || up)) }));
  }

  return (view, moved) => {
    if (moved === null) letTurn(view);
    const place = (row) => [math.stop(now[row]), TOP + ROW * row];
    rows.forEach(([, all], row) =>
      putHandle(view, `turn-${row}`, place(row), now[row], all[now[row]]));
    const far = names.map((name) => math.differ(now, models[name]));
    names.forEach((name, i) => {
      view.part(`far-${i}`).textContent = far[i].length;
      view.part(`model-${i}`).classList.toggle("chosen", far[i].length === 0);
    });
    const file = math.file(now, data.sizes);
    view.part("tensors").textContent = math.sum(file, 0);
    view.part("numbers").textContent = group(math.sum(file, 1));
    const least = Math.min(...far.map((each) => each.length));
    const near = names.filter((_, i) => far[i].length === least).join(", ");
    const words = far.find((each) => each.length === least).map((row) => rows[row][0]).join(", ");
    const same = before && JSON.stringify(math.file(before, data.sizes)) === JSON.stringify(file);
    view.write("readout", (least ? `Nearest: ${near}` + (near.includes(",") ? `, ${least} choices away. `
      : `, but for: ${words}. `) : `These are the six choices of ${near}. `) + (before === null ? "" : same
      ? `The last turn (${rows[turned][0]}) changed no name and no shape in the ` +
        `layer: its tensors load as before.${outside(now)}`
      : `The last turn (${rows[turned][0]}) changed names or shapes: strict loading stops.`));
  };
}
