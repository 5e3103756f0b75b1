const math = {
  // Writes a number of three digits.
  say(number) {
    const size = Math.abs(number);
    if (size < 1000) return fixed(number, size < 1 ? 3 : size < 10 ? 2 : 1);
    const power = Math.floor(Math.log10(size));
    const raised = [...String(power)].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]).join("");
    return `${fixed(number / 10 ** power, 1)} · 10${raised}`;
  },
  // Places a number, or the logarithm of one, on the axis.
  height: (number, [, low, high], [, , top, bottom]) =>
    bottom - ((bottom - top) * (number - low)) / (high - low),
  // What the drawing shows: paths, ticks, and the sentence below.
  draw(data, depth, measure, none) {
    const { axes, place, orders } = data, [left, right] = place;
    const layers = data.depths[depth], found = data.found[measure];
    const axis = (none && axes[`${measure} none`]) || axes[measure];
    const gradient = measure === "gradient", first = gradient ? 1 : 0;
    const points = (numbers) => numbers.map((number, i) =>
      coordinate(left + ((right - left) * (first + i)) / layers) + " " +
      coordinate(math.height(axis[0] ? Math.log10(number) : number, axis, place)));
    const picture = {
      ticks: axis[3].map((tick) => coordinate(math.height(tick, axis, place))),
      words: axis[4],
      layers: [0, layers / 2, layers],
    };
    const told = [];
    for (const [order, name] of Object.entries(orders)) {
      const shown = order !== "none" || none;
      const numbers = shown && found[`${order} ${layers}`];
      const [mean, least, most] = (numbers || []).map(points);
      picture[order] = numbers ? `M${mean.join(" L")}` : "";
      picture[`${order} band`] = numbers
        ? `M${[...least, ...most.reverse()].join(" L")} Z` : "";
      const ends = numbers && [numbers[0][0], numbers[0].at(-1)].map(math.say).join(" to ");
      if (shown) told.push(`${name} ${ends || "not measured"}`);
    }
    picture.readout = `${layers} layers, ${data.measures[measure]}, ` +
      `${gradient ? "first" : "input"} to last layer: ${told.join(", ")}.`;
    return picture;
  },
};

function start({ data }) {
  return (view) => {
    const depth = view.value("depth");
    const picture = math.draw(data, depth, view.value("measure"), view.value("none"));
    view.mean("depth", String(data.depths[depth]));
    for (const order of Object.keys(data.orders)) {
      view.set(order, { d: picture[order] });
      view.set(`${order}-band`, { d: picture[`${order} band`] });
    }
    picture.ticks.forEach((tick, i) => {
      view.set(`tick-${i}`, { transform: `translate(0 ${tick})` });
      view.part(`word-${i}`).textContent = picture.words[i];
    });
    picture.layers.forEach((layer, i) =>
      (view.part(`layer-${i}`).textContent = fixed(layer, 0)));
    view.write("readout", picture.readout);
  };
}
