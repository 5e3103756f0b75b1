const math = {
  // The score of a text of so many tokens.
  score: (nats, length, penalty) => nats / ((5 + length) / 6) ** penalty,
  // The text of a candidate; pieces of one word are joined.
  text({ steps }, step, place) {
    const pieces = [];
    for (; step >= 0; step--) {
      const [parent, word] = steps[step][place];
      pieces.unshift(word === "end" ? "[end]" : word);
      place = parent;
    }
    return pieces.join(" ").replace(/(^| )##/g, "");
  },
  // What is told after a step: the best texts that have ended, and a sentence.
  look({ searches, right }, number, width, penalty, made) {
    const search = searches[`${number} ${width}`];
    const [steps, ...winner] = search.ends[penalty], step = Math.min(made, steps);
    const ended = search.steps.slice(0, step).flatMap((found, n) =>
      found.flatMap(([, , nats, fate], place) => fate !== "ended" ? [] :
        [[math.text(search, n, place), math.score(nats, n + 1, penalty)]])).sort((a, b) => b[1] - a[1]);
    const done = ended.slice(0, 5).map(([text, score]) => `${fixed(score, 2)} ${text}`);
    const live = search.steps[step - 1].filter(([, , , end]) => end === "goes on"),
      best = math.text(search, ...winner);
    const readout = `Step ${step} of ${steps}: ` + (step < steps
      ? `live ${live.length}, ended so far ${ended.length}.`
      : `no live text can win any more. “${best}” wins, which is ` +
        (best === `${right[number]} [end]` ? "right." : `wrong, it should be “${right[number]}”.`));
    return { step, steps, done, readout };
  },
  // One candidate in words.
  tell(search, penalty, [step, place]) {
    const [, , nats, fate] = search.steps[step][place], [steps] = search.ends[penalty];
    const score = math.score(nats, step + 1, penalty),
      end = fate === "goes on" && step === steps - 1 ? "given up" : fate;
    return `“${math.text(search, step, place)}”: log P ${fixed(nats, 2)}, score ` +
      `${fixed(score, 2)}, ${end}.`;
  },
  rise: (steps) => Math.min(62, 400 / steps),
  // Where each candidate stands, whether it or what grew from it is still there, and the
  // plate that follows it: on its word, or below.
  grow({ ends, steps: made }, penalty, step) {
    const [steps] = ends[penalty];
    const rows = made.slice(0, step).map((found, n) => {
      let right = 44;
      return found.map(([parent, piece, nats, fate], place) => {
        const word = piece.replace("##", ""), ended = fate === "ended";
        const goes = fate === "goes on", named = goes || (!ended && found.length < 5);
        const wide = Math.ceil(6.2 * word.length) + 10;
        const room = ended ? 18 : named ? Math.max(wide + 2, place ? 0 : 48) : 6;
        const x = (right += room) - room / 2, y = 24 + math.rise(steps) * (n + 1);
        const alive = ended || (goes && n === step - 1 && step < steps);
        const at = named ? [x, y] : [Math.min(x, 370 - wide / 2), y + 21];
        return { parent, word, nats, ended, named, x, y, alive, wide, at };
      });
    });
    for (let n = step - 1; n > 0; n--) {
      for (const { alive, parent } of rows[n]) rows[n - 1][parent].alive ||= alive;
    }
    return rows;
  },
  // The tree as paths and words; branches are as wide as their text is probable.
  draw(rows, steps, followed) {
    const paths = { gone: "", live: "", followed: "", drops: "", ends: "" };
    const root = { x: 68, y: 24, nats: 0 }, all = [];
    const write = (x, y, kind, text) =>
      `<text class="${kind}" x="${coordinate(x)}" y="${coordinate(y)}">${text}</text>`;
    const wide = (nats) => Math.max(26 * Math.exp(nats), 1);
    let words = write(68, 28, "live", "begin");
    for (let n = 1; n <= steps; n++) words += write(16, 28 + math.rise(steps) * n, "note", n);
    rows.forEach((row, n) => {
      const used = {};
      all.push(row.map(({ parent, word, x, y, nats, ended, named, alive }) => {
        const above = n ? rows[n - 1][parent] : root, width = wide(nats);
        const edge = used[parent] ?? above.x - wide(above.nats) / 2;
        used[parent] = edge + width;
        const branch = ribbon([above.y + 9, edge + width / 2], [y - 9, x], width);
        paths[alive ? "live" : "gone"] += branch;
        if (named) words += write(x, y + 4, alive ? "live" : "note", word);
        else paths[ended ? "ends" : "drops"] += `M${coordinate(y - 4)} ${coordinate(x)}h0`;
        return branch;
      }));
    });
    for (let [n, place] = followed; n >= 0; place = rows[n--][place].parent) {
      paths.followed += all[n][place];
    }
    return { paths, words };
  },
};

function start(view) {
  const { data } = view, clamp = (x, most) => Math.min(Math.max(Math.round(x), 1), most);
  let step = 5, goal = [4, 1], shown, search, steps, rows;

  const rise = ([n, place]) => (n ? [n - 1, search.steps[n][place][0]] : [n, place]);
  function sink([n, place]) {
    const child = search.steps[n + 1].findIndex(([parent]) => parent === place);
    return child < 0 ? [n, place] : [n + 1, child];
  }
  // What is shown at the rim of the tree goes on with it. Steps back forget nothing.
  function setStep(to) {
    for (to = clamp(to, steps); step < to; step++) {
      if (goal[0] === step - 1) goal = sink(goal);
    }
    step = to;
  }
  const findStep = (y) => (y - 24) / math.rise(steps),
    toStep = (x, y) => setStep(findStep(y));
  // A plate may stand below its row.
  function follow(x, y) {
    const n = clamp(findStep(y) - 0.25, step) - 1;
    const far = rows[n].map((node) => Math.abs(node.x - x));
    goal = [n, far.indexOf(Math.min(...far))];
  }
  function move(right, up) {
    const [n, place] = shown;
    if (right) goal = [n, clamp(place + right + 1, rows[n].length) - 1];
    else if (up > 0) goal = rise(shown);
    else if (n < step - 1) goal = sink(shown);
    else setStep(step + 1);
  }

  const range = [1, 10], tree = view.part("tree");
  letDrag(view, "step", { label: "step", range, drag: toStep,
    step: (right, up) => setStep(step + (right || -up)) });
  letDrag(view, "followed", { label: "text to follow", range, drag: follow, step: move });
  tree.addEventListener("click", (event) => {
    const { x, y } = findPlace(tree, event);
    if (event.target.closest(".explorer-handle")) return;
    (x < 36 ? toStep : follow)(x, y);
    view.draw("followed");
  });

  return (_, moved) => {
    const [number, width, penalty] = ["number", "width", "penalty"].map(view.value);
    search = data.searches[`${number} ${width}`];
    let done, readout;
    ({ step, steps, done, readout } = math.look(data, number, width, penalty, step));
    if (view.control(moved)) goal = search.ends[penalty].slice(1);
    for (shown = goal; shown[0] >= step;) shown = rise(shown);
    rows = math.grow(search, penalty, step);
    const [n, place] = shown, node = rows[n][place], { word, wide, at } = node;
    node.word = "";
    const { paths, words } = math.draw(rows, steps, shown);
    for (const [name, d] of Object.entries(paths)) view.set(`branch-${name}`, { d });
    view.part("words").innerHTML = words;
    view.mean("width", width);
    putHandle(view, "step", [16, 24 + math.rise(steps) * step], step, `${step} of ${steps}`);
    const told = math.tell(search, penalty, shown);
    putHandle(view, "followed", at, place + 1, told);
    for (const [name, rim] of [["room", 20], ["halo", 10], ["grip", 0]]) {
      view.set(name, { x: -(wide + rim) / 2, width: wide + rim });
    }
    view.write("step-word", `${step}`);
    view.write("followed-word", word);
    for (let i = 0; i < 5; i++) view.write(`done-${i}`, done[i] || "");
    view.write("readout", `${readout} You follow ${told}`);
  };
}
