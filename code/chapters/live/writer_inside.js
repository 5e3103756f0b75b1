/* The parts of the picture, opened in place: their matrices and their numbers.

`writer.js` fetches this with the model, and hands over what both use. */
(() => {
"use strict";

const engine = globalThis.bookTransformer, writer = globalThis.bookWriter;
const picture = globalThis.bookWriterPicture;
const LISTED = 10; // tokens of a table
const STRONGEST = 5;

globalThis.bookWriterInside = ({ state, panel, make, model, draw, shut, change, lotAt, outcome, home }) => {
  const { num_heads: heads, d_model: features } = model.config;
  const number = (value, places = 2) => value.toFixed(places).replace("-", "−");

  /* Numbers as cells: one is told when it is pointed at, or walked to with the arrows. */
  function strip(numbers, name, columns = 48) {
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
      const said = `number ${at + 1} of ${plain.length}: ${number(plain[at], 3)}`;
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
    point(plain.reduce((best, value, i) => (Math.abs(value) > Math.abs(plain[best]) ? i : best), 0));
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
  function map(rows, layer, first) {
    const size = 22, known = names(), wide = rows.length * size;
    const cells = rows.flatMap(({ place, all }, i) => rows.slice(0, i + 1).map((other, j) => {
      const share = all[layer][state.head.head][other.place];
      return `<rect class="plus" x="${j * size}" y="${i * size}" width="${size - 1}" ` +
        `height="${size - 1}" fill-opacity="${share.toFixed(2)}"><title>` +
        `${picture.safe(known[place])} looks ${picture.percent(share)} at ` +
        `${picture.safe(known[other.place])}</title></rect>`;
    }));
    const frame = make("div", { class: "writer-map" });
    frame.innerHTML = `<svg viewBox="-1 -1 ${wide + 2} ${wide + 2}" class="writer-picture" role="img" ` +
      `aria-label="Who looks at whom: a row for each token that asks, a column for each that is asked">` +
      `<rect class="area" x="-1" y="-1" width="${wide + 1}" height="${wide + 1}"/>${cells.join("")}</svg>`;
    return make("figure", {}, make("figcaption", {},
      `Rows ask, columns are asked, from “${known[first]}” to “${known[state.place]}”`), frame);
  }

  function attention(layer, scene) {
    const own = `decoder.layers.${layer}.self_attention`, known = names();
    const found = writer.inside(state.text, layer, state.place), { looks } = here();
    const rows = looks[layer].map((weights, head) => {
      const key = weights.indexOf(Math.max(...weights)), name = `${layer + 1}.${head + 1}`;
      const chosen = state.head?.layer === layer && state.head.head === head;
      const show = make("button", { type: "button", "aria-pressed": String(chosen) }, `Head ${name}`);
      show.addEventListener("click", () => {
        state.head = chosen ? null : { layer, head };
        draw();
      });
      const looks = `looks most at “${known[key]}”, ${picture.percent(weights[key])}`;
      return make("li", {}, show, make("span", {}, state.silent.has(`${own}.${head}`)
        ? "is taken out: it brings nothing" : looks), toggle(`${own}.${head}`, `head ${name}`));
    });
    const held = [
      sentence(`The vectors are normed, and ${heads} heads ask at the same time. Each makes of all `,
        `${features} numbers a query, a key and a value of ${features / heads}. Press one to see it alone.`),
      shown(),
      make("ul", { class: "writer-heads" }, ...rows),
    ];
    if (state.head?.layer === layer) held.push(...one(layer, state.head.head, found, scene));
    held.push(sentence(chapter("attention/self_attention.html", "Chapter 3: self-attention"), ", ",
      chapter("position/rotary.html", "chapter 6: how positions turn queries and keys")));
    return [`Attention of layer ${layer + 1}`, held];
  }

  /* One head: from its query and the keys to shares, and what it brings. */
  function one(layer, head, { query, scores, mixed }, scene) {
    const size = features / heads, known = names(), weights = here().looks[layer][head];
    const order = weights.map((_, key) => key).sort((a, b) => weights[b] - weights[a]);
    const seen = weights.length - state.window; // the first one in the window
    const silent = state.silent.has(`decoder.layers.${layer}.self_attention.${head}`);
    const rows = order.slice(0, LISTED).map((key) => [known[key], number(scores[head][key]),
      key < seen ? "hidden" : picture.percent(weights[key])]);
    const all = scene.rows.map((row) => ({ ...row, all: state.text.places[row.place].looks }));
    return [
      silent ? sentence(`Head ${layer + 1}.${head + 1} is taken out. It would look like this, and nothing of it is handed on.`) : "",
      strip(query.slice(head * size, (head + 1) * size),
        `What “${known[state.place]}” asks: the ${size} numbers of its query`, size),
      make("div", { class: "writer-pair" }, table(["token", "q · k / √" + size, "share"], rows),
        map(all, layer, scene.first)),
      sentence(`The shares are the softmax of the middle column, over the last `,
        `${Math.min(weights.length, state.window)} tokens. What comes later does not stand among them. `,
        "Keys and values of earlier tokens were kept from when they were read."),
      strip(mixed.slice(head * size, (head + 1) * size),
        silent ? "What it brings: nothing, for it is taken out"
          : "What it brings: the values of these tokens, mixed by the shares", size),
    ];
  }

  function network(layer) {
    const name = `decoder.layers.${layer}.feed_forward`, { hidden, added, between } =
      writer.inside(state.text, layer, state.place);
    const order = Array.from(hidden, (_, unit) => unit)
      .sort((a, b) => Math.abs(hidden[b]) - Math.abs(hidden[a])).slice(0, STRONGEST);
    return [`Network of layer ${layer + 1}`, [
      sentence(state.silent.has(name) ? "It is taken out and adds nothing. Otherwise it " : "It ",
        `looks at no other token: the vector is normed and goes through two maps to ${hidden.length} `,
        `numbers each, the one gates the other, and a third map leads back to ${features}. The `,
        "strongest here: ", order.map((unit) => `${unit + 1} (${number(hidden[unit])})`).join(", "), "."),
      strip(hidden, `The ${hidden.length} numbers before its last map`, 64),
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
    if (panel.hidden) return;
    const buttons = () => [...panel.querySelectorAll("button, [tabindex]")];
    const held = buttons().indexOf(document.activeElement);
    const [title, content] = OPEN[name](Number(at), scene);
    const close = make("button", { type: "button", class: "writer-close", "aria-label": "Close" }, "×");
    close.addEventListener("click", shut);
    panel.replaceChildren(close, make("h3", {}, title), ...content);
    if (held >= 0) buttons()[held]?.focus({ preventScroll: true });
  }

  return { draw: show };
};
})();
