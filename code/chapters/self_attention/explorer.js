const math = {
  // Weights of scores that are divided first.
  softmax(scores, divisor) {
    const top = Math.max(...scores);
    const powers = scores.map((score) => Math.exp((score - top) / divisor));
    const sum = powers.reduce((a, b) => a + b);
    return powers.map((power) => power / sum);
  },
  // Entropy, largest weight, and trace of the Jacobian.
  measure: (weights) => ({
    entropy: weights.reduce((sum, a) => sum - (a > 0 ? a * Math.log(a) : 0), 0),
    largest: Math.max(...weights),
    trace: weights.reduce((sum, a) => sum + a * (1 - a), 0),
  }),
  // What a step of the divisor's slider means, and which step the root of a size is.
  divisor: (step) => 2 ** (step / 2),
  rootStep: (size) => Math.round(Math.log2(size)),
};

function start({ data }) {
  const FLOOR = 112, TALL = 100, KEYS = data.scores[0][0].length;
  const limits = math.measure(Array(KEYS).fill(1 / KEYS));
  limits.largest = 1;

  return (view, moved) => {
    if (moved === "divisor") view.control("root").checked = false;
    const size = data.sizes[view.value("size")], root = view.value("root");
    if (root) view.control("divisor").value = math.rootStep(size);
    const divisor = math.divisor(view.value("divisor")), shown = fixed(divisor, 1);
    const scores = data.scores[view.value("query")][view.value("size")];
    const weights = math.softmax(scores, divisor), values = math.measure(weights);
    weights.forEach((weight, key) =>
      view.set(`weight-${key}`, { y: FLOOR - TALL * weight, height: TALL * weight }));
    for (const [name, value] of Object.entries(values)) {
      view.set(`bar-${name}`, { width: (100 * value) / limits[name] });
      view.write(name, fixed(value, 2));
    }
    view.mean("size", String(size));
    view.mean("divisor", shown);
    const by = root ? `√${size} = ${shown}` : shown;
    view.write("readout", `${size} features, scores divided by ${by}: the largest weight ` +
      `is ${fixed(values.largest, 2)}, the entropy ${fixed(values.entropy, 2)} nats, and ` +
      `the trace of the derivative ${fixed(values.trace, 2)}.`);
  };
}
