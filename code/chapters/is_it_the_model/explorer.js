const LEFT = 30, RIGHT = 270, STEP = 64, MOST = 25; // the width is a multiple of STEP
const TOP = 8, TALL = 200, PARTS = ["embedding", "positions", "attention", "network", "norms", "head"];

const math = {
  // The parameters of each part, in the order of PARTS.
  count({ vocab, positions }, d, layers, tied, biases) {
    const bias = biases ? 1 : 0;
    return [vocab * d, positions * d, layers * (4 * d * d + bias * 4 * d),
      layers * (8 * d * d + bias * 5 * d), (2 * layers + 1) * 2 * d, tied ? 0 : vocab * d];
  },
  sum: (numbers) => numbers.reduce((a, b) => a + b, 0),
  group: (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ","),
};

function start(view) {
  const { data } = view;
  let width = data.width;
  const move = (to) => (width = STEP * Math.min(Math.max(Math.round(to), 1), MOST));
  letDrag(view, "width", { label: "width", range: [STEP, STEP * MOST],
    drag: (x) => move(1 + ((x - LEFT) * (MOST - 1)) / (RIGHT - LEFT)),
    step: (right, up) => move(width / STEP + (right || up)) });

  return () => {
    const layers = view.value("layers"), tied = view.value("tied"), biases = view.value("biases");
    const counts = math.count(data, width, layers, tied, biases), all = math.sum(counts);
    let y = TOP + TALL;
    PARTS.forEach((part, i) => {
      const height = (TALL * counts[i]) / all;
      y -= height;
      view.set(part, { y, height });
      view.write(`${part}-count`, math.group(counts[i]));
    });
    view.write("all", math.group(all));
    view.mean("layers", String(layers));
    const x = LEFT + ((RIGHT - LEFT) * (width / STEP - 1)) / (MOST - 1);
    putHandle(view, "width", [x, TOP + TALL + 32], width, `width ${width}`);
    view.part("width-word").textContent = `d = ${width}`;
    const stack = counts[2] + counts[3] + counts[4], named = Object.entries(data.models)
      .find(([, [d, depth]]) => d === width && depth === layers && biases);
    const say = (number) => `${fixed((100 * number) / all, 0)} %`;
    view.write("readout", (named ? `These are the sizes of ${named[0]}` +
      (tied ? `, with ${math.group(all)} parameters. ` : `, and ${math.group(counts[5])} too many, ` +
        "the output matrix a second time. ") : `${math.group(all)} parameters. `) +
      `${say(counts[0] + counts[5])} of them stand in the matrices of the vocabulary, ` +
      `${say(stack)} in the layers.`);
  };
}
