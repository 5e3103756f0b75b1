const SIDE = 8, CELL = 21, BIG = [192, 0], ROW = 200, SLOT = 22.5, TRACK = 302;

const math = {
  // The pixels of each word, as row and column, in the order of its numbers.
  cut(side, reshape) {
    const across = SIDE / side, count = across * across, long = side * side;
    return Array.from({ length: count }, (_, word) => Array.from({ length: long }, (_, i) => {
      if (reshape) return [Math.floor((word * long + i) / SIDE), (word * long + i) % SIDE];
      return [side * Math.floor(word / across) + Math.floor(i / side),
        side * (word % across) + (i % side)];
    }));
  },
  square: ([x, y], size) => `M${coordinate(x)} ${coordinate(y)}h${size}v${size}h${-size}z`,
  // The pixels of a word as a square of so many pixels, by how much ink they have.
  shades(inks, side, [left, top], size) {
    const found = Array.from({ length: 17 }, () => "");
    inks.forEach((ink, i) => {
      const place = [left + size * (i % side), top + size * Math.floor(i / side)];
      found[ink] += math.square(place, size);
    });
    return found;
  },
  // Where a word stands among all of them, sixteen in a row.
  slot: (word) => [SLOT * (word % 16), ROW + SLOT * Math.floor(word / 16)],
};

function start(view) {
  const { image, sides } = view.data;
  let word = view.data.word - 1, count = 16;
  const choose = (to) => (word = Math.min(Math.max(Math.round(to), 0), count - 1));
  const say = (kind, places) => {
    const [least, most] = [Math.min(...places) + 1, Math.max(...places) + 1];
    return least === most ? `${kind} ${least}` : `${kind}s ${least} to ${most}`;
  };
  const outline = (pixels) => pixels.map(([row, column]) =>
    math.square([CELL * column, CELL * row], CELL)).join("");

  return (_, moved) => {
    if (moved === null) {
      letDrag(view, "word", { label: "word", range: [1, 64],
        drag: (x) => choose(((x - 14) / 332) * (count - 1)),
        step: (right, up) => choose(word + (right || up)) });
    }
    const side = sides[view.value("side")], reshape = view.value("reshape");
    const words = math.cut(side, reshape), inks = words.map((pixels) =>
      pixels.map(([row, column]) => image[row][column]));
    count = words.length;
    choose(word);
    const strip = inks.map((each, i) => math.shades(each, side, math.slot(i), 18 / side));
    const large = math.shades(inks[word], side, BIG, (CELL * SIDE) / side);
    for (let ink = 1; ink <= 16; ink++) {
      view.set(`strip-${ink}`, { d: strip.map((shades) => shades[ink]).join("") });
      view.set(`big-${ink}`, { d: large[ink] });
    }
    const frame = (i) => math.square(math.slot(i).map((edge) => edge - 0.5), 19);
    view.set("frames", { d: inks.map((_, i) => frame(i)).join("") });
    view.set("chosen", { d: frame(word) });
    view.set("here", { d: outline(words[word]) });
    const x = count === 1 ? 180 : 14 + (332 * word) / (count - 1);
    putHandle(view, "word", [Math.min(Math.max(x, 26), 334), TRACK], word + 1,
      `word ${word + 1} of ${count}`);
    view.part("word-word").textContent = word + 1;
    view.mean("side", String(side));
    const [rows, columns] = [0, 1].map((axis) => words[word].map((pixel) => pixel[axis]));
    const numbers = inks[word].length > 16 ? "" : ` Its numbers: ${inks[word].join(", ")}.`;
    view.write("readout", `${count} ${count === 1 ? "word" : "words"} of ${side * side} ` +
      `${side === 1 ? "number" : "numbers"}, and ${count * count} scores for a head. Word ` +
      `${word + 1} lies in ${say("row", rows)}, ${say("column", columns)}.${numbers}`);
  };
}
