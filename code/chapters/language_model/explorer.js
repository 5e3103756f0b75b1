const PLACE = [10, 178, 10, 12]; // left, foot, and how wide a letter and how high a bit is
const NAMES = ["knowing nothing", "counting letters",
  ...[1, 2, 3, 4, 5].map((n) => `${n} letter${n > 1 ? "s" : ""} before`), "verses"];

const math = {
  // The place that holds a letter: its number, where it begins, and the place itself.
  find(places, letter) {
    let begin = 0;
    for (const [i, place] of places.entries()) {
      if (letter < begin + place[0]) return { i, begin, place };
      begin += place[0];
    }
  },
  total: (places) => places.reduce((sum, [, bits]) => sum + bits, 0),
  bytes: (places) => Math.ceil(math.total(places) / 8),
  // A bar for each place, as wide as its letters, its area the bits.
  bars(places) {
    let x = PLACE[0];
    return places.map(([letters, bits]) => {
      const [, foot, wide, tall] = PLACE, high = coordinate((tall * bits) / letters);
      const bar = `M${x + 1} ${foot}v-${high}h${wide * letters - 2}v${high}z`;
      x += wide * letters;
      return bar;
    });
  },
  // A square for each byte from one to another.
  squares: (from, to) => Array.from({ length: Math.max(to - from, 0) }, (_, k) =>
    `M${PLACE[0] + PLACE[2] * (from + k) + 1} 14h8v8h-8z`).join(""),
  quote: (text) => (text === " " ? "a space" : text === "\n" ? "a line end" : `“${text}”`),
};

function start({ data }) {
  const { verse, guessers } = data, [left, , wide] = PLACE;
  let at = verse.indexOf("ashamed");
  const go = (to) => (at = Math.min(Math.max(Math.round(to), 0), verse.length - 1));

  return (view, moved) => {
    const which = view.value("guesser"), places = guessers[which];
    if (moved === null) {
      letDrag(view, "letter", { label: "letter that is guessed", range: [1, verse.length],
        drag: (x) => go((x - left) / wide - 0.5),
        step(right, up) {
          const all = guessers[view.value("guesser")], by = right || up;
          const { begin, place: [letters] } = math.find(all, at);
          go(by > 0 ? begin + letters + by - 1 : begin + by);
        } });
    }
    const { i, begin, place: [letters, bits, likeliest] } = math.find(places, at);
    const bars = math.bars(places), text = verse.slice(begin, begin + letters);
    view.mean("guesser", NAMES[which]);
    view.set("others", { d: bars.filter((_, k) => k !== i).join("") });
    view.set("chosen", { d: bars[i] });
    const size = math.bytes(places);
    view.set("kept", { d: math.squares(0, size) });
    view.set("saved", { d: math.squares(size, verse.length) });
    const middle = left + wide * (begin + letters / 2);
    const shown = text === " " ? "space" : text.trim();
    view.part("letter-word").textContent = shown.length > 5 ? `${shown.slice(0, 4)}…` : shown;
    putHandle(view, "letter", [Math.min(Math.max(middle, 36), 324), 216], begin + 1,
      `${text}, ${fixed(bits, 1)} bits`);
    const [first, second] = likeliest.map(([guess, percent]) => `${math.quote(guess)} ${percent} %`);
    const held = which ? `${first}, then ${second}` : "all 63 letters alike";
    const sum = math.total(places);
    view.write("readout", `Behind “${verse.slice(0, begin)}” it holds ${held}. ` +
      `It is ${math.quote(text)}: ${fixed(bits, 1)} bits. All ${verse.length} letters: ` +
      `${fixed(sum, 0)} bits, ${fixed(sum / verse.length, 2)} a letter, ` +
      `a file of about ${size} bytes.`);
  };
}
