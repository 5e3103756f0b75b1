const math = {
  // The score of a text of so many tokens.
  score: (nats, length, penalty) => nats / ((5 + length) / 6) ** penalty,
  // The text of a candidate; pieces of one word are joined.
  text({ steps }, step, place) {
    const words = [];
    for (; step >= 0; step--) {
      const [parent, word] = steps[step][place];
      words.unshift(word === "end" ? "[end]" : word);
      place = parent;
    }
    return words.join(" ").replace(/(^| )##/g, "");
  },
  // What the tables show after a step.
  look({ searches, right }, number, width, penalty, made) {
    const search = searches[`${number} ${width}`];
    const [steps, ...winner] = search.ends[penalty], step = Math.min(made, steps);
    const told = search.steps.slice(0, step).map((found, n) =>
      found.map(([, , nats, fate], place) => ({
        text: math.text(search, n, place),
        nats,
        score: math.score(nats, n + 1, Number(penalty)),
        fate: fate === "goes on" && n === steps - 1 ? "given up" : fate,
      })));
    const ended = told.flat().filter(({ fate }) => fate === "ended")
      .sort((a, b) => b.score - a.score);
    const rows = told.at(-1).map(({ text, nats, score, fate }) =>
      [text, fixed(nats, 2), fixed(score, 2), fate]);
    const done = ended.slice(0, 5).map(({ text, score }) => [text, fixed(score, 2)]);
    let readout = `Step ${step} of ${steps}: `;
    if (step < steps) {
      const live = rows.filter((row) => row[3] === "goes on").length;
      readout += `live ${live}, ended so far ${ended.length}.`;
    } else {
      const best = math.text(search, ...winner), wanted = right[number];
      readout += `no live text can win any more. “${best}” wins, which is ` +
        (best === `${wanted} [end]` ? "right." : `wrong, it should be “${wanted}”.`);
    }
    return { step, steps, rows, done, readout };
  },
};

function start(view) {
  const slider = view.control("step");

  function go(by) {
    slider.value = Number(slider.value) + by;
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  }

  function fill(name, rows) {
    for (let i = 0, line; (line = view.part(`${name}-${i}`)); i++) {
      const row = rows[i] || [], look = { "goes on": "live", ended: "ended" }[row.at(-1)];
      if (line.hidden !== i >= rows.length) line.hidden = i >= rows.length;
      line.className = look || "";
      [...line.cells].forEach((cell, j) => (cell.textContent = row[j] || ""));
    }
  }

  view.part("back").addEventListener("click", () => go(-1));
  view.part("forward").addEventListener("click", () => go(1));

  return () => {
    const state = ["number", "width", "penalty", "step"].map(view.value);
    const picture = math.look(view.data, ...state), { step, steps } = picture;
    slider.max = steps;
    view.mean("step", `${step} of ${steps}`);
    view.mean("width", String(state[1]));
    view.part("back").disabled = step === 1;
    view.part("forward").disabled = step === steps;
    fill("row", picture.rows);
    fill("done", picture.done);
    view.write("readout", picture.readout);
  };
}
