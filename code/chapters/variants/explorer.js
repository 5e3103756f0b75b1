const FIELD = { origin: [150, 150], unit: 48, low: [-2.8, -2.8], high: [2.8, 2.8] };

const math = {
  scores: (router, x) => router.map(([a, b]) => a * x[0] + b * x[1]),
  // The experts with the highest scores, best first; of equal ones the first.
  ask: (scores, many) => scores.map((_, i) => i)
    .sort((i, j) => scores[j] - scores[i]).slice(0, many),
  // The softmax over the scores of those that are asked; the others have no weight.
  weights(scores, many) {
    const asked = math.ask(scores, many), powers = scores.map((score, i) =>
      asked.includes(i) ? Math.exp(score - scores[asked[0]]) : 0);
    const sum = powers.reduce((a, b) => a + b);
    return powers.map((power) => power / sum);
  },
  // Which tokens ask each expert first.
  loads: (router, tokens) => router.map((_, i) =>
    tokens.filter((token) => math.ask(math.scores(router, token), 1)[0] === i)),
};

function start(view) {
  const { answers, tokens, router: rows, token: first } = view.data;
  const names = [...rows.map((_, i) => `expert ${i + 1}`), "token"];
  const two = (number) => fixed(number, 2);
  view.points = [...rows, first];

  return (_, moved) => {
    if (moved === null) letDragPoints(view, names, FIELD);
    const router = view.points.slice(0, -1), many = view.value("two") ? 2 : 1;
    const scores = math.scores(router, view.points.at(-1));
    const weights = math.weights(scores, many), loads = math.loads(router, tokens);
    router.forEach((row, i) => {
      view.set(`arrow-${i}`, { d: points.path([[0, 0], row], FIELD) });
      view.set(`dots-${i}`, { d: loads[i].map((each) => `${points.path([each], FIELD)}h0`).join("") });
      view.write(`score-${i}`, two(scores[i]));
      view.write(`weight-${i}`, two(weights[i]));
      view.write(`load-${i}`, String(loads[i].length));
      view.part(`row-${i}`).classList.toggle("chosen", weights[i] > 0);
    });
    putPoints(view, names, FIELD);
    const asked = math.ask(scores, many);
    const sum = answers.reduce((total, answer, i) => total + weights[i] * answer, 0);
    const told = asked.map((i) => `${two(weights[i])} · ${answers[i]}`).join(" + ");
    view.write("readout", `x asks ${asked.map((i) => names[i]).join(" and ")}. If the experts ` +
      `say ${answers.join(", ")}, the answer is ${told} = ${two(sum)}. Of ${tokens.length} ` +
      `tokens ${loads.map((load) => load.length).join(", ")} ask experts 1, 2, 3 first.`);
  };
}
