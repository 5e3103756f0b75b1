const words = {
  // The nearest position to one that may lie outside of the text.
  clamp: (position, last) => Math.min(Math.max(position, 0), last),
  // Both positions moved alike; the end of the text stops both.
  shift({ query, key }, by, last) {
    const far = Math.min(Math.max(by, -Math.min(query, key)), last - Math.max(query, key));
    return { query: query + far, key: key + far };
  },
  // The nearest places of words that were let go; their offset is rounded by itself.
  settle({ query, key }, last) {
    const near = Math.round(query);
    return words.shift({ query: near, key: near + Math.round(key - query) }, 0, last);
  },
  // A word between two places is told with a decimal.
  say: (position) => fixed(position, 1).replace(".0", ""),
};

// Lets a reader drag two words along a text, and both by the number between them. They
// stand at `view.at`, glide under the finger, and fall into a place when they are let go.
function letDragWords(view, { last, start, slot, at }) {
  const range = [0, last];
  const place = (x) => (x - start) / slot;
  const drop = () => (view.at = words.settle(view.at, last));
  view.at = at;
  for (const name of ["query", "key"]) {
    const move = (to) => (view.at = { ...view.at, [name]: words.clamp(to, last) });
    letDrag(view, name, {
      label: `${view.part(`${name}-word`).textContent}, ${name}`, range, drop,
      drag: (x) => move(place(x)),
      step: (right, up) => move(view.at[name] + (right || up)),
    });
  }
  const shift = (by) => (view.at = words.shift(view.at, by, last));
  letDrag(view, "both", {
    label: "both words", range, drop,
    drag: (x) => shift(place(x) - (view.at.query + view.at.key) / 2),
    step: (right, up) => shift(right || up),
  });
}

// Draws both words where they stand, and says what they have in common.
function putWords(view, { start, slot, row, above, below, foot }, told) {
  const { query, key } = view.at;
  const [from, to] = [query, key].map((position) => start + slot * position);
  const say = words.say, offset = key - query;
  putHandle(view, "query", [from, above], query, `position ${say(query)}`);
  putHandle(view, "key", [to, below], key, `position ${say(key)}`);
  putHandle(view, "both", [(from + to) / 2, row], Math.min(query, key),
    `positions ${say(query)} and ${say(key)}, ${told}`);
  view.part("both-word").textContent = (offset > 0 ? "+" : "") + say(offset);
  view.set("stem-query", { d: `M ${coordinate(from)} ${above} V ${foot}` });
  view.set("stem-key", { d: `M ${coordinate(to)} ${below} V ${row}` });
  view.set("span", { d: `M ${coordinate(from)} ${row} H ${coordinate(to)}` });
}
