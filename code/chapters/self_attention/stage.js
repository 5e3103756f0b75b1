function stage({ words, keys, values }) {
  const row = (name, i) => `<tr><th scope="row">${name}</th>` +
    `<td data-part="score-${i}"></td><td>${bar(`bar-${i}`)}</td>` +
    `<td data-part="weight-${i}"></td></tr>`;
  const gauges = { entropy: "entropy", largest: "largest weight", trace: "derivative" };
  const told = Object.entries(gauges).map(([name, text]) =>
    `${text} <b data-part="${name}"></b>`);
  return `<div class="attention">
${drawKeys(words, keys)}
${step("scores", "how far each key reaches along the line of the query")}
${ARROW}
<table aria-label="score and weight of each word">
<thead><tr><td></td><th>score</th><td>${ARROW}</td><th>weight</th></tr></thead>
<tbody>${words.map(row).join("\n")}</tbody></table>
${step("softmax", "exponentials of the scores, made to sum to one")}
${ARROW}
${drawValues(words, values)}
${step("mean", "the values added up, each times its weight")}
<div class="step gauges">${told.join(" · ")}</div>
</div>`;
}

// A plane with two features: `names` say what is in it, and `side` where the name of the
// second feature stands.
function drawPlane(label, [middle], names, [across, below], [up, side, beside], shapes) {
  const size = 2 * middle, end = size - 4;
  const title = names.map((name) => `<tspan class="${name}">${name}</tspan>`).join(" and ");
  return plane(label, [0, -14, size, size + 14], [[4, middle, end], [24, middle, end]], [
    word(4, -2, title, "note start"), word(end, middle + below, across, "note end"),
    word(middle + beside, 34, up, `note ${side}`), ...shapes]);
}

// The keys, the query, and where each key meets the line of the query.
function drawKeys(words, keys) {
  const [middle, unit] = KEYS, from = `x1="${middle}" y1="${middle}"`;
  const arrows = keys.map((key, i) => {
    const short = 1 - 8 / unit / Math.hypot(...key);
    const [x, y] = math.place(key.map((side) => side * short), KEYS).map(coordinate);
    return `<line class="key glide" data-part="key-${i}" ${from} x2="${x}" y2="${y}"/>` +
      drawHead(math.place(key, KEYS), words[i]);
  });
  return drawPlane("the query of bank among the keys of six words", KEYS, ["keys", "query"],
    ["water", -6], ["money", "start", 6], [
      '<path class="ray" data-part="ray"/>', '<path class="feet" data-part="feet"/>',
      ...arrows, `<line class="query" data-part="arrow" ${from}/>`,
      handle("query", "bank", "query", 64)]);
}

// The head of an arrow from the middle, and its word beyond it, or above it where there is
// no room.
function drawHead([left, top], name) {
  const [x, y] = [left - KEYS[0], top - KEYS[0]], length = Math.hypot(x, y);
  const [right, down] = [x / length, y / length];
  const corners = [-1, 1].map((way) =>
    [left - 11 * right + way * 5 * down, top - 11 * down - way * 5 * right]);
  const path = [[left, top], ...corners].map((point) => point.map(coordinate).join(" "));
  const near = left + 8 * right < 50, at = near ? [4, top - 11]
    : [left + 8 * right, top + 13 * down + 4];
  const side = near || right > 0.5 ? "key start" : right < -0.5 ? "key end" : "key";
  return `<path class="head" d="M${path.join(" L")}Z"/>${word(...at.map(coordinate), name, side)}`;
}

// The values as dots as large as their weights, and their mean.
function drawValues(words, values) {
  const beside = { // where words stand, if not to the right and above
    river: [0, -18, "dot"], desert: [-6, -18], the: [-9, -4, "dot end"],
    boat: [9, 17], loan: [11, 5],
  };
  const places = values.map((value) => math.place(value, VALUES));
  const corners = [0, 2, 3, 4, 1].map((i) => places[i].map(coordinate).join(" "));
  const dots = places.map(([x, y], i) => {
    const [right, down, side = "dot start"] = beside[words[i]] ?? [9, -9];
    return `<circle class="dot glide" data-part="dot-${i}" cx="${coordinate(x)}" ` +
      `cy="${coordinate(y)}"/>` + word(coordinate(x + right), coordinate(y + down), words[i], side);
  });
  return drawPlane("the values, and their weighted mean", VALUES, ["values", "output"],
    ["grass", 15], ["counter", "end", -6], [
      `<path class="hull" d="M${corners.join(" L")}Z"/>`, ...dots,
      `<line class="output" data-part="mean" x1="${VALUES[0]}" y1="${VALUES[0]}"/>`,
      '<circle class="tip" data-part="tip" r="7"/>']);
}
