/* What the page shows before its model is there: a record of what the model did with a
beginning, which moves once, until somebody touches anything.

`writer.js` fetches this with the page, and hands over what both use; `writer_record.js`
holds the records. */
(() => {
"use strict";

const SLOW = 0.45, FAST = 0.12; // of a watched token's time: the first one, and those after it
const LAND = [0.6, 0.3]; // of the time in which its word lands

globalThis.bookWriterDemo = ({ box, still, gap, make, quiet }) => {
  const { layout, placed, draw, percent, STYLE } = globalThis.bookWriterPicture;
  const records = globalThis.bookWriterRecord;
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const list = make("ol", { class: "writer-next", "aria-label": "What could come next" });
  const words = gap.parentElement, space = document.createTextNode(" ");
  const flow = globalThis.bookWriterFlow({ box, svg, next: list, quiet });
  let turns = 0, shown = null, width = 280;

  svg.setAttribute("class", "writer-picture");
  svg.setAttribute("role", "img");
  document.head.append(make("style", {}, STYLE));
  still.querySelector(".drawings").replaceWith(make("div", { class: "writer-stage" }, svg, list));

  /* Take the width that the picture has room for now. */
  function measure() {
    const [beside] = getComputedStyle(svg.parentElement).gridTemplateColumns.split(" ");
    const before = width;
    width = Math.max(280, parseFloat(beside) || 280);
    if (width !== before) shown = null;
  }

  /* What the picture shows when a place of a record is the newest. */
  function sceneOf({ rows, prompt, told }, place, count) {
    const { said, next } = told[place + 1 - prompt], shown = placed(rows[place].looks, place, count);
    return { ...shown, place, next, layers: said.length - 1, silent: new Set(), positions: true,
      said: said.map(([name, share]) => ({ name, share })),
      rows: shown.rows.map((row) => ({ ...rows[row.place], ...row })) };
  }

  /* Show a place of a record, unless it is shown. */
  function show(record, place) {
    if (shown?.record === record && shown.place === place) return;
    const frame = layout(width, record.told[0].said.length - 1);
    const scene = sceneOf(record, place, frame.rows), { drawn, tall } = draw(scene, frame);
    for (const [name, value] of Object.entries({ width, height: tall, viewBox: `0 0 ${width} ${tall}` })) {
      svg.setAttribute(name, value);
    }
    const names = scene.said.map(({ name }) => name).join(", ");
    svg.setAttribute("aria-label", `Rows of tokens up to ${scene.rows.at(-1).name}, columns of ${scene.layers} ` +
      `layers. Lines show where each row looks. Below the layers stands what the model would say there: ${names}.`);
    svg.innerHTML = drawn.replaceAll(/ (?:role|tabindex|aria-\w+)="[^"]*"/g, ""); // nothing opens yet
    list.replaceChildren(...scene.next.map(([name, share]) => {
      const row = make("li", { "data-id": "" }, make("span", {}, name), make("small", {}, percent(share)));
      row.style.setProperty("--share", share);
      return row;
    }));
    shown = { ...scene, record };
  }

  /* Wait until what is drawn has been laid out, so that no task is long. */
  function laidOut() {
    return new Promise((resume) => requestAnimationFrame(() => setTimeout(resume)));
  }

  /* Show a beginning before anything was written. */
  function rest(text) {
    const record = records[text];
    words.replaceChildren(text, space, gap);
    show(record, record.prompt - 1);
  }

  /* Show what the model did with a beginning; where motion is wanted, let it come about. */
  async function play(text) {
    const record = records[text], turn = turns += 1, { prompt, rows } = record;
    flow.finish();
    gap.classList.add("waits");
    measure();
    rest(text);
    for (let place = prompt - 1; place < rows.length; place += 1) {
      show(record, place);
      if (quiet.matches || place === rows.length - 1) break;
      const first = place < prompt;
      await laidOut();
      if (turn !== turns || !await flow.run(shown, first ? SLOW : FAST) || turn !== turns) break;
      const { letters } = rows[place + 1], word = make("b", {}, letters.trim());
      space.before(letters.startsWith(" ") ? " " : "", word);
      await flow.land(list.firstChild, word, LAND[Number(!first)]);
      if (turn !== turns) break;
    }
    if (turn === turns) gap.classList.remove("waits");
  }

  /* End what moves, and let nothing follow. */
  function stop() {
    if (!gap.classList.contains("waits")) return;
    turns += 1;
    flow.finish();
    gap.classList.remove("waits");
  }

  measure();
  return { rest, play, stop, knows: (text) => Object.hasOwn(records, text),
    tokens: (text) => records[text].rows.slice(1, records[text].prompt) };
};
})();
