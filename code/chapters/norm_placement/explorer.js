const WIDTH = 360, BOTTOM = 320, RISE = 33, LID = 14;
const SHAPES = ["grid", "branch", "stream", "beads", "bars", "range"];

const math = {
  // Writes a number of three digits.
  say(number) {
    const size = Math.abs(number);
    if (size < 1000) return fixed(number, size < 1 ? 3 : size < 10 ? 2 : 1);
    const power = Math.floor(Math.log10(size));
    const raised = [...String(power)].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]).join("");
    return `${fixed(number / 10 ** power, 1)} · 10${raised}`;
  },
  top: (depth) => BOTTOM - RISE * (depth + 1),
  // The depth whose top is the nearest to a height.
  depth: (y, last) =>
    Math.min(Math.max(Math.round((BOTTOM - LID - y) / RISE) - 1, 0), last),
  bead: (depth, layers) => Math.min(7, (0.7 * RISE * (depth + 1)) / layers),
  // The stream, a branch for each layer, and the norms as beads on them.
  wiring(order, left, top, layers) {
    const stream = left + 22, rise = (BOTTOM - top) / layers, x = coordinate(stream);
    const branches = [], beads = [], post = order === "post";
    for (let layer = 0; layer < layers; layer++) {
      const low = BOTTOM - rise * layer, at = coordinate(post ? stream : stream + 11);
      branches.push(`M${x} ${coordinate(low - 0.15 * rise)}h11` +
        `V${coordinate(low - 0.7 * rise)}H${x}`);
      beads.push(`M${at} ${coordinate(low - (post ? 0.9 : 0.42) * rise)}h0`);
    }
    if (order === "pre") beads.push(`M${x} ${coordinate(top - LID / 2)}h0`);
    return {
      branch: branches.join(""),
      beads: order === "none" ? "" : beads.join(""),
      stream: `M${x} ${BOTTOM + 14}V${coordinate(top - LID)}`,
    };
  },
  // A bar for each layer, and the range of three seeds over it.
  bars(lines, [logs, least, most, marks], left, width, top, layers) {
    const rise = (BOTTOM - top) / layers, bars = [], ranges = [];
    const across = (number) =>
      coordinate(left + 42 + width * ((number - least) / (most - least)));
    const scaled = (number) => across(logs ? Math.log10(number) : number);
    const start = across(logs ? least : 0), ticks = marks.map(across);
    lines[0].forEach((mean, i) => {
      const layer = i + 1 + layers - lines[0].length; // the input is layer 0
      const tall = layer ? rise : Math.min(rise, 14);
      const low = layer ? BOTTOM - rise * (layer - 1) : BOTTOM + 4 + tall;
      const [upper, lower] = [0.88, 0.12].map((share) => coordinate(low - share * tall));
      bars.push(`M${start} ${lower}V${upper}H${scaled(mean)}V${lower}Z`);
      ranges.push(`M${scaled(lines[1][i])} ${coordinate(low - tall / 2)}H${scaled(lines[2][i])}`);
    });
    return {
      bars: bars.join(""),
      range: ranges.join(""),
      grid: ticks.map((tick) => `M${tick} ${coordinate(top)}V${BOTTOM + 20}`).join(""),
      ticks,
      middle: coordinate(left + 42 + width / 2),
      note: bars.length ? "" : "no data",
    };
  },
  // What the drawing shows: paths of each stack, and the sentence below.
  draw({ axes, depths, found, measures, orders }, depth, measure, none) {
    const layers = depths[depth], top = math.top(depth), rows = found[measure];
    const axis = (none && axes[`${measure} none`]) || axes[measure];
    const room = WIDTH / (none ? 3 : 2), stacks = {}, told = [];
    Object.entries(orders).forEach(([order, name], i) => {
      if (order === "none" && !none) return;
      const lines = rows[`${order} ${layers}`], left = i * room;
      stacks[order] = {
        ...math.wiring(order, left, top, layers),
        ...math.bars(lines || [[], [], []], axis, left, room - 56, top, layers),
      };
      const ends = lines && [lines[0][0], lines[0].at(-1)].map(math.say).join(" to ");
      told.push(`${name} ${ends || "not measured"}`);
    });
    const from = measure === "gradient" ? "first" : "input";
    const readout = `${layers} layers, ${measures[measure]}, ${from} to last layer: ` +
      `${told.join(", ")}.`;
    return { top, layers, words: axis[4], logs: axis[0], stacks, readout };
  },
};

function start(view) {
  const { data } = view, last = data.depths.length - 1;
  let depth = data.first;

  const grow = (by) => (depth = Math.min(Math.max(depth + by, 0), last));
  letDrag(view, "top", {
    label: "layers", range: [data.depths[0], data.depths[last]],
    drag: (x, y) => (depth = math.depth(y, last)),
    step: (right, up) => grow(right || up),
  });
  for (const [name, by] of [["fewer", -1], ["more", 1]]) {
    view.part(name).addEventListener("click", () => {
      grow(by);
      view.draw("top");
    });
  }

  return () => {
    const measure = view.value("measure"), none = view.value("none");
    const picture = math.draw(data, depth, measure, none), lid = picture.top - LID;
    view.set("none", { display: none ? "inline" : "none" });
    for (const [order, stack] of Object.entries(picture.stacks)) {
      for (const name of SHAPES) {
        view.set(`${order}-${name}`, { d: stack[name] });
      }
      view.set(`${order}-beads`, { "stroke-width": math.bead(depth, picture.layers) });
      for (const name of ["name", "note", "place"]) view.set(`${order}-${name}`, { x: stack.middle });
      view.part(`${order}-note`).textContent = stack.note;
      stack.ticks.forEach((x, i) => {
        view.set(`${order}-tick-${i}`, { x });
        view.part(`${order}-tick-${i}`).textContent = picture.words[i];
      });
    }
    view.set("lid", { d: `M4 ${lid}H${WIDTH - 4}` });
    const words = `${picture.layers} layers`;
    putHandle(view, "top", [317, lid], picture.layers, words);
    view.part("top-word").textContent = words;
    view.part("axis").textContent =
      data.measures[measure] + (picture.logs ? ", logarithmic" : "");
    view.part("fewer").disabled = depth === 0;
    view.part("more").disabled = depth === last;
    view.write("readout", picture.readout);
  };
}
