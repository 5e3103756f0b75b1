const AT = [30, 86, 142, 198], MEAN = 262, SPREAD = 326;
const LEAST = -3, MOST = 5, UNIT = 18, EPS = 1e-5;

const math = {
  mean: (x) => x.reduce((a, b) => a + b) / x.length,
  // A vector less its mean, the mean of its squares, and what the norm makes of it.
  norm(x) {
    const mean = math.mean(x), centered = x.map((each) => each - mean);
    const variance = math.mean(centered.map((each) => each * each));
    const divided = centered.map((each) => each / Math.sqrt(variance + EPS));
    return { mean, deviation: Math.sqrt(variance), steps: [x, centered, divided] };
  },
  clamp: (number, least, most) => Math.min(Math.max(number, least), most),
  // All features moved alike, until one of them meets an end.
  shift(x, mean) {
    const by = math.clamp(mean - math.mean(x), LEAST - Math.min(...x), MOST - Math.max(...x));
    return x.map((each) => each + by);
  },
  // All differences from the mean made larger or smaller, until a feature meets an end.
  spread(x, deviation) {
    const { mean, deviation: now, steps: [, centered] } = math.norm(x);
    if (now < 1e-9) return x;
    const most = Math.min(...centered.filter(Boolean)
      .map((each) => ((each > 0 ? MOST : LEAST) - mean) / each));
    const times = math.clamp(deviation / now, Math.min(0.2 / now, 1), most);
    return centered.map((each) => mean + times * each);
  },
  high: (number) => 112 - UNIT * number,
  left: (step, i) => step ? 27 + 42 * i : AT[i],
  bar(step, i, number) {
    const middle = math.left(step, i), wide = step ? 13 : 18;
    const end = coordinate(math.high(number));
    return `M${middle - wide} ${math.high(0)}h${2 * wide}V${end}h${-2 * wide}Z`;
  },
};

function start({ data }) {
  let x = data.vector, before = "";
  const tenth = (number) => Math.round(10 * number) / 10;
  const at = (y) => tenth((math.high(0) - y) / UNIT);
  const set = (i, to) => (x = x.with(i, math.clamp(tenth(to), LEAST, MOST)));
  const two = (number) => fixed(number, 2);

  function letMove(view) {
    const drag = (name, label, get, put) => letDrag(view, name, { label, range: [LEAST, MOST],
      drag: (_, y) => put(at(y)), step: (right, up) => put(get() + (right || up) / 10) });
    x.forEach((_, i) => drag(`x-${i}`, `feature ${i + 1}`, () => x[i], (to) => set(i, to)));
    drag("mean", "mean", () => math.mean(x), (to) => (x = math.shift(x, to)));
    letDrag(view, "spread", { label: "deviation", range: [0, MOST],
      drag: (_, y) => (x = math.spread(x, at(y) - math.mean(x))),
      step: (right, up) => (x = math.spread(x, math.norm(x).deviation + (right || up) / 10)) });
  }
  const put = (view, name, place, number, told) => {
    putHandle(view, name, place, tenth(number), told);
    view.part(`${name}-word`).textContent = told;
  };

  return (view, moved) => {
    if (moved === null) letMove(view);
    const { mean, deviation, steps } = math.norm(x);
    steps.forEach((numbers, step) => {
      const here = math.norm(numbers), middle = coordinate(math.high(here.mean));
      view.set(`band-${step}`, { y: math.high(here.mean + here.deviation),
        height: 2 * UNIT * here.deviation });
      view.set(`mean-${step}`, { d: `M0 ${middle}h${step ? 180 : 360}` });
      numbers.forEach((number, i) => {
        view.set(`bar-${step}-${i}`, { d: math.bar(step, i, number) });
        if (!step) return;
        view.part(`number-${step}-${i}`).textContent = two(number);
        view.set(`number-${step}-${i}`, { y: math.high(number) + (number < 0 ? 14 : -4) });
      });
    });
    x.forEach((number, i) =>
      put(view, `x-${i}`, [AT[i], math.high(number)], number, fixed(number, 1)));
    put(view, "mean", [MEAN, math.high(mean)], mean, two(mean));
    put(view, "spread", [SPREAD, math.high(mean + deviation)], deviation, two(deviation));
    const result = steps[2].map(two).join(", "), stays = moved && result === before;
    view.write("readout", `Mean ${two(mean)}, deviation ${two(deviation)}. ` +
      (deviation < 1e-9 ? "All features are equal, and nothing is left." : stays
        ? `The result stays (${result}).` : `The norm takes both away and leaves (${result}).`));
    before = result;
  };
}
