/* What the translator shows of its 24 heads and of its search, below its words, what it
says of an answer that is not right, and where the focus goes when its place is gone.

`translator.js` fetches this with the model, and hands over what both use. */
(() => {
"use strict";

const [ENGLISH, FRENCH] = ["English", "French"];
const KINDS = [ // stack, part, who looks at whom
  ["encoder", "self_attention", ENGLISH, ENGLISH],
  ["decoder", "self_attention", FRENCH, FRENCH],
  ["decoder", "cross_attention", FRENCH, ENGLISH],
];
const LAYERS = [0, 1];
const WINS = "A text that ends (∎) is scored by the logarithm of its probability, divided by "
  + "((5 + length) / 6)^0.6, so that a long one can win over a likelier short one.";

globalThis.bookPanels = ({
  box, parts, state, make, bare, percent, textOf, mark, renew, marked, still,
}) => {
  const thumbs = make("div", { class: "translator-thumbs" });
  const map = make("div", { class: "translator-map" });
  const first = make("p"), notice = make("p", { class: "translator-hint" }, marked.notice);
  parts.heads.append(first, thumbs, map, notice);
  parts.beams.append(parts.steps);

  /* Who looks stands in rows, who is looked at in columns: the two axes of a map. */
  function axes(looks, looked) {
    return [make("span", { class: "translator-asks" }, `${looks} ↓`),
      make("span", { class: "translator-looked" }, `${looked} →`)];
  }

  /* Draw anew, and leave the focus where it was. */
  function drawHeads(found) {
    const { keep } = document.activeElement?.dataset ?? {};
    const ink = getComputedStyle(box).getPropertyValue("--look-ink").trim();
    // What is said of the marked head was measured on the whole machine.
    first.textContent = state.twin ? marked.told.replace(/\..*/s, ".") : marked.told;
    notice.hidden = Boolean(state.twin);
    thumbs.replaceChildren(...KINDS.flatMap((kind) => [
      nameKind(kind),
      ...LAYERS.map((layer) => make("div", { role: "group" },
        make("span", {}, `layer ${layer + 1}, heads 1 to 4`),
        ...found.maps[nameOf(kind, layer)].map((rows, head) =>
          drawHead(found, { kind, layer, head }, rows, ink)))),
    ]));
    drawChosen(found);
    if (keep) parts.heads.querySelector(`[data-keep="${keep}"]`)?.focus();
  }

  function nameKind([stack, , ...words]) {
    const [looks, looked] = axes(...words);
    return make("p", {}, `${stack}: `, looks, " looks at ", looked);
  }

  function nameOf([stack, part], layer) {
    return `${stack}.layers.${layer}.${part}`;
  }

  /* A small picture of a head, to choose it by. */
  function drawHead(found, { kind, layer, head }, rows, ink) {
    const [stack, part] = kind, name = nameOf(kind, layer), keep = `${name}.${head}`;
    const chosen = state.head?.name === name && state.head.head === head;
    const off = state.silent.has(keep), dotted = keep === marked.head && !state.twin;
    const button = make("button", { type: "button", class: "translator-head",
      "data-keep": keep, "aria-pressed": String(chosen),
      "aria-label": `${stack}, layer ${layer + 1}, ${part.replace("_", "-")}, head `
        + `${head + 1}${off ? ", switched off" : ""}${dotted ? ", the one with a dot" : ""}`,
    }, drawMap(rows, ink));
    button.classList.toggle("off", off);
    button.classList.toggle("dotted", dotted);
    // Its lines show above while it is pointed at, if it looks from French at English.
    const look = (shown) => {
      const now = state.head;
      state.head = shown;
      mark();
      state.head = now;
    };
    if (part === "cross_attention") {
      for (const way of ["pointerenter", "focus"]) {
        button.addEventListener(way, () => look({ name, part, head, kind, layer }));
      }
      for (const way of ["pointerleave", "blur"]) {
        button.addEventListener(way, () => look(state.head));
      }
    }
    button.addEventListener("click", () => {
      state.head = chosen ? null : { name, part, head, kind, layer };
      drawHeads(found);
      mark();
      if (!chosen) {
        map.scrollIntoView({ block: "nearest", behavior: still.matches ? "instant" : "smooth" });
      }
    });
    return button;
  }

  /* A picture of weights, in a color. */
  function drawMap(rows, ink) {
    const width = Math.max(...rows.map((row) => row.length));
    const canvas = make("canvas", { width, height: rows.length, "aria-hidden": "true" });
    const paint = canvas.getContext("2d");
    paint.fillStyle = ink;
    rows.forEach((row, y) => row.forEach((weight, x) => {
      paint.globalAlpha = weight;
      paint.fillRect(x, y, 1, 1);
    }));
    return canvas;
  }

  /* The chosen head with its words and its numbers, and a switch. */
  function drawChosen(found) {
    const { head } = state;
    if (!head) {
      map.replaceChildren(make("p", { class: "translator-hint" },
        "A pressed head opens its map."));
      return;
    }
    const [stack, , looks, looked] = head.kind;
    const rows = found.maps[head.name][head.head];
    const words = {
      [ENGLISH]: found.source.map(bare),
      [FRENCH]: ["begin", ...found.words.slice(0, -1).map(({ piece }) => bare(piece))],
    };
    const down = words[looks], across = words[looked];
    const top = make("tr", {}, make("td", {}, ...axes(looks, looked)),
      ...across.map((word) => make("th", { scope: "col" }, make("span", {}, word))));
    const body = rows.map((row, y) => make("tr", {},
      make("th", { scope: "row" }, down[y]), ...across.map((word, x) => {
        const weight = row[x] ?? 0;
        const cell = make("td", { title: `${down[y]} → ${word}: ${weight.toFixed(2)}` },
          make("span", {}, weight.toFixed(2)));
        cell.style.setProperty("--look", weight);
        return cell;
      })));
    const name = `${head.name}.${head.head}`, off = state.silent.has(name);
    const toggle = make("button", { type: "button", "aria-pressed": String(off),
      "data-keep": "toggle" }, off ? "Switch it on again" : "Switch this head off");
    toggle.addEventListener("click", () => {
      if (off) state.silent.delete(name);
      else state.silent.add(name);
      renew();
    });
    map.replaceChildren(
      make("p", {}, `${stack}, layer ${head.layer + 1}, head ${head.head + 1} `, toggle),
      make("div", { class: "translator-scroll", tabIndex: 0, role: "group",
        "aria-label": "Weights of the head" }, make("table", {}, top, ...body)));
  }

  /* A chance of a text; those of one step differ by their size. */
  function small(chance) {
    if (chance >= 0.005) return percent(chance);
    return chance < 0.0001 ? "< 0.01 %" : `${(100 * chance).toPrecision(1)} %`;
  }

  /* The texts that were kept as a tree: a column for each step, and a line from each text
  to what it goes on as. What was written is the strongest. Below it all stand in words. */
  function drawTree(found) {
    const [first, wide, high, half] = [82, 88, 26, 32], { END } = globalThis.bookTransformer;
    const kept = found.steps.map((looked) => [...looked.filter(({ ends }) => ends),
      ...looked.filter(({ ids }) => ids.at(-1) !== END).slice(0, state.width)]
      .sort((a, b) => b.sum - a.sum));
    const best = `${found.words.map(({ id }) => id)},`;
    const draw = (kind, given, ...held) => {
      const part = document.createElementNS("http://www.w3.org/2000/svg", kind);
      Object.entries(given).forEach(([key, value]) => part.setAttribute(key, value));
      part.append(...held);
      return part;
    };
    const parts = kept.flatMap((texts, n) => texts.flatMap(({ ids, sum, ends }, row) => {
      const before = `${ids.slice(0, -1)}`;
      const from = n ? kept[n - 1].findIndex((text) => `${text.ids}` === before) : 0;
      const [x, y, y1] = [first + n * wide, (row + 0.5) * high, (from + 0.5) * high];
      const name = { class: best.startsWith(`${ids},`) ? "best" : "other" };
      return [draw("path", { ...name, "stroke-width": 1 + 3 * Math.exp(sum),
        d: `M${n ? x - wide + half : first - 42} ${y1}L${x - half} ${y}` }),
      draw("text", { ...name, x, y }, ends ? "∎" : textOf(ids.slice(-1)))];
    }));
    return draw("svg", { class: "translator-tree", "aria-hidden": "true",
      width: first + wide * kept.length, height: high * Math.max(...kept.map((all) => all.length)) },
    draw("text", { x: 20, y: 0.5 * high }, "begin"), ...parts);
  }

  /* Each step of the search: the texts that were kept, with their probabilities. */
  function drawBeams(found) {
    const rows = found.steps.map((candidates, n) => make("tr", {},
      make("th", { scope: "row" }, String(n + 1)), make("td", {},
        ...candidates.slice(0, state.width).map(({ ids, sum, ends }) => {
          const text = textOf(ids) || "(nothing)", bar = make("span", { class: "translator-bar" });
          bar.style.setProperty("--chance", Math.exp(sum));
          const line = make("div", {}, make("span", {}, text + (ends ? " ∎" : "")), bar,
            make("small", {}, small(Math.exp(sum))));
          if (ends) line.classList.add("ended");
          return line;
        }))));
    parts.steps.replaceChildren(make("div", { class: "translator-scroll", tabIndex: 0,
      role: "group", "aria-label": "Steps of the search" },
    ...(state.width > 1 ? [drawTree(found)] : []),
    make("table", {}, make("tr", {}, make("th", { scope: "col" }, "step"),
      make("th", { scope: "col" }, "texts, and their probabilities so far")),
    ...rows)), ...(state.width > 1 ? [make("p", { class: "translator-hint" }, WINS)] : []));
  }

  /* What is to be said of an answer that is not right. */
  function judge(text, { text: given, right = text, spelling }) {
    if (right === text) return [];
    const isFrench = globalThis.bookNumbers.isFrench(given);
    return [make("small", { class: "translator-right" }, ...(isFrench
      ? ["That is French already, and it has learned to read English. It answers all the same."]
      : right !== null
      ? ["right: ", make("b", {}, right)]
      : [`It learned one spelling of each number, ${spelling ? `of this one “${spelling}”`
        : "and none is written so"}. It answers all the same: it has not learned to refuse.`]))];
  }

  /* Say of a wrong word how likely it was, and how likely the right one; nothing, if it is
  right or the right one is not among the likeliest. */
  function tellMistake(word, right) {
    const [, missed] = word?.likeliest.find(([piece]) => piece === right) ?? [];
    if (!missed || word.piece === right) return "";
    const [had, lacked] = [word.chance, missed].map((share) => percent(share).replace(" ", "\u00a0"));
    return `Here “${bare(word.piece)}” had ${had}, and “${bare(right)}” ${lacked}.`;
  }

  new ResizeObserver(() => {
    box.style.setProperty("--said", `${parts.said.offsetHeight}px`);
  }).observe(parts.said);

  /* Who walks with the keyboard stays where they are when it is drawn anew: at the word in
  the same place, or at what stands before a button that is no longer there. */
  let last = null; // what has the focus of the keyboard
  let chosen = null; // the row of the word that had it last, and its place there
  const isThere = (element) => element.isConnected && !element.closest("[hidden]");

  function follow({ target }) {
    last = target.matches(":focus-visible") ? target : null;
    const row = last?.matches(".translator-word") && last.closest(".translator-row");
    if (row) chosen = { row, place: wordsOf(row).indexOf(last) };
  }

  function wordsOf(row) {
    return [...row.querySelectorAll("button")];
  }

  /* The last of what can be walked to, in an element or before it. */
  function before(element) {
    return [...box.querySelectorAll("a[href], button, input")].filter((other) => isThere(other)
      && !other.disabled && other.tabIndex >= 0 && (element.contains(other)
        || element.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_PRECEDING)).at(-1);
  }

  function keepFocus(changes) {
    const now = document.activeElement;
    if (!last || isThere(last) || (now && now !== document.body && isThere(now))) return;
    const gone = changes.find(({ removedNodes }) =>
      [...removedNodes].some((node) => node.contains(last)));
    const isWord = last.matches(".translator-word") || gone?.target === parts.told;
    const words = isWord && chosen ? wordsOf(chosen.row) : [];
    const to = words[Math.min(chosen?.place, words.length - 1)]
      ?? before(gone ? gone.previousSibling ?? gone.target : last);
    to?.focus();
  }

  box.addEventListener("focusin", follow);
  box.addEventListener("focusout", ({ target }) => queueMicrotask(() => {
    if (last === target && isThere(target)) last = null; // it went of itself
  }));
  new MutationObserver(keepFocus).observe(box,
    { subtree: true, childList: true, attributeFilter: ["hidden"] });
  if (box.contains(document.activeElement)) follow({ target: document.activeElement });

  return { drawHeads, drawBeams, judge, tellMistake };
};
})();
