const LEFT = 52, SIDE = 22, MOST = 5;

const math = {
  // Through how many layers at least a token hears of an earlier one.
  through: (distance, window) => distance === 0 ? 1
    : window === 1 ? Infinity : Math.ceil(distance / (window - 1)),
  // Whom a token hears of: for each number of layers, the keys that need so many.
  heard(token, window, layers, sink) {
    const found = Array.from({ length: layers }, () => []);
    for (let key = sink ? 1 : 0; key <= token; key++) {
      found[math.through(token - key, window) - 1]?.push(key);
    }
    if (sink) found[0].unshift(0);
    return found;
  },
  // How many keys a cache holds once it is full, or has read all tokens.
  kept: (tokens, window, sink) => Math.min(window + (sink ? 1 : 0), tokens),
  squares: (cells) => cells.map(([row, column]) =>
    `M${LEFT + SIDE * column + 1} ${SIDE * row + 1}h${SIDE - 2}v${SIDE - 2}h${2 - SIDE}z`).join(""),
};

function start({ data }) {
  const { tokens } = data, last = tokens - 1;
  let { token, window } = data;
  const clamp = (number, low, high) => Math.min(Math.max(Math.round(number), low), high);
  const choose = (to) => (token = clamp(to, 0, last));
  const widen = (to) => (window = clamp(to, 1, tokens));
  const left = () => LEFT + SIDE * Math.max(token - window + 1, 0);
  const say = (keys) => keys.length === 1 ? `token ${keys[0]}`
    : `tokens ${keys[0]} to ${keys.at(-1)}`;

  function letMove(view) {
    letDrag(view, "window", { label: "window", range: [1, tokens],
      drag: (x) => widen(token + 1 - (x - LEFT) / SIDE),
      step: (right, up) => widen(window + (up || -right)) });
    letDrag(view, "token", { label: "token that looks", range: [0, last],
      drag: (x, y) => choose(y / SIDE - 0.5),
      step: (right, up) => choose(token + (right || -up)) });
  }

  return (view, moved) => {
    if (moved === null) letMove(view);
    const layers = view.value("layers"), sink = view.value("sink");
    const all = Array.from({ length: tokens }, (_, t) => math.heard(t, window, layers, sink));
    const cells = (n) => all.flatMap((heard, t) => (heard[n] ?? []).map((key) => [t, key]));
    for (let n = 0; n < MOST; n++) view.set(`layer-${n + 1}`, { d: math.squares(cells(n)) });
    view.set("sink", { d: sink ? math.squares(all.map((_, t) => [t, 0])) : "" });
    view.set("row", { d: `M${LEFT} ${SIDE * token}h${SIDE * (token + 1)}v${SIDE}H${LEFT}z` });
    view.set("edge", { d: `M${left()} ${SIDE * token}V${SIDE * tokens + 14}` });
    putHandle(view, "token", [26, SIDE * (token + 0.5)], token, `token ${token}`);
    view.part("token-word").textContent = token;
    putHandle(view, "window", [left(), SIDE * tokens + 20], window, `window of ${window}`);
    view.part("window-word").textContent = `w = ${window}`;
    view.mean("layers", String(layers));
    const seen = math.heard(token, window, layers, false);
    const far = token - Math.min(...seen.flat());
    const kept = math.kept(tokens, window, sink);
    view.write("readout", `In one layer token ${token} sees ${say(seen[0])}. Through ` +
      `${layers} ${layers === 1 ? "layer" : "layers"} it hears from ${far} tokens back, at ` +
      `most ${layers} · (${window} − 1) = ${layers * (window - 1)}. ` +
      `${sink ? "Token 0 stays in sight. " : ""}A layer keeps ${kept} of ${tokens} keys.`);
  };
}
