/* The book's own language model in a page: its tokens, its numbers, one step after another.

It reads the files that `transformer.zoo.load("verses")` reads, which stand in one script
beside this one (`writer_weights.js`), and `transformer.js` computes. A test compares ids
and logits with the package's. */
(() => {
"use strict";

const engine = globalThis.bookTransformer;
const SPECIALS = 4; // ids before those of the tokenizer, for tokens that no text names
/* How GPT-2 cuts a text before it merges, Radford et al. (2019), section 2.2. */
const CUT = /'(?:s|t|re|ve|m|ll|d)| ?\p{L}+| ?\p{N}+| ?[^\p{White_Space}\p{L}\p{N}]+|\p{White_Space}+(?!\P{White_Space})|\p{White_Space}+/gu;

/* The sign that stands for each byte in the tokenizer's file: itself where it can be seen. */
const SIGNS = (() => {
  const signs = [];
  let hidden = 256;
  for (let byte = 0; byte < 256; byte += 1) {
    const seen = (byte > 32 && byte < 127) || (byte > 160 && byte !== 173);
    signs.push(String.fromCharCode(seen ? byte : hidden));
    if (!seen) hidden += 1;
  }
  return signs;
})();
const BYTES = new Map(SIGNS.map((sign, byte) => [sign, byte]));

/* A tokenizer from its file: byte-pair encoding, Sennrich et al. (2016), section 3.2. */
function tokenizerOf({ opening, merges: { model: { vocab, merges } } }) {
  const ranks = new Map(merges.map((pair, rank) => [pair.join(" "), rank]));
  const pieces = [];
  for (const [piece, id] of Object.entries(vocab)) {
    pieces[id + SPECIALS] = Uint8Array.from(piece, (sign) => BYTES.get(sign));
  }

  /* Merge the pair that was learned first, until none is left that was learned. */
  function merged(signs) {
    for (;;) {
      let best = Infinity, at = -1;
      for (let i = 0; i + 1 < signs.length; i += 1) {
        const rank = ranks.get(`${signs[i]} ${signs[i + 1]}`) ?? Infinity;
        if (rank < best) [best, at] = [rank, i];
      }
      if (at < 0) return signs;
      signs.splice(at, 2, signs[at] + signs[at + 1]);
    }
  }

  function encode(text) {
    const words = text.normalize("NFC").match(CUT) ?? [];
    return words.flatMap((word) => {
      const bytes = Array.from(new TextEncoder().encode(word), (byte) => SIGNS[byte]);
      return merged(bytes).map((piece) => vocab[piece] + SPECIALS);
    });
  }

  const known = []; // texts of single tokens, which are asked for again and again
  function decode(ids) {
    if (ids.length === 1) return known[ids[0]] ??= textOf(ids);
    return textOf(ids);
  }

  function textOf(ids) {
    const bytes = ids.flatMap((id) => [...(pieces[id] ?? [])]);
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(Uint8Array.from(bytes));
  }

  /* The ids of a text to go on with, behind what stood before each text in training. */
  function encodePrompt(text) {
    return encode(opening + text);
  }

  /* The bytes of a token, as they are written in hexadecimal. */
  function bytesOf(id) {
    return Array.from(pieces[id] ?? [], (byte) => byte.toString(16).toUpperCase().padStart(2, "0"));
  }

  return { encode, encodePrompt, decode, bytesOf };
}

/* Yield between the tensors of a safetensors file; those of eight bits have a scale for
each row. */
function* unpacking({ config, tokenizer, weights }) {
  const bytes = engine.decoded(weights, Uint8Array), view = new DataView(bytes.buffer);
  const length = Number(view.getBigUint64(0, true)), from = 8 + length;
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(8, from)));
  const tensor = (name) => {
    const { dtype, data_offsets: [start, end] } = header[name];
    const Kind = { I8: Int8Array, F32: Float32Array }[dtype];
    return new Kind(bytes.buffer.slice(from + start, from + end));
  };
  const tensors = {};
  for (const name of Object.keys(header).filter((name) => !name.endsWith(".row_scale"))) {
    const scales = `${name}.row_scale`;
    tensors[name] = scales in header
      ? engine.rescaled(tensor(name), tensor(scales)) : tensor(name);
    yield;
  }
  tensors["head.projection.weight"] ??= tensors["embedding.tokens.embedding.weight"];
  return { config, tensors, tokenizer: tokenizerOf(tokenizer) };
}

/* A text that the model has read, and all that is known of it. For each place: the stream
before the first layer and after each, the logits of what comes next, what its heads look
at, `looks[layer][head]`, a weight for each place up to it, and the bits that it cost. */
function begin(model, options = {}) {
  const { positions = true, ...others } = options;
  const read = positions ? model : { ...model, config: { ...model.config, position: "none" } };
  return { model: read, options: others, state: engine.begin(read), ids: [], places: [] };
}

/* Let the model read one more token. */
function read(text, id) {
  const { model, options, state } = text, before = text.places.at(-1);
  const streams = [engine.embed(model, id, state.ids.length)], looks = [];
  const logits = engine.step(model, state, id, {
    ...options,
    note: (name, [row]) => { if (name !== "logits") streams.push(row); },
    look: (name, head, weights) => {
      const layer = Number(name.split(".")[2]);
      (looks[layer] ??= [])[head] = weights;
    },
  });
  text.ids.push(id);
  text.places.push({ id, streams, looks, logits, bits: before ? bitsOf(before.logits, id) : 0 });
  return logits;
}

/* How much a token surprises whoever had these logits for it: the loss in bits. */
function bitsOf(logits, id) {
  const { id: first, share } = likeliest(logits);
  return (logits[first] - logits[id]) / Math.LN2 - Math.log2(share);
}

/* Forget what was read behind the first `length` tokens. */
function cut(text, length) {
  const { ids, layers } = text.state;
  const rows = layers.flatMap(({ own }) => [own.keys, own.values]);
  for (const list of [text.ids, text.places, ids, ...rows]) list.length = length;
}

/* What the model would say if a stream ended here: the head reads it at once. */
function said(model, stream) {
  return engine.linear(model, "head.projection", engine.norm(model, "decoder.norm", stream));
}

/* The ids from the likeliest on, their shares at a temperature, and how many of them stay
when the likeliest that reach `most` together are kept, Holtzman et al. (2019), section
3.1; `shares` are of all, `kept` of those that stay. */
function shaped(logits, { temperature = 1, most = 1 } = {}) {
  const order = Array.from(logits, (_, id) => id).sort((a, b) => logits[b] - logits[a] || a - b);
  if (temperature === 0) return { order, shares: order.map((_, i) => Number(i === 0)), stay: 1, kept: [1] };
  const highest = logits[order[0]];
  const shares = order.map((id) => Math.exp((logits[id] - highest) / temperature));
  const total = shares.reduce((sum, share) => sum + share, 0);
  let stay = 0, sum = 0;
  for (let i = 0; i < shares.length; i += 1) {
    shares[i] /= total;
    if (most === 1 || sum < most) {
      sum += shares[i];
      stay += 1;
    }
  }
  return { order, shares, stay, kept: shares.slice(0, stay).map((share) => share / sum) };
}

/* The likeliest id and its share at a temperature: the first of `shaped`, without an order
of the others. */
function likeliest(logits, temperature = 1) {
  let id = 0, sum = 0;
  for (let i = 1; i < logits.length; i += 1) if (logits[i] > logits[id]) id = i;
  if (temperature === 0) return { id, share: 1 };
  for (let i = 0; i < logits.length; i += 1) sum += Math.exp((logits[i] - logits[id]) / temperature);
  return { id, share: 1 / sum };
}

/* The id at which a number between 0 and 1 points, if those that stay lie side by side. */
function drawn({ order, kept }, die) {
  let left = die;
  const place = kept.findIndex((share) => (left -= share) < 0);
  return order[Math.max(place, 0)];
}

/* The number between 0 and 1 that a seed gives a place, the same each time: FNV-1a, and
what MurmurHash3 does at its end. */
function dieOf(seed, place) {
  let mixed = 2166136261;
  for (const sign of `${seed},${place}`) mixed = Math.imul(mixed ^ sign.codePointAt(0), 16777619);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
}

/* What happens in a layer at a place: its query, keys, values and scores, what the heads
bring, what the network makes of it, and what it adds: nothing, if it was taken out. The
token behind it has a key too, if there is one, whose score the mask hides. */
function inside(text, layer, place) {
  const { model, options } = text, { num_heads: heads, scale_attention: scaled } = model.config;
  const own = `decoder.layers.${layer}.self_attention`;
  const network = `decoder.layers.${layer}.feed_forward`;
  const rows = text.places.slice(0, place + 2).map(({ streams }) => streams[layer]);
  const normed = rows.map((x) => engine.norm(model, `${own}_residual.norm`, x));
  const store = engine.project(model, own, normed), { keys, values } = store;
  const query = engine.turned(
    model, engine.linear(model, `${own}.query_projection`, normed[place]), place);
  const size = query.length / heads, scale = scaled ? 1 / Math.sqrt(size) : 1;
  const scores = Array.from({ length: heads }, (_, head) => keys.map((key) => {
    let sum = 0;
    for (let i = head * size; i < (head + 1) * size; i += 1) sum += query[i] * key[i];
    return sum * scale;
  }));
  const mixed = engine.attend(model, query, store, place + 1, {
    look() {}, silent: (head) => options.silent?.has(`${own}.${head}`), window: options.window });
  const brought = engine.linear(model, `${own}.output_projection`, mixed);
  const between = rows[place].map((x, i) => x + brought[i]);
  const hidden = engine.hiddenOf(
    model, network, engine.norm(model, `${network}_residual.norm`, between));
  const added = options.silent?.has(network) ? new Float32Array(between.length)
    : engine.linear(model, `${network}.down_projection`, hidden);
  return { query, keys, values, scores, mixed, between, hidden, added };
}

/* What a unit of a network adds to the logits, if what it adds is read at once: as much for
each token as its row of the head agrees with the unit's column of the last map. */
function raised(model, layer, unit, strength) {
  const weight = model.tensors[`decoder.layers.${layer}.feed_forward.down_projection.weight`];
  const gain = model.tensors["decoder.norm.weight"], size = gain.length, units = weight.length / size;
  const column = gain.map((factor, i) => factor * strength * weight[i * units + unit]);
  return engine.linear(model, "head.projection", column);
}

globalThis.bookWriter = {
  unpacking, unpack: engine.whole(unpacking), begin, read, cut, said, shaped,
  likeliest, drawn, dieOf, inside, raised,
};
})();
