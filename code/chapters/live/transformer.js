/* A Transformer in plain JavaScript: it translates number words, or goes on with a text.

It computes what the package computes, layer by layer and under the same names, for one
text at a time; a test compares every layer's output with PyTorch's. A row is the vector
of one position, a Float32Array; a text is an array of rows. Sums run in double
precision and are rounded where PyTorch keeps a float32. What runs for each weight or
feature is a plain loop, which takes a fraction of the time of `map` and `reduce`.

What takes long stops between its parts, so that a page can do something else there:
`unpacking`, `encoding`, `searching` and `sampling` are generators, and `unpack`,
`encode`, `search` and `sample` run through them at once.

Source: Vaswani et al. (2017), sections 3.1 to 3.5, with norms before the sublayers; a
model without an encoder as Touvron et al. (2023), section 2.2. */

(() => {
"use strict";

const BEGIN = 1, END = 2, UNKNOWN = 3;
const BREATH = 24; // milliseconds that the page waits at most for a work of parts

/* A work that does all its parts at once, and returns what comes of them. */
function whole(work) {
  return (...given) => {
    const parts = work(...given);
    let part = parts.next();
    while (!part.done) part = parts.next();
    return part.value;
  };
}

/* Let the page do what waits: a message has its turn like all else, while a timer waits
four milliseconds more, and `scheduler.yield` comes before the timers of the page. */
function pause() {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resume) => {
    port1.onmessage = () => { port1.close(); resume(); };
    port2.postMessage(null);
  });
}

/* Do a work part by part, and let the page do something else after the first one and in
between; stop when what comes of it is not wanted any more. */
async function paced(parts, wanted = () => true) {
  let begun = -Infinity;
  for (let part = parts.next(); ; part = parts.next()) {
    if (part.done) return part.value;
    if (performance.now() - begun < BREATH) continue;
    await pause();
    if (!wanted()) return null;
    begun = performance.now();
  }
}

/* Turn base64 into an array of numbers of the given kind. */
function decoded(text, Kind) {
  const signs = atob(text), bytes = new Uint8Array(signs.length);
  for (let i = 0; i < bytes.length; i += 1) bytes[i] = signs.charCodeAt(i);
  return new Kind(bytes.buffer);
}

/* The numbers of a matrix, from whole ones and a scale for each row. */
function rescaled(levels, scales) {
  const matrix = new Float32Array(levels.length), columns = levels.length / scales.length;
  for (let row = 0, i = 0; row < scales.length; row += 1) {
    for (let end = i + columns; i < end; i += 1) matrix[i] = levels[i] * scales[row];
  }
  return matrix;
}

/* Return a model from its packed form: numbers of eight bits and a scale for each row
of a matrix, other tensors in float32 as they are. A part is a tensor. */
function* unpacking(packed) {
  const tensors = {};
  for (const [name, { numbers, scales }] of Object.entries(packed.tensors)) {
    const plain = decoded(numbers, scales ? Int8Array : Float32Array);
    tensors[name] = scales ? rescaled(plain, decoded(scales, Float32Array)) : plain;
    yield;
  }
  tensors["head.projection.weight"] = tensors["embedding.tokens.embedding.weight"];
  const ids = new Map(packed.vocabulary.map((word, id) => [word, id]));
  return { config: packed.config, words: packed.vocabulary, ids, tensors };
}

/* y = W x + b, with W a row of weights for each feature of y. Four are computed at once,
so that their sums share what is fetched of x. The last four may be partly those before:
to read past the end would be right too, and slower. */
function linear(model, name, x) {
  const weight = model.tensors[`${name}.weight`], bias = model.tensors[`${name}.bias`];
  const inputs = x.length, outputs = weight.length / inputs, y = new Float32Array(outputs);
  for (let i = 0; i < outputs; i += 4) {
    const at = Math.min(i, outputs - 4), first = at * inputs;
    const second = first + inputs, third = second + inputs, fourth = third + inputs;
    let a = 0, b = 0, c = 0, d = 0;
    for (let j = 0; j < inputs; j += 1) {
      const value = x[j];
      a += weight[first + j] * value;
      b += weight[second + j] * value;
      c += weight[third + j] * value;
      d += weight[fourth + j] * value;
    }
    y[at] = a;
    y[at + 1] = b;
    y[at + 2] = c;
    y[at + 3] = d;
  }
  if (bias) for (let i = 0; i < outputs; i += 1) y[i] += bias[i];
  return y;
}

/* x + change; in a model without skips, what a sublayer makes of x stands alone. */
function joined(model, x, change) {
  if (model.config.skips === false) return change;
  const y = new Float32Array(x.length);
  for (let i = 0; i < y.length; i += 1) y[i] = x[i] + change[i];
  return y;
}

/* Layer normalization, Ba et al. (2016), equation (4), or without mean and shift, Zhang
and Sennrich (2019), equation (4); a model without norms has no gain, and its vectors
pass as they are. */
function norm(model, name, x) {
  const gain = model.tensors[`${name}.weight`], shift = model.tensors[`${name}.bias`];
  if (!gain) return x;
  const size = x.length, y = new Float32Array(size);
  let sum = 0, squares = 0;
  if (model.config.norm !== "rms") for (let i = 0; i < size; i += 1) sum += x[i];
  const mean = sum / size;
  for (let i = 0; i < size; i += 1) squares += (x[i] - mean) ** 2;
  const divisor = Math.sqrt(squares / size + model.config.norm_eps);
  for (let i = 0; i < size; i += 1) y[i] = gain[i] * (x[i] - mean) / divisor;
  if (shift) for (let i = 0; i < size; i += 1) y[i] += shift[i];
  return y;
}

function softmax(scores) {
  const highest = Math.max(...scores), shares = [];
  let sum = 0;
  for (let i = 0; i < scores.length; i += 1) {
    shares.push(Math.exp(scores[i] - highest));
    sum += shares[i];
  }
  for (let i = 0; i < scores.length; i += 1) shares[i] /= sum;
  return shares;
}

/* The vector of a token at a position: its row of the table, scaled, plus sinusoids if
the model knows positions by them. */
function embed(model, id, position) {
  const { d_model: size, scale_embeddings: scaled } = model.config;
  const table = model.tensors["embedding.tokens.embedding.weight"];
  const x = table.slice(id * size, (id + 1) * size);
  if (scaled) for (let i = 0; i < size; i += 1) x[i] *= Math.sqrt(size);
  if (model.config.position !== "sinusoidal") return x;
  for (let i = 0; i < size; i += 2) {
    const angle = position * 10000 ** (-i / size);
    x[i] += Math.sin(angle);
    x[i + 1] += Math.cos(angle);
  }
  return x;
}

/* A query or key, each head of it turned by its position, if the model knows positions
by that: feature i goes with the one half a head further, Su et al. (2021), equation (15). */
function turned(model, x, position) {
  const { num_heads: heads, position: way, rotary_base: base } = model.config;
  if (way !== "rotary") return x;
  const size = x.length / heads, half = size / 2, y = new Float32Array(x.length);
  for (let i = 0; i < half; i += 1) {
    const angle = position * base ** (-i / half);
    const cosine = Math.cos(angle), sine = Math.sin(angle);
    for (let a = i, b = i + half; a < x.length; a += size, b += size) {
      y[a] = x[a] * cosine - x[b] * sine;
      y[b] = x[b] * cosine + x[a] * sine;
    }
  }
  return y;
}

/* What one query gathers from the first `seen` keys and values, all heads side by side,
or from the last `window` of these. `look` is told the weights of each head; a head in
`silent` hands on nothing. */
function attend(model, query, { keys, values }, seen, { look, silent, window = seen }) {
  const { num_heads: heads, scale_attention: scaled } = model.config;
  const size = query.length / heads, scale = scaled ? 1 / Math.sqrt(size) : 1;
  const mixed = new Float32Array(query.length);
  for (let head = 0; head < heads; head += 1) {
    const from = head * size, scores = [];
    for (let key = 0; key < seen; key += 1) {
      let score = 0;
      for (let i = from; i < from + size; i += 1) score += query[i] * keys[key][i];
      scores.push(key < seen - window ? -Infinity : score * scale);
    }
    const weights = softmax(scores);
    look(head, weights);
    if (silent(head)) continue;
    for (let i = from; i < from + size; i += 1) {
      let sum = 0;
      for (let key = 0; key < seen; key += 1) sum += weights[key] * values[key][i];
      mixed[i] = sum;
    }
  }
  return mixed;
}

/* Keys and values of rows, for attention of the given name; the first row stands at the
position `first`. */
function project(model, name, rows, first = 0) {
  return {
    keys: rows.map((x, i) =>
      turned(model, linear(model, `${name}.key_projection`, x), first + i)),
    values: rows.map((x) => linear(model, `${name}.value_projection`, x)),
  };
}

/* x + Attention(Norm(x)) for one row at a position, which sees the first `seen` of the
stored keys. */
function attended(model, name, x, store, seen, position, options) {
  const normed = norm(model, `${name}_residual.norm`, x);
  const query = turned(model, linear(model, `${name}.query_projection`, normed), position);
  const mixed = attend(model, query, store, seen, {
    look: (head, weights) => options.look?.(name, head, weights),
    silent: (head) => options.silent?.has(`${name}.${head}`) ?? false,
    window: options.window,
  });
  return joined(model, x, linear(model, `${name}.output_projection`, mixed));
}

/* What stands between the two linear maps of a network, for its normed input: max(0, x),
or one map times the SiLU of another, Shazeer (2020), equation (6). */
function hiddenOf(model, name, normed) {
  const hidden = linear(model, `${name}.up_projection`, normed);
  const gate = model.config.gated && linear(model, `${name}.gate_projection`, normed);
  for (let i = 0; i < hidden.length; i += 1) {
    hidden[i] = gate ? hidden[i] * gate[i] / (1 + Math.exp(-gate[i])) : Math.max(0, hidden[i]);
  }
  return hidden;
}

/* x + FFN(Norm(x)), unless the network is switched off. */
function fed(model, name, x, { silent }) {
  if (silent?.has(name)) return x;
  const normed = norm(model, `${name}_residual.norm`, x);
  return joined(
    model, x, linear(model, `${name}.down_projection`, hiddenOf(model, name, normed)));
}

/* Read a source: return its memory, a row for each token. A part is a layer.

`options.note(name, rows)` is told what each layer hands on, `options.look(name, head,
weights)` the weights of each head, row by row; `options.silent` is a set of heads such
as "encoder.layers.0.self_attention.3", and of networks, that are switched off. */
function* encoding(model, ids, options = {}) {
  let rows = ids.map((id, position) => embed(model, id, position));
  options.note?.("embedding", rows);
  for (let l = 0; l < model.config.num_encoder_layers; l += 1) {
    const layer = `encoder.layers.${l}`, own = `${layer}.self_attention`;
    const store = project(
      model, own, rows.map((x) => norm(model, `${own}_residual.norm`, x)));
    rows = rows.map((x, i) => attended(model, own, x, store, rows.length, i, options));
    rows = rows.map((x) => fed(model, `${layer}.feed_forward`, x, options));
    options.note?.(layer, rows);
    yield;
  }
  return rows.map((x) => norm(model, "encoder.norm", x));
}

/* Begin a text: what the decoder keeps of the memory, if it has one, and of what it
writes. */
function begin(model, memory = null) {
  const layers = Array.from({ length: model.config.num_decoder_layers }, (_, l) => ({
    own: { keys: [], values: [] },
    memory: memory && project(model, `decoder.layers.${l}.cross_attention`, memory),
  }));
  return { layers, ids: [] };
}

/* A copy of a state that can be written on by itself; rows are shared. */
function fork(state) {
  const layers = state.layers.map(({ own, memory }) => (
    { own: { keys: [...own.keys], values: [...own.values] }, memory }));
  return { layers, ids: [...state.ids] };
}

/* Let the decoder read one more token; return the logits of the token after it.

In a model without the causal mask a new token changes all before it, so they are read
again. `options.look` is told of the newest alone, `options.note` of the logits too;
`options.window` is how many tokens it sees, itself counted. */
function step(model, state, id, options = {}) {
  const again = model.config.causal_mask === false, place = state.ids.push(id) - 1;
  const first = again ? 0 : place, { silent } = options;
  let rows = state.ids.slice(first).map((id, i) => embed(model, id, first + i));
  const each = (name, store, window) => rows.map((x, i) => attended(
    model, name, x, store, store.keys.length, first + i,
    { ...(first + i === place ? options : { silent }), window }));
  state.layers.forEach((kept, l) => {
    const layer = `decoder.layers.${l}`, own = `${layer}.self_attention`;
    const { keys, values } = project(
      model, own, rows.map((x) => norm(model, `${own}_residual.norm`, x)), first);
    kept.own.keys.splice(first, Infinity, ...keys);
    kept.own.values.splice(first, Infinity, ...values);
    rows = each(own, kept.own, options.window);
    if (kept.memory) rows = each(`${layer}.cross_attention`, kept.memory);
    rows = rows.map((x) => fed(model, `${layer}.feed_forward`, x, options));
    options.note?.(layer, rows);
  });
  const read = norm(model, "decoder.norm", rows.at(-1));
  const logits = linear(model, "head.projection", read);
  options.note?.("logits", [logits]);
  return logits;
}

/* The logarithm of each token's probability, if the ids in `forbidden` are left out. */
function logProbabilities(logits, forbidden = new Set()) {
  const allowed = Array.from(logits, (logit, id) =>
    (forbidden.has(id) ? -Infinity : logit));
  const highest = Math.max(...allowed);
  const sum = allowed.reduce((total, logit) => total + Math.exp(logit - highest), 0);
  return allowed.map((logit) => logit - highest - Math.log(sum));
}

/* The length penalty of Wu et al. (2016), equation (14). */
function lengthDivisor(length, penalty) {
  return ((5 + length) / 6) ** penalty;
}

/* Write a translation with beams, as `beam_search` of the package does: continue every
text by every token; of the best `width` results keep those that end; the best `width`
that go on are the next beam; stop when none of them can still win. A beam of width 1 is
greedy decoding. A part is a text that is read.

Returns `{ best, steps }`: the best text that ended, and for each step the candidates
that were looked at: their ids, the probability of the last one, the sum of logarithms,
and whether they end or go on. */
function* searching(model, memory, options = {}) {
  const { width = 1, longest = 40, penalty = 0.6, forbidden } = options;
  let beam = [{ ids: [], sum: 0, state: begin(model, memory), last: BEGIN }];
  let best = { ids: [], score: -Infinity };
  const steps = [], last = lengthDivisor(longest, penalty);
  for (let length = 1; length <= longest && beam.length > 0; length += 1) {
    const found = [];
    for (const [order, text] of beam.entries()) {
      const logs = logProbabilities(
        step(model, text.state, text.last, options), forbidden);
      found.push(...logs.map((log, id) => ({ text, order, id, log, sum: text.sum + log }))
        .filter((candidate) => candidate.log > -Infinity));
      yield;
    }
    found.sort((a, b) => b.sum - a.sum || a.order - b.order || a.id - b.id);
    const looked = found.slice(0, width === 1 ? 1 : 2 * width).map((candidate, place) => (
      { ...candidate, ids: [...candidate.text.ids, candidate.id],
        ends: candidate.id === END && place < width }));
    const going = looked.filter(({ id }) => id !== END).slice(0, width);
    const over = looked.filter(({ ends }) => ends);
    for (const { ids, sum } of length < longest ? over : [...over, ...going]) {
      const score = sum / lengthDivisor(length, penalty);
      if (score > best.score) best = { ids, score };
    }
    steps.push(looked.map(({ ids, log, sum, ends, order }) => (
      { ids, chance: Math.exp(log), sum, ends, order })));
    const used = new Set();
    beam = going.filter(({ sum }) => sum / last > best.score)
      .map(({ text, ids, id, sum }) => {
        const state = used.has(text.state) ? fork(text.state) : text.state;
        used.add(text.state);
        return { ids, sum, last: id, state };
      });
  }
  return { best, steps };
}

/* Write a translation by drawing each word from p = softmax(logits / temperature), with a
number between 0 and 1 for each place: words stand side by side on a line of length 1, the
likeliest first, and the number points at one. Returns what `search` does; a part is a
word. */
function* sampling(model, memory, { temperature, dice, longest = 40, forbidden, ...options }) {
  const state = begin(model, memory), ids = [], steps = [];
  let last = BEGIN, sum = 0;
  while (ids.length < longest && last !== END) {
    const logits = step(model, state, last, options);
    const logs = logProbabilities(logits.map((logit) => logit / temperature), forbidden);
    const order = logs.map((_, id) => id).sort((a, b) => logs[b] - logs[a]);
    let left = dice[ids.length];
    last = order.find((id) => (left -= Math.exp(logs[id])) < 0) ?? order[0];
    sum += logs[last];
    ids.push(last);
    steps.push([{ ids: [...ids], chance: Math.exp(logs[last]), sum, ends: last === END }]);
    yield;
  }
  return { best: { ids }, steps };
}

const CONTINUATION = "##"; // marks a piece that follows another one without a space
const PIECE = /[^\p{L}\p{N}_\s]?[\p{L}\p{N}_]+|[^\p{L}\p{N}_\s]/gu;

/* The pieces of a text, cut as in `transformer.data.pieces`: "forty-two" becomes
"forty" and "##-two". */
function split(text) {
  return text.normalize("NFC").split(/\s+/).filter(Boolean).flatMap((word) => {
    const [first, ...others] = word.match(PIECE) ?? [];
    return first ? [first, ...others.map((other) => CONTINUATION + other)] : [];
  });
}

/* The text of pieces. */
function join(pieces) {
  return pieces.map((piece) => (piece.startsWith(CONTINUATION)
    ? piece.slice(CONTINUATION.length) : ` ${piece}`)).join("").trimStart();
}

/* The ids of a text with its end, its pieces, and those that the model does not know. */
function read(model, text) {
  const pieces = split(text);
  return {
    pieces,
    ids: [...pieces.map((piece) => model.ids.get(piece) ?? UNKNOWN), END],
    unknown: pieces.filter((piece) => !model.ids.has(piece)),
  };
}

/* The pieces of ids, up to the end. */
function pieces(model, ids) {
  const end = ids.indexOf(END);
  return (end < 0 ? ids : ids.slice(0, end)).map((id) => model.words[id]);
}

globalThis.bookTransformer = {
  BEGIN, END, unpacking, encoding, searching, sampling,
  unpack: whole(unpacking), encode: whole(encoding),
  search: whole(searching), sample: whole(sampling),
  begin, step, softmax, logProbabilities, split, join, read, pieces,
  whole, paced, decoded, rescaled, embed, norm, linear, turned, project, attend, hiddenOf,
};
})();
