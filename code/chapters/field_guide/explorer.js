const TEXT = { last: 12, at: { query: 4, key: 1 }, start: 36, slot: 24, row: 66, above: 24,
  below: 108, foot: 66 };
const LOW = -7.5, HIGH = 4.5; // ends of the scale

const math = {
  dot: (a, b) => a.reduce((sum, side, i) => sum + side * b[i], 0),
  add: (a, b) => a.map((side, i) => side + b[i]),
  // The sine and the cosine of a fast and a slow hand at a position.
  hands: (t) => [1, 0.01].flatMap((speed) => [Math.sin(speed * t), Math.cos(speed * t)]),
  // Each pair of features, turned by as much as its hand.
  turn(x, t) {
    const [s, c, slow, cosine] = math.hands(t), [a, b, e, f] = x;
    return [a * c - b * s, a * s + b * c, e * cosine - f * slow, e * slow + f * cosine];
  },
  // The score of a query and a key in each scheme; NaN where a table has no row.
  score({ query, key, table, learned, slope, last = 12 }, t, s) {
    const plain = math.dot(query, key), [a, b] = [t, s].map(Math.round);
    const meet = (p, q) => math.dot(math.add(query, p), math.add(key, q));
    return [
      plain,
      meet(math.hands(t), math.hands(s)),
      table[a] && table[b] ? meet(table[a], table[b]) : NaN,
      math.dot(math.turn(query, t), math.turn(key, s)),
      plain - slope * Math.abs(t - s),
      plain + learned[last + a - b],
    ];
  },
  // Where a score stands on the scale, in percent.
  place: (score) => (100 * (score - LOW)) / (HIGH - LOW),
};

function start({ data }) {
  return (view, moved) => {
    if (moved === null) letDragWords(view, TEXT);
    const { query, key } = view.at, back = query - key, { say } = words;
    const zero = math.place(0);
    math.score(data, query, key).forEach((score, i) => {
      const end = Number.isNaN(score) ? zero : math.place(score);
      view.set(`bar-${i}`, { x: Math.min(zero, end), width: Math.abs(end - zero) });
      view.write(`score-${i}`, Number.isNaN(score) ? "no row" : fixed(score, 2));
    });
    const far = `${say(Math.abs(back))} ${back < 0 ? "ahead" : "back"}`;
    putWords(view, TEXT, `river ${far}`);
    view.write("readout", `Bank at ${say(query)} asks for river at ${say(key)}, ${far}.` +
      (moved === "both" ? " Both move together." : "") + (moved ? " Marked is what changed." : ""));
  };
}
