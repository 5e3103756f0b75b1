const FIELD = { origin: [92, 264], unit: 41, low: [-0.5, -0.5], high: [5, 5] };
const RIVER = 4, MONEY = 5; // the features of both

const math = {
  dot: (a, b) => a.reduce((sum, side, i) => sum + side * b[i], 0),
  add: (a, b) => a.map((side, i) => side + b[i]),
  weights(row, rows) {
    const exps = rows.map((other) => Math.exp(math.dot(row, other) / Math.sqrt(row.length)));
    const sum = exps.reduce((a, b) => a + b, 0);
    return exps.map((exp) => exp / sum);
  },
  // A row with what it receives from the rows that it looks at.
  look(row, rows) {
    const weights = math.weights(row, rows);
    return row.map((side, i) => side + math.dot(weights, rows.map((other) => other[i])));
  },
  // A row whose larger one of river and money leads by twice as much.
  decide(row) {
    const lead = row[RIVER] - row[MONEY];
    return math.add(row, [0, 0, 0, 0, Math.max(lead, 0), Math.max(-lead, 0)]);
  },
  // The way of the second source word to its note, of the last target word to the scores,
  // and how much bank looks at the verb, and la at both their notes.
  way({ source, target, french }, [river, money], without) {
    const x = source.with(2, [...source[2].slice(0, RIVER), river, money]);
    const look = (row, rows, part) => (without === part ? row : math.look(row, rows));
    const decide = (row) => (without === "networks" ? row : math.decide(row));
    const looked = x.map((row) => look(row, x, "looking")), memory = looked.map(decide);
    const said = math.look(target.at(-1), target);
    const heard = look(said, memory, "cross"), made = decide(heard);
    return { bank: [x[1], looked[1], memory[1]], la: [said, heard, made],
      looks: [...(without === "looking" ? [0] : math.weights(x[1], x).slice(2, 3)),
        ...(without === "cross" ? [0, 0] : math.weights(said, memory).slice(1, 3))],
      scores: french.map((word) => math.dot(word, made)) };
  },
};

function start(view) {
  const { data } = view, both = (row) => [row[RIVER], row[MONEY]];
  view.points = [both(data.source[2])];
  const name = ([river, money]) => money === 0 && river === 4 ? "blooms"
    : river === 0 && money === 4 ? "lends" : "verb";

  return (_, moved) => {
    if (moved === null) letDragPoints(view, ["verb"], FIELD);
    const way = math.way(data, view.points[0], view.value("without"));
    const notes = way.bank.map(both);
    view.set("way", { d: points.path(notes, FIELD) });
    notes.forEach((point, i) => {
      const [cx, cy] = points.place(point, FIELD);
      view.set(`dot-${i}`, { cx, cy });
    });
    notes.concat(way.la.map(both)).forEach((point, i) => {
      view.write(`river-${i}`, fixed(point[0], 1));
      view.write(`money-${i}`, fixed(point[1], 1));
    });
    const score = (word) => way.scores[data.words.indexOf(word)];
    const [rive, banque] = ["rive", "banque"].map(score);
    view.write("rive", fixed(rive, 1));
    view.write("banque", fixed(banque, 1));
    const tie = Math.abs(rive - banque) < 0.05, first = rive > banque;
    view.part("rive").classList.toggle("said", !tie && first);
    view.part("banque").classList.toggle("said", !tie && !first);
    putPoints(view, ["verb"], FIELD);
    const verb = name(view.points[0]), [at, of, too] = way.looks.map((look) => fixed(look, 2));
    view.part("verb-word").textContent = verb;
    const bank = notes.at(-1), lean = Math.abs(bank[0] - bank[1]);
    view.write("readout", `“bank” looks at ${verb === "verb" ? "the verb" : `“${verb}”`} with ` +
      `weight ${at}, and its note has ${lean < 0.05 ? "as much river as money"
        : `${fixed(lean, 1)} more ${bank[0] > bank[1] ? "river" : "money"}`}. ` +
      `“la” looks at this note with ${of}, at the verb's with ${too}. ` + (tie ? "“rive” and “banque” score the same."
      : `The decoder says “${first ? "rive" : "banque"}”.`));
  };
}
