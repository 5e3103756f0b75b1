/* The parts of the picture, opened in place: their matrices and their numbers.

`writer.js` fetches this with the model, and hands over what both use. */
(() => {
"use strict";

const engine = globalThis.bookTransformer, writer = globalThis.bookWriter;
const picture = globalThis.bookWriterPicture;
const LISTED = 10; // tokens of a table
const HEAD = 60; // pixels of the bar above the page
const STRONGEST = 5, RAISED = 3; // units, and what one of them raises

globalThis.bookWriterInside = ({ state, panel, svg, make, model, draw, shut, change, options, lotAt, outcome,
  home }) => {
  const { num_heads: heads, d_model: features } = model.config;
  const number = (value, places = 2) => value.toFixed(places).replace("-", "−");

  /* Numbers as cells: one is told when it is pointed at, or walked to with the arrows, and
  what it `means`; at the beginning the strongest one, or the one `told` of. */
  function strip(numbers, name, columns = 48, means = () => "", told = null) {
    const rows = Math.ceil(numbers.length / columns), side = 10;
    const svg = make("div", { class: "writer-strip", tabindex: "0", role: "slider",
      "aria-label": name, "aria-valuemin": "1", "aria-valuemax": String(numbers.length) });
    const output = make("output", { class: "writer-cell" });
    const plain = Array.from(numbers);
    svg.innerHTML = `<svg viewBox="0 0 ${side * columns} ${side * rows}" class="writer-picture" ` +
      `aria-hidden="true">${picture.cellsOf(plain, [0, 0, side * columns, side * rows], columns)}</svg>`;
    const cells = [...svg.querySelectorAll("rect")];
    let at = 0;
    const point = (to) => {
      cells[at].classList.remove("pointed");
      at = Math.min(Math.max(to, 0), plain.length - 1);
      cells[at].classList.add("pointed");
      const said = `number ${at + 1} of ${plain.length}: ${number(plain[at], 3)}${means(at)}`;
      output.textContent = said;
      svg.setAttribute("aria-valuenow", String(at + 1));
      svg.setAttribute("aria-valuetext", said);
    };
    svg.addEventListener("pointermove", ({ target }) => {
      const to = cells.indexOf(target);
      if (to >= 0) point(to);
    });
    svg.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns }[event.key];
      if (!step) return;
      event.preventDefault();
      point(at + step);
    });
    point(told ?? plain.reduce((best, value, i) => (Math.abs(value) > Math.abs(plain[best]) ? i : best), 0));
    return make("figure", {}, make("figcaption", {}, name), svg, output);
  }

  function table(head, rows) {
    const line = (cells, kind) => make("tr", {}, ...cells.map((cell, i) =>
      make(i ? kind : "th", { scope: kind === "th" ? "col" : "row" }, cell)));
    return make("div", { class: "writer-scroll" }, make("table", {},
      make("thead", {}, line(head, "th")), make("tbody", {}, ...rows.map((row) => line(row, "td")))));
  }

  function sentence(...held) {
    return make("p", {}, ...held);
  }

  function chapter(page, text) {
    return make("a", { href: `${home}${page}` }, text);
  }

  /* A switch for a head or a network. */
  function toggle(name, text) {
    const off = state.silent.has(name);
    const button = make("button", { type: "button", class: off ? "off" : "" },
      off ? `Put ${text} back` : `Take ${text} out`);
    button.addEventListener("click", () => {
      if (off) state.silent.delete(name);
      else state.silent.add(name);
      change();
    });
    return button;
  }

  const names = () => picture.namesOf(model.tokenizer, state.text.ids);
  const nameHere = (id) => picture.nameAfter(model.tokenizer, here().id, id); // of what comes next
  const here = () => state.text.places[state.place];
  const parts = Array.from({ length: model.config.num_decoder_layers * heads }, (_, i) =>
    ({ name: `decoder.layers.${Math.floor(i / heads)}.self_attention.${i % heads}`,
      called: `${Math.floor(i / heads) + 1}.${i % heads + 1}` }));
  const walk = globalThis.bookWriterHead({ state, make, model, number, strip, map, redraw: () => {
    show(drawn);
    light();
  } });
  let drawn, weighed = null; // the scene; the place whose heads are measured, and how many were

  /* What comes next, before the last switch and now. */
  function shown() {
    return make("p", { class: "writer-outcome", role: "status" }, ...outcome());
  }

  function vectors() {
    const { id, streams } = here(), length = Math.hypot(...streams[0]);
    return ["Its vector", [
      sentence(`“${names()[state.place]}” is token ${id} of ${model.config.vocab_size}. That number `,
        `chooses a row of a table: ${features} numbers, learned like all others, of which the picture `,
        "shows the first twelve. Nothing in them says where the token stands: ", state.positions
          ? "attention turns queries and keys by their positions."
          : "attention would turn queries and keys by their positions, but these are taken out."),
      strip(streams[0], `The ${features} numbers of “${names()[state.place]}”, length ${number(length)}`),
      sentence(chapter("attention/embeddings.html", "Chapter 2: from text to vectors")),
    ]];
  }

  /* The rows of the picture, as a map of who looks at whom. */
  function map(rows, layer) {
    const size = 22, known = names(), wide = rows.length * size;
    const shareOf = (row, other) => state.text.places[row.place].looks[layer][state.head.head][other.place];
    const most = Math.max(...rows.flatMap((row, i) => rows.slice(0, i + 1).map((other) => shareOf(row, other))));
    const cells = rows.flatMap((row, i) => rows.slice(0, i + 1).map((other, j) => {
      const { place } = row, share = shareOf(row, other);
      return `<rect class="plus" x="${j * size}" y="${i * size}" width="${size - 1}" ` +
        `height="${size - 1}" fill-opacity="${(share / most).toFixed(2)}"><title>` +
        `${picture.safe(known[place])} looks ${picture.percent(share)} at ` +
        `${picture.safe(known[other.place])}</title></rect>`;
    }));
    const frame = make("div", { class: "writer-map" });
    frame.innerHTML = `<svg viewBox="-1 -1 ${wide + 2} ${wide + 2}" class="writer-picture" role="img" ` +
      `aria-label="Who looks at whom: a row for each token that asks, a column for each that is asked">` +
      `<rect class="area" x="-1" y="-1" width="${wide + 1}" height="${wide + 1}"/>${cells.join("")}</svg>`;
    return make("figure", {}, make("figcaption", {},
      `Rows ask, columns are asked: the tokens of the picture. The darkest cell is ${picture.percent(most)}.`), frame);
  }

  function attention(layer, scene) {
    const own = `decoder.layers.${layer}.self_attention`, known = names();
    const found = writer.inside(state.text, layer, state.place), { looks } = here();
    const rows = looks[layer].map((weights, head) => {
      const key = weights.indexOf(Math.max(...weights)), name = `${layer + 1}.${head + 1}`;
      const chosen = state.head?.layer === layer && state.head.head === head;
      const show = make("button", { type: "button", "aria-pressed": String(chosen) }, `Head ${name}`);
      show.addEventListener("click", () => {
        Object.assign(state, { head: chosen ? null : { layer, head }, step: 0, asked: null });
        draw();
        bring();
      });
      const lost = here().without?.get(`${own}.${head}`);
      const looks = `looks most at “${known[key]}”, ${picture.percent(weights[key])}` +
        `${lost ? `; without it “${nameHere(writer.likeliest(here().logits).id)}” ${picture.percent(lost)}` : ""}`;
      return make("li", { class: chosen ? "chosen" : "" }, show, make("span", {}, state.silent.has(`${own}.${head}`)
        ? "is taken out: it brings nothing" : looks), toggle(`${own}.${head}`, `head ${name}`));
    });
    const walked = state.head?.layer === layer; // then the other heads make room for it
    const told = [
      sentence(`The vectors are normed, and ${heads} heads ask at the same time. Each makes of all `,
        `${features} numbers a query, a key and a value of ${features / heads}. Press one to see it alone.`),
      hint(),
    ];
    const held = [...(walked ? [] : told), shown(),
      make("ul", { class: `writer-heads${walked ? " walked" : ""}` }, ...rows)];
    if (walked) held.push(...walk.show(layer, state.head.head, found, known, scene));
    held.push(sentence(chapter("attention/self_attention.html", "Chapter 3: self-attention"), ", ",
      chapter("position/rotary.html", "chapter 6: how positions turn queries and keys")));
    return [`Attention of layer ${layer + 1}`, held];
  }

  /* Bring the steps of a head into view, together with the picture if there is room. */
  function bring() {
    const steps = panel.querySelector("#writer-step");
    if (!steps) return;
    const high = steps.getBoundingClientRect().bottom - svg.getBoundingClientRect().top;
    if (high < innerHeight - HEAD) svg.scrollIntoView({ block: "start", behavior: "instant" });
    else steps.scrollIntoView({ block: "nearest", behavior: "instant" });
  }

  /* Take out each head alone, and note the share that is left to what is the likeliest now. */
  function* weighing(place, found) {
    const { ids, places } = state.text, { id } = writer.likeliest(places[place].logits), given = options();
    for (const { name } of parts.filter(({ name }) => !state.silent.has(name))) {
      const other = writer.begin(model, { ...given, silent: new Set([...state.silent, name]) });
      for (const read of ids.slice(0, place + 1)) {
        writer.read(other, read);
        yield;
      }
      const { logits } = other.places.at(-1), first = writer.likeliest(logits);
      found.set(name, first.share * Math.exp(logits[id] - logits[first.id]));
      tellWeighed(found.size);
    }
  }

  /* Measure which head matters most at the place that is looked at, while the page stays awake. */
  async function weigh() {
    const { text, place } = state, found = new Map(), kept = text.places[place];
    const wanted = () => state.text === text && !text.changed && !state.moving && text.places[place] === kept;
    weighed = kept;
    tellWeighed(0);
    const done = await engine.paced(weighing(place, found), wanted);
    weighed = null;
    if (done !== null) kept.without = found;
    if (state.open?.startsWith("attention")) show(drawn);
  }

  function tellWeighed(count) {
    const told = panel.querySelector(".writer-hint");
    if (told) told.textContent = `Measured ${count} of ${parts.length} heads …`;
  }

  /* Which head matters most, once that was measured, or a button that lets it be measured. */
  function hint() {
    const { without, logits } = here(), { id, share } = writer.likeliest(logits), word = `“${nameHere(id)}”`;
    if (weighed) return make("p", { class: "writer-hint", role: "status" }, "Measuring …");
    if (!without) {
      const button = make("button", { type: "button" }, "Which head matters most here?");
      button.addEventListener("click", weigh);
      return make("p", { class: "writer-hint", role: "status" }, button);
    }
    const [name, left] = [...without].reduce((least, one) => (one[1] < least[1] ? one : least));
    const { called } = parts.find((part) => part.name === name);
    return make("p", { class: "writer-hint", role: "status" }, ...(share - left < 0.01
      ? [`No head matters much here: without any one of them, ${word} keeps at least ${picture.percent(left)}.`]
      : ["Of all ", String(without.size), " heads, ", make("b", {}, `head ${called}`), ` matters most here: without it ${word} `,
        `falls from ${picture.percent(share)} to ${picture.percent(left)}.`]));
  }

  /* What a unit of a network raises most, as the head would read what it adds. */
  function raisedBy(layer, unit, strength) {
    const logits = writer.raised(model, layer, unit, strength);
    const order = Array.from(logits, (_, id) => id).sort((a, b) => logits[b] - logits[a]).slice(0, RAISED);
    const called = order.map((id) => `“${nameHere(id)}”`);
    return `${called.slice(0, -1).join(", ")} and ${called.at(-1)}`;
  }

  function network(layer) {
    const name = `decoder.layers.${layer}.feed_forward`, { hidden, added, between } =
      writer.inside(state.text, layer, state.place);
    const order = Array.from(hidden, (_, unit) => unit)
      .sort((a, b) => Math.abs(hidden[b]) - Math.abs(hidden[a])).slice(0, STRONGEST);
    return [`Network of layer ${layer + 1}`, [
      sentence(state.silent.has(name) ? "It is taken out and adds nothing. Otherwise it " : "It ",
        `looks at no other token: the vector is normed and goes through two maps to ${hidden.length} `,
        `numbers each, the one gates the other, and a third map leads back to ${features}.`),
      sentence("Its strongest unit here, ", make("b", {}, `number ${order[0] + 1}`), `, adds what raises `,
        `${raisedBy(layer, order[0], hidden[order[0]])} most, if the head read it at once. The next are `,
        order.slice(1).map((unit) => `${unit + 1} (${number(hidden[unit])})`).join(", "),
        ": point at a number to read what it raises."),
      strip(hidden, `The ${hidden.length} numbers before its last map`, 64,
        (unit) => `, raises ${raisedBy(layer, unit, hidden[unit])}`),
      strip(added, `What it adds: length ${number(Math.hypot(...added))}, to a vector of length ${number(Math.hypot(...between))}`),
      shown(),
      sentence(toggle(name, "this network"), " ",
        chapter("feed_forward/feed_forward.html", "Chapter 8: the feed-forward network")),
    ]];
  }

  function stream(stage) {
    const row = here().streams[stage], known = names();
    const { order, shares } = writer.shaped(writer.said(state.text.model, row));
    const rows = order.slice(0, STRONGEST).map((id, i) => [
      nameHere(id), picture.percent(shares[i])]);
    return [stage ? `After layer ${stage}` : "Before the first layer", [
      sentence(stage ? "What attention and networks found was added to the vector. "
        : "Only the vector of the token itself is there. ",
      `If the last norm and the head read it now, they would say after “${known[state.place]}”:`),
      table(["token", state.temperature === 1 ? "share" : "share at temperature 1"], rows),
      strip(row, `The vector here: length ${number(Math.hypot(...row))}`),
      sentence(chapter("beyond/inside.html", "Chapter 24: looking inside"), ", ",
        chapter("normalization/residual_connections.html", "chapter 11: the stream")),
    ]];
  }

  function next() {
    const { logits } = here(), shape = writer.shaped(logits, state), plain = writer.shaped(logits);
    const rows = shape.order.slice(0, LISTED).map((id, i) => [
      nameHere(id), number(logits[id]), picture.percent(plain.shares[i]),
      i < shape.stay ? picture.percent(shape.kept[i]) : "left out"]);
    const fell = lotAt(state.place)?.value ?? null;
    return ["From the vector to the next token", [
      sentence(`The last vector is normed and compared with the ${model.config.vocab_size} rows of the table: `,
        "one logit each. Softmax makes shares of them. The temperature sharpens or flattens, ",
        `top-p keeps the likeliest: ${shape.stay} token${shape.stay > 1 ? "s stay" : " stays"}. `,
        "Side by side they fill a line of length 1, and a random number points at one.",
        fell === null ? "" : ` Here it was ${number(fell)}.`),
      table(["token", "logit", "plain share", "as drawn"], rows),
      line(shape, fell),
      sentence(chapter("architecture/decoding.html", "Chapter 20: decoding")),
    ]];
  }

  /* The line of length 1, from which a token is drawn. */
  function line({ order, kept }, fell) {
    let from = 0;
    const held = kept.map((share, i) => {
      const piece = `<rect x="${(1000 * from).toFixed(1)}" y="0" width="${(1000 * share).toFixed(1)}" ` +
        `height="40" class="${i % 2 ? "minus" : "plus"}" fill-opacity="0.6"><title>` +
        `${picture.safe(nameHere(order[i]))}</title></rect>`;
      from += share;
      return piece;
    }).join("");
    const frame = make("div", { class: "writer-line" });
    frame.innerHTML = `<svg viewBox="0 0 1000 40" preserveAspectRatio="none" class="writer-picture" ` +
      `role="img" aria-label="The shares side by side">${held}${fell === null ? ""
      : `<rect class="fell" x="${1000 * fell - 2}" y="0" width="4" height="40"/>`}</svg>`;
    return frame;
  }

  const OPEN = { vectors, attention, network, stream, next };

  /* Draw what is open, and leave the focus where it was. */
  function show(scene) {
    const [name, at] = (state.open ?? "").split(".");
    panel.hidden = !(name in OPEN);
    drawn = scene;
    if (panel.hidden) return;
    const buttons = () => [...panel.querySelectorAll("button, [tabindex]")];
    const held = buttons().indexOf(document.activeElement);
    const [title, content] = OPEN[name](Number(at), scene);
    const close = make("button", { type: "button", class: "writer-close", "aria-label": "Close" }, "×");
    close.addEventListener("click", shut);
    panel.replaceChildren(close, make("h3", {}, title), ...content);
    if (held >= 0) buttons()[held]?.focus({ preventScroll: true });
  }

  /* Light the two tokens of the head that stands open. */
  function light() {
    for (const token of svg.querySelectorAll(".pair")) token.classList.remove("pair");
    if (!state.head || state.open !== `attention.${state.head.layer}`) return;
    for (const place of walk.pairOf()) svg.querySelector(`[data-part="token.${place}"]`)?.classList.add("pair");
  }

  return { draw: show, light };
};
})();
