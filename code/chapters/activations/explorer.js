const math = {
  // The share of the bell curve that lies below a number: a series.
  normal(z) {
    if (Math.abs(z) > 8) return z > 0 ? 1 : 0;
    let term = z, sum = z;
    for (let n = 3; n < 250; n += 2) sum += term *= (z * z) / n;
    return 0.5 + sum * math.bell(z);
  },
  bell: (z) => Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI),
  // Each gate, and how steeply it opens.
  gates: {
    relu: (z) => [z > 0 ? 1 : 0, 0],
    gelu: (z) => [math.normal(z), math.bell(z)],
    silu(z) {
      const share = 1 / (1 + Math.exp(-z));
      return [share, share * (1 - share)];
    },
    squared_relu: (z) => [Math.max(z, 0), z > 0 ? 1 : 0],
  },
  // What passes is x times the gate of x, made sharper.
  bend(name, x, sharp) {
    const [gate, steep] = math.gates[name](sharp * x);
    return { gate, value: x * gate, slope: gate + x * sharp * steep };
  },
  // Where a number stands; both axes below have one unit, so that slopes look as they are.
  place: { x: (x) => 190 + 39 * x, gate: (y) => 136 - 80 * y, value: (y) => 284 - 39 * y },
  // A curve as far as there is room for it, on both sides of the corner at zero.
  curve(kind, name, sharp) {
    const most = { gate: 1, value: 3.2 }[kind];
    const right = Array.from({ length: 41 }, (_, i) => Math.max(i / 10, 0.001));
    const points = [...right.map((x) => -x).reverse(), ...right]
      .map((x) => [x, math.bend(name, x, sharp)[kind]]).filter(([, y]) => y <= most);
    return `M${points.map(([x, y]) =>
      [math.place.x(x), math.place[kind](y)].map(coordinate).join(" ")).join("L")}`;
  },
};

function start({ data: { names, sharpness } }) {
  const three = (number) => fixed(number, 3), { place } = math;
  let x = -0.5;
  const go = (to) => (x = Math.min(Math.max(Math.round(10 * to) / 10, -4), 4));

  return (view, moved) => {
    if (moved === null) {
      letDrag(view, "x", { label: "x", range: [-4, 4],
        drag: (across) => go((across - 190) / 39), step: (right, up) => go(x + (right || up) / 10) });
    }
    const chosen = view.value("bend"), sharp = sharpness[view.value("sharp")];
    for (const [name, called] of Object.entries(names)) {
      const here = name === chosen, found = math.bend(name, x, sharp);
      for (const kind of ["gate", "value"]) {
        view.set(`${kind}s-${name}`, { d: math.curve(kind, name, sharp) });
        view.part(`${kind}s-${name}`).classList.toggle("chosen", here);
      }
      for (const kind of ["gate", "value", "slope"]) {
        view.write(`${kind}-of-${name}`, three(found[kind]));
      }
      view.part(`row-${name}`).classList.toggle("chosen", here);
      if (!here) continue;
      const cx = place.x(x), cy = place.value(found.value), opened = place.gate(found.gate);
      const far = 34 / Math.hypot(1, found.slope), rise = far * found.slope;
      view.set("gate-dot", { class: name, cx, cy: Math.max(opened, 44) });
      view.set("dot", { class: name, cx, cy: Math.max(cy, 160) });
      view.set("drop", { d: `M${coordinate(cx)} 26V322` });
      view.set("tangent", { display: cy < 159 ? "none" : "inline",
        d: `M${[cx - far, cy + rise].map(coordinate).join(" ")}L` +
          [cx + far, cy - rise].map(coordinate).join(" ") });
      const meant = found.slope === 0 ? "no gradient comes through"
        : found.slope < 0 ? "a larger x gives less" : "a larger x gives more";
      view.write("readout", `At x = ${fixed(x, 1)} the gate of ${called} is ` +
        `${three(found.gate)}, and ${three(found.value)} passes. The slope is ` +
        `${three(found.slope)}: ${meant}.`);
    }
    putHandle(view, "x", [place.x(x), 15], x, `x = ${fixed(x, 1)}`);
    view.part("x-word").textContent = `x = ${fixed(x, 1)}`;
    view.mean("sharp", String(sharp));
  };
}
