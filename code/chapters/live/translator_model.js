/* What the translator asks of its model: can it read a text, and what does it write?

`translator.js` fetches this with the engine (`transformer.js`), the words of numbers
(`number_words.js`) and the numbers of a model. */
(() => {
"use strict";

const TENS = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety";
const UNITS = "one|two|three|four|five|six|seven|eight|nine";
const LAST = "decoder.layers.1.cross_attention";
const MOST = 24; // words of a number, and of its translation

/* The text as the model has learned to read it: in words, small letters, and with a
hyphen in forty-two. */
function tidy(text) {
  const digits = text.replace(/(\d)(\s*,\s*|\s+)(?=\d{3}\D*$)/, "$1,"); // 1 000
  const words = globalThis.bookNumbers.inWords(digits).toLowerCase()
    .replace(/[.,!?;:]+/g, " ").trim();
  const pair = new RegExp(`\\b(${TENS})[\\s-]+(${UNITS})\\b`, "g");
  return words.replace(pair, "$1-$2");
}

/* The mean of rows of weights, column by column. */
function meanOf(rows) {
  return rows[0].map((_, key) => rows.reduce((sum, row) => sum + row[key], 0) / rows.length);
}

function bare(piece) {
  return piece.replace(/^##-?/, "");
}

const models = new Map(); // those that were unpacked, or are being

/* Return a model, in time, from its packed form; `order` sorts places by what stands
there. */
globalThis.bookModel = (packed, order) => {
  if (!models.has(packed)) models.set(packed, unpacked(packed, order));
  return models.get(packed);
};

async function unpacked(packed, order) {
  const engine = globalThis.bookTransformer, { paced } = engine;
  const model = await paced(engine.unpacking(packed));

  /* What is wrong with a text, in a sentence; nothing if the model can read it. */
  function complain(text) {
    if (!text) return "Type a number, such as forty-two or 42.";
    if (/\d/.test(text)) return "It reads whole numbers from 0 to 999,999, such as 42.";
    if (/\b[a-z]*illions?\b/.test(text)) {
      return "It has learned to count to 999,999, which is one less than a million.";
    }
    const { ids, unknown } = engine.read(model, text);
    if (unknown.length > 0) {
      const words = unknown.map((piece) => `“${bare(piece)}”`).join(", ");
      return `It knows number words only, from zero to 999,999, and has never met ${words}.`;
    }
    if (ids.length > MOST) return `It reads numbers of ${MOST - 1} words at most.`;
    return "";
  }

  /* A text with the words that it does not know mended; none, if one cannot be. */
  function mend(text) {
    const { unknown } = engine.read(model, text), words = unknown.map(bare);
    const known = words.map(globalThis.bookNumbers.meant);
    if (!words.length || known.includes(null)) return "";
    return words.reduce((all, word, i) => all.replace(word, known[i]), text);
  }

  /* Let the decoder read a text once more; a part is a word. */
  function* reading(memory, ids, options) {
    const state = engine.begin(model, memory);
    for (const id of [engine.BEGIN, ...ids.slice(0, -1)]) {
      engine.step(model, state, id, options);
      yield;
    }
  }

  /* Translate, note who looks at whom, and what is right; null if no number is said so.
  At a temperature words are drawn, at zero searched for. */
  function* translating(text, { silent, forbidden, width, temperature, dice }) {
    const source = engine.read(model, text), maps = {};
    const look = (name, head, weights) => {
      maps[name] ??= [];
      (maps[name][head] ??= []).push(weights);
    };
    const memory = yield* engine.encoding(model, source.ids, { silent, look });
    const written = []; // the logits of each word
    const note = (name, rows) => { if (name === "logits") written.push(...rows); };
    const seen = { silent, look, note }, searched = width > 1 && !temperature;
    const write = temperature ? engine.sampling : engine.searching;
    const { best, steps } = yield* write(model, memory, {
      ...(searched ? { silent } : seen), forbidden, width, temperature, dice, longest: MOST });
    if (searched) yield* reading(memory, best.ids, seen); // where its heads look
    const named = (id) => (id === engine.END ? "end" : model.words[id]);
    const words = best.ids.map((id, place) => {
      const logits = written[place].map((logit) => logit / (temperature || 1));
      const chances = engine.logProbabilities(logits, forbidden).map(Math.exp);
      return { id, piece: named(id), chance: chances[id],
        likeliest: order(chances).slice(0, 5).map((other) => [named(other), chances[other]]),
        looks: meanOf(maps[LAST].map((rows) => rows[place])) };
    });
    const { read, respelled, french } = globalThis.bookNumbers, number = read(text);
    return { text, source: [...source.pieces, "end"], words, maps, steps,
      features: model.config.d_model, pieces: model.words.length,
      again: model.config.causal_mask === false, // it reads all that it wrote for each word
      spelling: number === null ? respelled(text) : null,
      right: number === null ? null : french(number) };
  }

  return { tidy, complain, mend, piecesOf: (ids) => engine.pieces(model, ids),
    compute: (text, choices, wanted) => paced(translating(text, choices), wanted) };
}
})();
