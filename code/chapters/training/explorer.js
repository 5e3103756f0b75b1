const math = {
  // What the grid shows: its words, its percents, and a row in words.
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
};

function start(view) {
  const SIZE = 10;
  const put = (name, text, shown) => {
    const part = view.part(name);
    if (part.textContent !== text) part.textContent = text;
    if (part.hidden === shown) part.hidden = !shown;
    return part;
  };

  // A row is chosen by pointing at it, or touching it, too.
  for (const kind of ["mouseover", "click"]) {
    view.root.addEventListener(kind, ({ target }) => {
      const line = target.closest("tr[data-part]"), slider = view.control("row");
      const row = line && line.dataset.part.split("-")[1];
      if (!line || row === slider.value) return;
      slider.value = row;
      slider.dispatchEvent(new Event("input", { bubbles: true }));
    });
  }

  return () => {
    const [sentence, kind, layer, head] =
      ["sentence", "kind", "layer", "head"].map(view.value);
    const picture = math.look(view.data, sentence, kind, layer, head, view.value("row"));
    const { rows, columns, weights } = picture;
    view.control("row").max = rows.length - 1;
    view.mean("row", rows[picture.row]);
    for (let i = 0; i < SIZE; i++) {
      put(`column-${i}`, columns[i] || "", i < columns.length);
      put(`name-${i}`, rows[i] || "", true);
      const line = view.part(`line-${i}`);
      if (line.hidden === i < rows.length) line.hidden = i >= rows.length;
      line.className = i === picture.row ? "chosen" : "";
      for (let j = 0; j < SIZE; j++) {
        const weight = (weights[i] || [])[j];
        const shown = weight === undefined ? "" : String(weight);
        put(`cell-${i}-${j}`, shown, j < columns.length)
          .style.setProperty("--w", weight || 0);
      }
    }
    view.write("readout", picture.readout);
  };
}
