const ENDS = [-0.35, 1.35]; // of the plane that is shown

const math = {
  sum: ([hot, dog], bias, [x, y]) => hot * x + dog * y + bias,
  // Where the unit says more than nothing: the plane, cut along the border.
  speaks(reads, bias) {
    const [low, high] = ENDS, box = [[low, low], [high, low], [high, high], [low, high]];
    const sums = box.map((corner) => math.sum(reads, bias, corner)), found = [];
    box.forEach((corner, i) => {
      const next = (i + 1) % 4, share = sums[i] / (sums[i] - sums[next]);
      if (sums[i] >= 0) found.push(corner);
      if (sums[i] * sums[next] < 0) {
        found.push(corner.map((side, k) => side + share * (box[next][k] - side)));
      }
    });
    return found;
  },
  // What a unit says that speaks for these of the four phrases.
  name(said) {
    const kinds = { "0001": "it says “and”", "0111": "it says “or”", 1000: "it says “neither”",
      1110: "it says “not both”", "0000": "it learns nothing", 1111: "it never bends" };
    return kinds[said.map((number) => (number > 1e-9 ? 1 : 0)).join("")];
  },
  place: ([x, y]) => [90 + 140 * x, 214 - 140 * y],
};

function start({ data }) {
  let x = data.word;
  const round = (number) => Math.min(Math.max(Math.round(20 * number) / 20, 0), 1);
  const go = (...to) => (x = to.map(round));
  const draw = (points) => points.length
    ? `M${points.map((point) => math.place(point).map(coordinate).join(" ")).join("L")}z` : "";

  return (view, moved) => {
    if (moved === null) {
      letDrag(view, "x", { label: "x", range: [0, 1],
        drag: (left, top) => go((left - 90) / 140, (214 - top) / 140),
        step: (right, up) => go(x[0] + right / 20, x[1] + up / 20) });
    }
    const [hot, dog, bias] = ["hot", "dog", "bias"].map((name) => view.value(name) / 10);
    Object.entries({ hot, dog, bias }).forEach(([name, each]) => view.mean(name, fixed(each, 1)));
    view.set("speaks", { d: draw(math.speaks([hot, dog], bias)) });
    const said = [...Object.values(data.phrases), x].map((place, i) => {
      const sum = math.sum([hot, dog], bias, place), bent = Math.max(sum, 0);
      view.write(`sum-${i}`, fixed(sum, 2));
      view.write(`bent-${i}`, fixed(bent, 2));
      view.part(`row-${i}`).classList.toggle("chosen", bent > 1e-9);
      if (i < 4) view.set(`dot-${i}`, { r: 4 + 5 * Math.min(bent, 2) });
      return bent;
    });
    const told = x.map((side) => fixed(side, 2)).join(", ");
    putHandle(view, "x", math.place(x), x[0], `hot ${fixed(x[0], 2)}, dog ${fixed(x[1], 2)}`);
    const kind = math.name(said.slice(0, 4)), names = Object.keys(data.phrases);
    const heard = names.filter((_, i) => said[i] > 1e-9).join(", ");
    view.write("readout", `The unit speaks for ${heard || "none of the four"}` +
      `${kind ? `: ${kind}` : ""}. To x = (${told}) it says ${fixed(said[4], 2)}.`);
  };
}
