/* One head, walked in four steps with the numbers of a pair of tokens: how well query and
key agree, what scale and mask make of it, the shares, and the values that are mixed.

`writer.js` fetches this with the model; `writer_inside.js` shows it below the heads. */
(() => {
"use strict";

const picture = globalThis.bookWriterPicture;
const LISTED = 6; // tokens of the table
const STEPS = ["Query · key", "Scale and mask", "Softmax", "Mix of values"];
const KEYS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

globalThis.bookWriterHead = ({ state, make, model, redraw, number, strip, map }) => {
  const size = model.config.d_model / model.config.num_heads, root = Math.sqrt(size);
  const short = (value) => (value < 1e5 ? number(value) : value.toExponential(1));

  /* The token that asks, and the one that is asked: that was pressed, or is looked at most. */
  function pairOf() {
    const { layer, head } = state.head, weights = state.text.places[state.place].looks[layer][head];
    const pressed = state.asked ?? weights.length;
    return [state.place, pressed < weights.length ? pressed : weights.indexOf(Math.max(...weights))];
  }

  /* All numbers of a head: of the tokens up to this one, and of a later one that is hidden. */
  function numbersOf(head, { query, keys, values, scores, mixed }, weights) {
    const own = (row) => Array.from(row.slice(head * size, (head + 1) * size));
    const seen = weights.length - state.window; // the first one in the window
    const tokens = keys.map((key, place) => {
      const score = scores[head][place], hidden = place < seen || place >= weights.length;
      return { place, key: own(key), value: own(values[place]), score, raw: score * root, hidden,
        share: hidden ? 0 : weights[place] };
    });
    return { query: own(query), tokens, mixed: own(mixed) };
  }

  /* The steps as tabs: arrows and the keys 1 to 4 lead to them. */
  function tabs() {
    const list = make("div", { class: "writer-steps", role: "tablist", "aria-label": "Four steps of a head" },
      ...STEPS.map((name, i) => make("button", { type: "button", role: "tab", id: `writer-step-${i + 1}`,
        "aria-selected": String(i === state.step), "aria-controls": "writer-step",
        class: i < state.step ? "done" : "", tabIndex: i === state.step ? 0 : -1 },
      make("b", {}, String(i + 1)), ` ${name}`)));
    const go = (step) => {
      state.step = step;
      redraw();
      document.getElementById(`writer-step-${step + 1}`).focus({ preventScroll: true });
    };
    [...list.children].forEach((tab, i) => tab.addEventListener("click", () => go(i)));
    list.addEventListener("keydown", (event) => {
      const { key } = event, last = STEPS.length - 1;
      const to = key in KEYS ? (state.step + KEYS[key] + STEPS.length) % STEPS.length
        : { Home: 0, End: last }[key] ?? (/^[1-4]$/.test(key) ? Number(key) - 1 : null);
      if (to === null) return;
      event.preventDefault();
      go(to);
    });
    return list;
  }

  /* A row for each of some tokens, a column for each step up to this one. */
  function table({ tokens, mixed }, known, asked) {
    const order = tokens.filter(({ place }) => place <= state.place).sort((a, b) => b.share - a.share);
    const listed = order.slice(0, LISTED), pair = tokens[asked];
    if (!listed.includes(pair)) listed[LISTED - 1] = pair;
    const others = order.filter((token) => !listed.includes(token));
    const part = ({ share, value }) => share * value[0], sum = (all, of) => all.reduce((sum, one) => sum + of(one), 0);
    const cells = (token) => [number(token.raw), token.hidden ? "−∞" : number(token.score),
      token.hidden ? "0 %" : picture.percent(token.share), number(part(token))];
    const line = (first, held, kind = "") => make("tr", { class: kind }, make("th", { scope: "row" }, first),
      ...held.map((cell, i) => make("td", { class: i > state.step ? "later" : i === state.step ? "now" : "" }, cell)));
    const press = ({ place }) => {
      const away = state.place - place;
      const button = make("button", { type: "button", "aria-pressed": String(place === asked) },
        known[place], make("small", {}, away ? ` ${away} back` : " itself"));
      button.addEventListener("click", () => {
        state.asked = place;
        redraw();
      });
      return button;
    };
    const late = tokens.slice(state.place + 1).map((token) =>
      line(make("span", {}, known[token.place], make("small", {}, " later")), cells(token), "hidden"));
    return make("div", { class: "writer-scroll" }, make("table", {},
      make("thead", {}, make("tr", {}, ...["token", "q · k", `/ √${size}`, "share", "× v"].map((name, i) =>
        make("th", { scope: "col", class: i - 1 > state.step ? "later" : i - 1 === state.step ? "now" : "" }, name)))),
      make("tbody", {}, ...listed.map((token) => line(press(token), cells(token), token === pair ? "pair" : "")),
        ...(others.length ? [line(`${others.length} more`,
          ["", "", picture.percent(sum(others, ({ share }) => share)), number(sum(others, part))])] : []),
        ...late, line("together", ["", "", "100 %", number(mixed[0])]))));
  }

  /* What is computed in each step, with the numbers of the pair. */
  const TOLD = [
    ({ query, pair, from, to }) => [
      `“${from}” asks: its query is ${size} numbers. “${to}” answers with a key of ${size}`,
      state.positions ? ", both turned by their positions. " : ". ",
      `The better they agree, the larger the sum of their products: q · k = `,
      `${number(query[0])} × ${number(pair.key[0])} + ${number(query[1])} × ${number(pair.key[1])} + … = `,
      make("b", {}, number(pair.raw)), "."],
    ({ pair, later }) => [
      `Divided by √${size} = ${number(root)}, so that scores do not grow with the length of the vectors: `,
      `${number(pair.raw)} / ${number(root)} = `, make("b", {}, number(pair.score)), ". ",
      later ? `“${later}” stands later, and the mask makes its score −∞.`
        : "A later token would get −∞ from the mask; none stands here yet.",
      pair.hidden ? " This one lies before the window, which makes it −∞ too." : ""],
    ({ pair, total, from, to }) => [
      `e to the power of each score, divided by the sum over all tokens: `,
      ...(pair.hidden ? [`e to the power of −∞ is 0, so “${to}” has no share.`]
        : [`e^${number(pair.score)} = ${short(Math.exp(pair.score))}, all together ${short(total)}, and so “${from}” gives “${to}” `,
          make("b", {}, picture.percent(pair.share)), " of its look."])],
    ({ tokens, mixed, to, pair, out }) => {
      const order = [...tokens].sort((a, b) => (b === pair) - (a === pair) || b.share - a.share);
      const [first, second] = order;
      const term = ({ share, value }) => `${number(share)} × ${number(value[0])}`;
      return [`Each token hands over its value, ${size} numbers, times its share: “${to}” its own times ${number(pair.share)}. `,
        `Of the first number, v: ${term(first)}${second ? ` + ${term(second)}` : ""}${tokens.length > 2 ? " + …" : ""} = `,
        make("b", {}, number(mixed[0])), out ? ". It is taken out, so nothing of it is handed on."
          : ". This is what the head brings, beside those of the others."];
    },
  ];

  function pictures({ query, pair, mixed, from, to, out }, layer, scene) {
    const row = (numbers, name) => strip(numbers, name, size, () => "", 0); // of which the sentence tells
    return [
      () => [row(query, `The query of “${from}”`), row(pair.key, `The key of “${to}”`),
        row(query.map((value, i) => value * pair.key[i]), "Their products, summed to q · k")],
      () => [],
      () => [map(scene.rows, layer)],
      () => [row(pair.value, `The value of “${to}”`),
        row(mixed, out ? "What it would bring" : "What the head brings: all values, mixed by the shares")],
    ][state.step]();
  }

  /* The walk through a head that stands open. */
  function show(layer, head, found, known, scene) {
    const { looks } = state.text.places[state.place], [, asked] = pairOf();
    const all = numbersOf(head, found, looks[layer][head]), seen = all.tokens.filter(({ hidden }) => !hidden);
    const given = { ...all, tokens: seen, pair: all.tokens[asked], from: known[state.place], to: known[asked],
      later: known[state.place + 1], total: seen.reduce((sum, { score }) => sum + Math.exp(score), 0),
      out: state.silent.has(`decoder.layers.${layer}.self_attention.${head}`) };
    if (given.out) given.mixed = all.mixed = all.query.map((_, i) =>
      seen.reduce((sum, { share, value }) => sum + share * value[i], 0));
    return [
      make("h4", {}, `Head ${layer + 1}.${head + 1} in four steps: “${given.from}” asks “${given.to}”`), tabs(),
      make("div", { id: "writer-step", role: "tabpanel", "aria-labelledby": `writer-step-${state.step + 1}` },
        make("p", {}, ...TOLD[state.step](given)), make("div", { class: "writer-pair" },
          table(all, known, asked), make("div", {}, ...pictures(given, layer, scene)))),
    ];
  }

  return { show, pairOf };
};
})();
