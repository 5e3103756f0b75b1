const WIDE = 42, HIGH = 19, TOPS = [44, 261], MOST = 7;

const math = {
  // A step: a number for each label. Its lines are a name, two numbers, and what they
  // make; these are added up, and `end` makes the number of the sum.
  step(labels, lines, end = (sum) => sum, then = () => "") {
    const made = labels.map((label, k) => {
      const parts = lines(label, k), sum = parts.reduce((all, part) => all + part[3], 0);
      return { parts, sum, number: end(sum, k), then: then(sum, k) };
    });
    return { labels, made, numbers: made.map(({ number }) => number) };
  },
  times: (labels, names, a, b, by = () => 1) => math.step(labels,
    (_, k) => names.map((name, i) => [name, a[i], b(i, k), a[i] * b(i, k)]),
    (sum, k) => sum / by(k), (_, k) => (by(k) === 1 ? "" : `divided by ${by(k)}`)),
  softmax(labels, scores) {
    const most = Math.max(...scores), power = (k) => Math.exp(scores[k] - most);
    return math.step(labels, () => labels.map((name, j) => [name, scores[j], most, power(j)]),
      (sum, k) => power(k) / sum, (sum, k) => `${fixed(power(k), 3)} / ${fixed(sum, 3)}`);
  },
  norm: (features, x, added) => math.step(features,
    () => features.map((name, i) => [name, x[i], added[i], (x[i] + added[i]) ** 2]),
    (sum, k) => (x[k] + added[k]) / Math.sqrt(sum / 9),
    (sum, k) => `${fixed(x[k] + added[k], 3)} / √(${fixed(sum, 3)} / 9)`),
  plus: (name, a, b) => [[name, a, b, a + b]],
  embed({ features, words }, word, place) {
    const angle = (place * Math.PI) / 4;
    const hand = { east: Math.cos(angle), north: Math.sin(angle) };
    return math.step(features, (name, k) => math.plus(word, words[word][k], hand[name] ?? 0));
  },
  // All steps of one row, which looks at the rows of `others` and knows the words of a
  // language. A row that writes has a norm before its look, and logits at the end.
  follow({ features, words, threshold }, word, labels, others, wish, hears, known, writes) {
    const vectors = known.map((name) => words[name]), steps = { word };
    const by = (x, matrix) => math.times(features, features, x, (i, k) => matrix[i][k]);
    const values = others.map((row) => by(row, hears).numbers);
    const entry = (i, j) => vectors[j][i], ones = (j) => vectors[j].filter(Boolean).length;
    const add = (name, step) => (steps[name] = step).numbers;
    const x = writes ? add("norm", math.norm(features, word.numbers, features.map(() => 0)))
      : word.numbers;
    const query = add("query", by(x, wish));
    const scores = add("score", math.times(labels, features, query, (i, j) => others[j][i], () => 3));
    const weights = add("weight", math.softmax(labels, scores));
    const answer = add("answer", math.times(features, labels, weights, (j, k) => values[j][k]));
    const sum = add("sum", math.norm(features, x, answer));
    const shares = add("share", math.times(known, features, sum, entry, ones));
    const excess = add("excess", math.step(known, (name, j) => math.plus(name, shares[j], -threshold),
      (over) => Math.max(over, 0), () => "relu"));
    const units = add("units", math.times(features, known, excess, (j, k) => vectors[j][k]));
    const last = add("last", math.norm(features, sum, units));
    if (writes) add("probability", math.softmax(known, add("logit", math.times(known, features, last, entry))));
    return steps;
  },
  // The rows of a sentence: those that are read, and those that write, one for each word.
  run(data, sentence) {
    const read = [...sentence.split(" "), "<end>"], said = ["<start>"], { french } = data;
    const words = read.map((word, place) => math.embed(data, word, place));
    const x = words.map(({ numbers }) => numbers);
    const rows = words.map((word) =>
      math.follow(data, word, read, x, data.look, data.gender, data.english, false));
    const memory = rows.map(({ last }) => last.numbers);
    while (said.at(-1) !== "<end>") {
      const word = math.embed(data, said.at(-1), said.length - 1);
      const row = math.follow(data, word, read, memory, data.ask, data.tell, french, true);
      const { numbers } = row.logit;
      rows.push(row);
      said.push(french[numbers.indexOf(Math.max(...numbers))]);
    }
    return { read, said, rows };
  },
};

function start(view) {
  const { data } = view, svg = view.part("drawing"), slider = view.control("row");
  let at = ["score", 1], sentence, run, steps;
  const put = (name, text) => { view.part(name).textContent = text; };
  const names = () => Object.keys(data.steps).filter((name) => steps[name]);
  const clamp = (k, { length }) => Math.min(Math.max(k, 0), length - 1);
  const row = (k, name) => clamp(k, steps[name].labels);
  const corner = (name, k) => [data.steps[name][0] - 40, TOPS[data.steps[name][1]] + HIGH * k];
  // The number at a place of the drawing, or the nearest one.
  const find = (x, y) => {
    const far = ([name, k]) => {
      const [left, top] = corner(name, k);
      return Math.hypot(x - left - WIDE / 2, 2 * (y - top - HIGH / 2));
    };
    const all = names().flatMap((name) => steps[name].labels.map((_, k) => [name, k]));
    at = all.reduce((best, cell) => (far(cell) < far(best) ? cell : best));
  };
  letDrag(view, "number", {
    label: "number", range: [1, 13], drag: find,
    step(right, up) {
      const all = names(), name = all[clamp(all.indexOf(at[0]) + right, all)];
      at = [name, right ? at[1] : row(row(at[1], name) - up, name)];
    },
  });
  svg.addEventListener("click", (event) => {
    const { x, y } = findPlace(svg, event);
    find(x, y);
    view.draw("number");
  });

  return () => {
    if (view.value("sentence") !== sentence) {
      sentence = view.value("sentence");
      run = math.run(data, sentence);
      slider.max = run.rows.length - 1;
    }
    const { read, said, rows } = run, i = view.value("row"), writes = i - read.length;
    steps = rows[i];
    if (!steps[at[0]]) at = ["last", at[1]];
    const name = at[0], k = row(at[1], name), { parts, sum, number, then } = steps[name].made[k];
    for (const [step, [, low]] of Object.entries(data.steps)) {
      for (let j = 0; j < 9 - 3 * low; j++) {
        const n = steps[step]?.numbers[j] ?? NaN, shown = low ? n === n : Math.abs(n) >= 0.005;
        put(`${step}-${j}`, shown ? fixed(n, 2) : "");
      }
    }
    for (let j = 0; j < 6; j++) {
      put(`read-${j}`, read[j] ?? "");
      put(`known-${j}`, steps.share.labels[j]);
    }
    const [, , , , what, heads, from] = data.steps[name];
    const used = parts.map((_, j) => j).filter((j) => Math.abs(parts[j][3]) > 1e-9);
    view.set("lit", { d: from.flatMap((step) => used.map((j) =>
      `M${corner(steps[step] ? step : "word", parts[1] ? j : k).join(" ")}h42v19h-42z`)).join("") });
    const lines = [...used.map((j) => parts[j]), ["sum", "", "", sum], [then, "", "", then && number]];
    heads.forEach((head, j) => put(`head-${j}`, head));
    for (let j = 0; j < MOST + 2; j++) {
      view.set(`made-${j}`, { class: j === used.length ? "total" : "" });
      for (let c = 0; c < 4; c++) {
        const text = lines[j]?.[c] ?? "";
        put(`line-${j}-${c}`, c && text !== "" ? fixed(text, 3) : text);
      }
    }
    const [x, y] = corner(name, k), told = `${steps[name].labels[k]}: ${fixed(number, 2)}`;
    const place = writes < 0 ? `of ${read[i]}` : `after ${said[writes]}`;
    const ends = writes < 0 ? "" : ` It writes ${said[writes + 1]}.`;
    view.mean("row", place);
    putHandle(view, "number", [x + WIDE / 2, y + HIGH / 2], names().indexOf(name) + 1, `${name}, ${told}`);
    view.write("readout", `In the row ${place}, ${name}, ${told}, ${what}.${ends}`);
  };
}
