const math = {
  // The guesses in words.
  unpack: ({ words, rows }) => rows.map(([guesses, percents]) =>
    ({ words: guesses.map((row) => row.map((i) => words[i])), percents })),
  // What comes first after the last layer, and since which layer it does.
  answer({ words }) {
    const answer = words.at(-1)[0];
    let since = words.length;
    while (since > 1 && words[since - 2][0] === answer) since--;
    return [answer, since];
  },
  say: (percent) => `${fixed(percent, 1)}\u00a0%`,
  // What the drawing shows: words and percents, and the sentence below.
  look(rows, text, layer) {
    const row = rows[text], [answer, since] = math.answer(row);
    const words = row.words[layer - 1], percents = row.percents[layer - 1];
    const mark = (word) => (word === answer ? "answer" : ""), place = words.indexOf(answer);
    const first = `After layer ${layer}, “${words[0]}” comes first with ${math.say(percents[0])}.`;
    return {
      ends: rows.map((each) => each.words[layer - 1][0]),
      ladder: row.words.map(([word]) => [word, mark(word)]),
      guesses: words.map((word, i) => [word, percents[i], mark(word)]),
      readout: layer === since && since > 1 ? `${first} One layer below it does not.` :
        layer >= since ? `${first} It leads from layer ${since} on.` :
        `${first} “${answer}”, which leads from layer ${since} on, ` +
        `${place < 0 ? "is not among these 10" : `has place ${place + 1}`}.`,
    };
  },
  high: (layer, layers) => 36 + 13 * (layers - layer),
  layer: (y, layers) =>
    Math.min(Math.max(layers - Math.round((y - 36) / 13), 1), layers),
};

function start(view) {
  const rows = math.unpack(view.data), layers = rows[0].words.length;
  const drawing = view.part("drawing"), list = view.control("text");
  let layer = layers;

  const point = (x, y) => (layer = math.layer(y, layers));
  letDrag(view, "layer", { label: "layer", range: [1, layers], drag: point,
    step: (right, up) => (layer = Math.min(Math.max(layer + (right || up), 1), layers)) });
  // A press takes the layer or the text under it.
  drawing.addEventListener("click", (event) => {
    if (view.part("layer").contains(event.target)) return;
    const { x, y } = findPlace(drawing, event);
    point(x, y);
    view.draw("layer");
  });
  rows.forEach((_, i) => view.part(`text-${i}`).addEventListener("click", () => {
    list.value = i;
    view.draw("text");
  }));

  return () => {
    const text = Number(list.value), picture = math.look(rows, text, layer);
    picture.ends.forEach((end, i) => {
      view.write(`end-${i}`, end);
      view.part(`text-${i}`).classList.toggle("chosen", i === text);
    });
    [...view.part("ladder").children].forEach((place, i) => {
      const [word, kind] = picture.ladder[i];
      if (place.textContent !== word) place.textContent = word;
      place.setAttribute("class", `${kind}${i + 1 === layer ? " here" : ""}`.trim());
    });
    picture.guesses.forEach(([word, percent, kind], i) => {
      view.part(`word-${i}`).textContent = word;
      view.part(`share-${i}`).textContent = math.say(percent);
      view.part(`bar-${i}`).setAttribute("width", fixed(percent, 1));
      view.set(`row-${i}`, { class: kind });
    });
    const [first, percent] = picture.guesses[0];
    putHandle(view, "layer", [44, math.high(layer, layers)], layer,
      `layer ${layer}: ${first}, ${math.say(percent)}`);
    view.part("layer-word").textContent = layer;
    view.write("readout", picture.readout);
  };
}
