const PLANE = [150, 46], MOST = 3; // middle and unit, and how far a feature goes

const math = {
  mean: (x) => (x[0] + x[1]) / 2,
  size: (x) => Math.hypot(...x) / Math.SQRT2,
  // RMSNorm divides by the root mean square; of a zero vector it leaves zeros.
  rms: (x) => x.map((each) => each / (math.size(x) || 1)),
  center: (x) => x.map((each) => each - math.mean(x)),
  layer: (x) => math.rms(math.center(x)),
  clamp: (number, least, most) => Math.min(Math.max(number, least), most),
  // The same number added to both, until one of them meets an end.
  shift(x, mean) {
    const by = math.clamp(mean - math.mean(x), -MOST - Math.min(...x), MOST - Math.max(...x));
    return x.map((each) => each + by);
  },
  // Both multiplied alike, until one of them meets an end.
  stretch(x, size) {
    const most = MOST / Math.max(...x.map(Math.abs));
    return x.map((each) => each * Math.min(size / math.size(x), most));
  },
  place: ([x, y]) => [PLANE[0] + PLANE[1] * x, PLANE[0] - PLANE[1] * y],
};

function start({ data }) {
  const round = (number) => Math.round(10 * number) / 10;
  let x = data.vector;
  const go = (to) => {
    const [a, b] = to.map((each) => math.clamp(round(each), -MOST, MOST));
    x = a === b ? x : [a, b]; // of equal features a layer norm leaves nothing
  };
  const draw = (...points) =>
    `M${points.map((point) => math.place(point).map(coordinate).join(" ")).join("L")}`;
  const say = (vector, places) => `(${vector.map((each) => fixed(each, places)).join(", ")})`;
  const square = (vector) => `${draw(vector)}m-6 -6h12v12h-12z`;
  const told = { size: "The size has changed, and neither norm sees it.",
    mean: "The mean has changed: RMSNorm sees it, LayerNorm does not." };

  return (view, moved) => {
    if (moved === null) {
      letDrag(view, "x", { label: "x", range: [-MOST, MOST],
        drag: (across, y) => go([(across - PLANE[0]) / PLANE[1], (PLANE[0] - y) / PLANE[1]]),
        step: (right, up) => go([x[0] + right / 10, x[1] + up / 10]) });
    }
    if (moved === "mean") x = math.shift(x, view.value("mean") / 10);
    if (moved === "size") x = math.stretch(x, view.value("size") / 10);
    const found = { size: math.size(x), mean: math.mean(x) };
    for (const [name, number] of Object.entries(found)) {
      if (moved) view.control(name).value = Math.round(10 * number);
      view.mean(name, fixed(number, 2));
    }
    const results = { "as-it-is": x, rms: math.rms(x), centered: math.center(x),
      layer: math.layer(x) };
    for (const [name, vector] of Object.entries(results)) {
      vector.forEach((each, i) => view.write(`${name}-${i}`, fixed(each, 2)));
    }
    const { rms, centered, layer } = results;
    view.set("arrow", { d: draw([0, 0], x) });
    view.set("ray", { d: draw(x, rms) });
    view.set("center", { d: draw(x, centered, layer) });
    view.set("rms", { d: square(rms) });
    view.set("layer", { d: square(layer) });
    putHandle(view, "x", math.place(x), round(x[0]), `${say(x, 1)}`);
    view.write("readout", `Of x = ${say(x, 1)} RMSNorm makes ${say(rms, 2)}, LayerNorm ` +
      `${say(layer, 2)}. ${told[moved] ?? ""}`);
  };
}
