const SIZE = 10; // words of a column; the longest sentence needs them all

const math = {
  // What the drawing shows: its words, its percents, and a row in words.
  look({ rows: stored }, sentence, kind, layer, head, row) {
    const { source, target, maps } = stored[sentence];
    const written = [...target.slice(1), "end"];
    const [rows, columns] = {
      encoder: [source, source],
      decoder: [target, target],
      cross: [written, source],
    }[kind];
    const weights = maps[kind][layer][head];
    row = Math.min(row, rows.length - 1);
    const shares = weights[row]
      .map((weight, i) => [weight, columns[i]])
      .filter(([weight]) => weight > 0)
      .sort((a, b) => b[0] - a[0])
      .map(([weight, word]) => `${weight} % from “${word}”`);
    const start = {
      cross: `To write “${rows[row]}”`,
      encoder: `At “${rows[row]}”`,
      decoder: `At “${rows[row]}”, to write “${written[row]}”`,
    }[kind];
    const readout = `${start}, this head takes ${shares.join(", ")}.`;
    return { rows, columns, weights, row, readout };
  },
  high: (i) => 36 + 32 * i,
  // The ribbons of one word, side by side where they leave it.
  ribbons(weights, row) {
    let edge = math.high(row) - 11;
    return weights[row].map((weight, i) => {
      const wide = 0.22 * weight, middle = (edge += wide) - wide / 2;
      return weight ? ribbon([112, middle], [248, math.high(i)], wide) : "";
    }).join("");
  },
  // All ribbons of a head in small: the strong ones, as lines.
  small: (weights) => weights.flatMap((row, i) => row.map((weight, j) =>
    (weight < 30 ? "" : `M0 ${2 + 4 * i}L36 ${2 + 4 * j}`))).join(""),
};

function start(view) {
  const { data } = view;
  let row = 0, layer = "1", head = "0", picture;

  const choose = (to) => (row = Math.min(Math.max(to, 0), picture.rows.length - 1));
  const point = (x, y) => choose(Math.round((y - 36) / 32));
  const put = (name, text, kind) => {
    view.part(name).textContent = text;
    view.set(name, { class: kind });
  };

  // A word is chosen by dragging the mark, and by pointing at a row or touching it; a
  // head by pressing its small picture.
  function letChoose() {
    const drawing = view.part("drawing");
    letDrag(view, "word", { label: "word that looks", range: [1, SIZE], drag: point,
      step: (right, up) => choose(row + (right || -up)) });
    for (const kind of ["click", "mousemove"]) {
      drawing.addEventListener(kind, (event) => {
        const before = row, { x, y } = findPlace(drawing, event);
        if (event.buttons || x > 180) return;
        point(x, y);
        if (row !== before) view.draw("word");
      });
    }
    for (const button of view.root.querySelectorAll("button")) {
      button.addEventListener("click", () => {
        [, layer, head] = button.dataset.part.split("-");
        view.draw("head");
      });
    }
  }

  return (_, moved) => {
    const [sentence, kind] = ["sentence", "kind"].map(view.value);
    picture = math.look(data, sentence, kind, layer, head, row);
    if (!moved) letChoose();
    const { rows, columns, weights } = picture;
    ({ row } = picture);
    const all = rows.map((name, i) => (i === row ? "" : math.ribbons(weights, i)));
    view.set("others", { d: all.join("") });
    view.set("chosen", { d: math.ribbons(weights, row) });
    for (let i = 0; i < SIZE; i++) {
      const weight = (i in columns && weights[row][i]) || 0;
      put(`query-${i}`, (i !== row && rows[i]) || "", "query end");
      put(`key-${i}`, columns[i] || "", weight ? "key start" : "note start");
      put(`share-${i}`, weight ? `${weight} %` : "", "end");
    }
    for (const button of view.root.querySelectorAll("button")) {
      const [, at, of] = button.dataset.part.split("-");
      const here = `${at}-${of}` === `${layer}-${head}`;
      button.setAttribute("aria-pressed", here);
      view.set(`small-${at}-${of}`, { d: math.small(data.rows[sentence].maps[kind][at][of]) });
    }
    putHandle(view, "word", [72, math.high(row)], row + 1, picture.readout);
    view.part("word-word").textContent = rows[row];
    view.write("readout", picture.readout);
  };
}
