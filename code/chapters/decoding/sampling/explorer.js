const LISTED = 20, DRAWS = 100, BIN = 0.02;

const math = {
  // Words, likeliest first, in steps of equal weight: the words and the sum before each.
  weigh({ gaps, start, counts }, temperature) {
    const steps = [];
    let words = 0, sum = 0;
    const add = (gap, count) => {
      const weight = Math.exp(-gap / temperature);
      if (count) steps.push({ weight, count, words, sum });
      [words, sum] = [words + count, sum + weight * count];
    };
    for (const gap of gaps) add(gap, 1);
    counts.forEach((count, i) => add(BIN * (start + i + 0.5), count));
    return { steps, words, sum };
  },
  // How many words a rule keeps.
  keep({ steps, words, sum }, rule, setting) {
    if (rule === "top-k") return Math.min(setting, words);
    if (rule === "min-p") {
      return steps.reduce((kept, { weight, count }) => kept + (weight >= setting ? count : 0), 0);
    }
    if (setting === 1) return words;
    const step = steps.findLast((step) => step.sum < setting * sum);
    const more = Math.ceil((setting * sum - step.sum) / step.weight);
    return step.words + Math.min(more, step.count);
  },
  // What so many words have together.
  add({ steps }, kept) {
    const step = steps.findLast(({ words }) => words < kept);
    return step.sum + step.weight * (kept - step.words);
  },
  // Random numbers between 0 and 1: mulberry32 by Tommy Ettinger.
  throw: (seed) => Array.from({ length: DRAWS }, () => {
    seed = (seed + 1831565813) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }),
  // How often a number falls on each share; what falls beyond them hits the last.
  count(shares, seed) {
    const counts = shares.map(() => 0);
    for (const dart of math.throw(seed)) {
      let place = 0;
      for (let end = shares[0]; end <= dart && place < LISTED; end += shares[place]) place++;
      counts[place]++;
    }
    return counts;
  },
  line: (kept, words) => kept <= LISTED ? 62 + 17 * kept
    : 402 + 40 * Math.log(kept - LISTED + 1) / Math.log(words - LISTED + 1),
  write: (rule, setting) => rule === "top-k" ? setting.toLocaleString("en-US")
    : rule === "top-p" ? fixed(setting, 2) : String(setting),
  // The setting whose line is nearest to a height; of equal ones, the nearest to now.
  choose(weighed, rule, settings, y, now) {
    const far = settings.map((setting) =>
      Math.abs(math.line(math.keep(weighed, rule, setting), weighed.words) - y));
    const least = Math.min(...far) + 1e-9;
    return far.reduce((best, each, i) => each > least ? best
      : best < 0 || Math.abs(i - now) < Math.abs(best - now) ? i : best, -1);
  },
  look(packed, rule, tenths, seed, setting) {
    const T = tenths / 10, weighed = math.weigh(packed, T), { steps, words, sum } = weighed;
    const kept = math.keep(weighed, rule, setting), left = math.add(weighed, kept);
    const rows = (total, most) => {
      const shares = steps.slice(0, LISTED).map(({ weight }, i) => i < most ? weight / total : 0);
      const listed = math.add(weighed, Math.min(most, LISTED));
      return [...shares, (math.add(weighed, most) - listed) / total];
    };
    const before = rows(sum, words), after = rows(left, kept), drawn = math.count(after, seed);
    const logits = (by) => [...packed.gaps.map((gap) => fixed((packed.largest - gap) / by, 1)), ""];
    const say = (number) => number.toLocaleString("en-US");
    const others = say(words - LISTED), among = kept - LISTED;
    const told = among > 0 && kept < words ? `${say(among)} of ${others}` : others;
    return {
      kept,
      line: math.line(kept, words),
      sum: `sum ${fixed(left / sum, 2)}`,
      columns: {
        word: [...packed.words, `${told} others`],
        logit: logits(1),
        scaled: logits(T),
        share: before.map((share) => fixed(share, 3)),
        after: after.map((share, i) => (i < kept ? fixed(share, 3) : "0")),
        drawn: drawn.map(String),
      },
      before: before.map((share) => 52 * share),
      bars: after.map((share) => 52 * share),
      readout: `At T = ${fixed(T, 1)}, ${rule} ${math.write(rule, setting)} keeps ${say(kept)} ` +
        `${kept === 1 ? "word" : "words"}, which had ${fixed(left / sum, 2)} together. ` +
        `${packed.words[0]} goes from ${fixed(before[0], 2)} to ${fixed(after[0], 2)}. ` +
        `Of ${DRAWS} draws (seed ${seed}), ${drawn[0]} took it and ${drawn[LISTED]} ` +
        "took one of the others at the bottom.",
    };
  },
};

function start(view) {
  const { settings, texts, chosen } = view.data;
  let temperature = 10, seed = 1, rule, weighed; // in tenths

  const clamp = (number, low, high) => Math.min(Math.max(Math.round(number), low), high);
  const heat = (to) => (temperature = clamp(to, 1, 20));
  const set = (to) => (chosen[rule] = clamp(to, 0, settings[rule].length - 1));

  function letMove() {
    letDrag(view, "temperature", { label: "temperature", range: [0.1, 2],
      drag: (x) => heat((x - 110) / 11), step: (right, up) => heat(temperature + (right || up)) });
    letDrag(view, "cut", { label: "cut", range: [1, weighed.words],
      drag: (x, y) => set(math.choose(weighed, rule, settings[rule], y, chosen[rule])),
      step: (right, up) => set(chosen[rule] + (right || -up)) });
    view.part("draw").addEventListener("click", () => {
      seed++;
      view.draw("draw");
    });
  }

  return (_, moved) => {
    const packed = texts[view.value("text")];
    rule = view.value("rule");
    weighed = math.weigh(packed, temperature / 10);
    if (!moved) letMove();
    const setting = settings[rule][chosen[rule]], told = math.write(rule, setting);
    const picture = math.look(packed, rule, temperature, seed, setting), { kept, line } = picture;
    for (const [name, rows] of Object.entries(picture.columns)) {
      [...view.part(name).children].forEach((place, i) => {
        place.textContent = rows[i];
        place.classList.toggle("gone", i >= kept);
      });
    }
    for (const name of ["before", "bars"]) {
      [...view.part(name).children].forEach((bar, i) =>
        bar.setAttribute("width", coordinate(picture[name][i])));
    }
    view.part("head").textContent = rule;
    view.set("line", { d: `M0 ${coordinate(line)}H334` });
    putHandle(view, "temperature", [110 + 11 * temperature, 20], temperature / 10,
      `T = ${fixed(temperature / 10, 1)}`);
    view.part("temperature-word").textContent = fixed(temperature / 10, 1);
    putHandle(view, "cut", [334, line], kept, `${rule} ${told} keeps ${kept} words, ${picture.sum}`);
    view.part("cut-word").textContent = told;
    view.set("sum", { y: line + 26 });
    view.set("had", { y: line + 39 });
    [view.part("sum").textContent, view.part("had").textContent] = picture.sum.split(" ");
    view.write("readout", picture.readout);
  };
}
