const LAYERS = 30, HEADS = 9, PARTS = 20;

const math = {
  // Rows of all heads, in twentieths, as `packed.py` has written them.
  unpack(text, words) {
    const code = Uint8Array.from(
      atob(text.replaceAll("-", "+").replaceAll("_", "/")), (sign) => sign.charCodeAt());
    const odds = new Uint16Array(PARTS * 3 * 5 * 6).fill(2048);
    let ahead = 0, width = 2 ** 32, read = 0;
    while (read < 4) ahead = ahead * 256 + code[read++];
    const answer = (at) => {
      const split = Math.floor(width / 4096) * odds[at], more = ahead >= split;
      ahead -= more ? split : 0;
      width = more ? width - split : split;
      odds[at] += more ? -(odds[at] >> 4) : (4096 - odds[at]) >> 4;
      for (; width < 2 ** 24; width *= 256) ahead = ahead * 256 + code[read++];
      return more;
    };
    return Array.from({ length: LAYERS * HEADS }, () => {
      const rows = [[PARTS]];
      for (let i = 1, left; i < words; i++) {
        rows.push([]);
        left = PARTS;
        for (let j = 0; j < i; j++) {
          const place = j === 0 ? 0 : j === i - 1 ? 1 : 2;
          const above = Math.min(32 - Math.clz32(rows[i - 1][j]), 4);
          let number = 0;
          while (number < left && answer(((number * 3 + place) * 5 + above) * 6 +
            Math.floor((left * 5) / PARTS))) number++;
          rows[i].push(number);
          left -= number;
        }
        rows[i].push(left);
      }
      return rows;
    });
  },
  // From which words to which a kind of weight goes.
  places(kind, words) {
    return words.flatMap((word, i) => {
      const copy = i < 2 ? -1 : words.lastIndexOf(word, i - 2);
      const to = { first: 0, before: i - 1, itself: i, after: copy < 0 ? null : copy + 1 }[kind];
      return i < 2 || to === null ? [] : [[i, to]];
    });
  },
  sum: (rows, places) => places.reduce((sum, [i, j]) => sum + rows[i][j], 0),
  shades(sums, count) {
    const shades = Array.from({ length: 10 }, (_, level) => `M${level - 1} ${LAYERS + 2}h.9`);
    sums.forEach((sum, head) => {
      const level = Math.min(Math.floor((10 * sum) / (PARTS * count)), 9);
      shades[level] += `M${head % HEADS} ${LAYERS - 1 - Math.floor(head / HEADS)}h.9`;
    });
    return shades;
  },
  rise: (words) => Math.min(360 / words, 26),
  y: (place, words) => 30 + math.rise(words) * (place + 0.5),
  ribbons(row, i, words) {
    const rise = math.rise(words);
    let left = math.y(i, words) - 0.4 * rise;
    return row.map((parts, j) => {
      if (!parts) return "";
      const wide = (0.8 * rise * parts) / PARTS, right = math.y(j, words) - wide / 2;
      const [a, b, c, d] =
        [left, right, right + wide, left + wide].map((y) => fixed(y, 1));
      left += wide;
      return `M236 ${a}C268 ${a} 268 ${b} 300 ${b}V${c}C268 ${c} 268 ${d} 236 ${d}Z`;
    }).join("");
  },
  name: (head) => `${Math.floor(head / HEADS) + 1}.${(head % HEADS) + 1}`,
  share: (sum, count) => `${fixed((100 * sum) / (PARTS * count), 0)} %`,
  tell: (row, words) => row.map((parts, i) => [parts, words[i]])
    .filter(([parts]) => parts).sort((a, b) => b[0] - a[0]).slice(0, 4)
    .map(([parts, word]) => `“${word}” ${(100 * parts) / PARTS} %`).join(", "),
  // What the drawing shows: paths, and the sentence below.
  look({ kinds, texts }, heads, text, kind, head, row) {
    const [words] = texts[text], rows = heads[head], places = math.places(kind, words);
    row = Math.min(row, words.length - 1);
    const ribbons = rows.map((parts, i) => math.ribbons(parts, i, words.length));
    return {
      row,
      shades: math.shades(heads.map((each) => math.sum(each, places)), places.length),
      ribbons: ribbons[row],
      others: ribbons.filter((_, i) => i !== row).join(""),
      readout: `Head ${math.name(head)} at “${words[row]}”: ` +
        `${math.tell(rows[row], words)}. In this text it gives ` +
        `${math.share(math.sum(rows, places), places.length)} to ${kinds[kind]}.`,
    };
  },
  // The head of the map at a place, or the next one.
  head(x, y) {
    const within = (place, most) => Math.min(Math.max(Math.floor(place), 0), most - 1);
    return HEADS * (LAYERS - 1 - within((y - 30) / 12, LAYERS)) + within((x - 24) / 13, HEADS);
  },
};

function start(view) {
  const { data } = view, unpacked = {}, slider = view.control("row");
  const svg = view.part("drawing");
  const list = () => data.texts[view.value("text")][0];
  let head = 16 * HEADS;

  letDrag(view, "head", {
    label: "head", range: [1, LAYERS * HEADS],
    drag: (x, y) => (head = math.head(x, y)),
    step: (right, up) => {
      const [x, y] = [24 + 13 * ((head % HEADS) + right + 0.5),
        30 + 12 * (LAYERS - Math.floor(head / HEADS) - up - 0.5)];
      head = math.head(x, y);
    },
  });
  // A press takes the head under it; a word is taken by pointing at it, too.
  const point = (event) => {
    const { x, y } = findPlace(svg, event);
    const row = Math.floor((y - 30) / math.rise(list().length)), press = event.type === "click";
    if (x < 160 || view.part("head").contains(event.target)) {
      if (!press || y < 30 || y > 390) return;
      head = math.head(x, y);
      view.draw("head");
    } else if (list()[row] && row !== view.value("row")) {
      slider.value = row;
      slider.dispatchEvent(new Event("input", { bubbles: true }));
    }
  };
  svg.addEventListener("click", point);
  svg.addEventListener("pointermove", (event) => {
    if (event.pointerType === "mouse" && !event.buttons) point(event);
  });

  return () => {
    const text = view.value("text"), words = list(), kind = view.value("kind");
    unpacked[text] ??= math.unpack(data.texts[text][1], words.length);
    const heads = unpacked[text];
    const picture = math.look(data, heads, text, kind, head, view.value("row"));
    const [column, layer] = [head % HEADS, Math.floor(head / HEADS)];
    picture.shades.forEach((d, i) => view.set(`shade-${i}`, { d }));
    view.set("ribbons", { d: picture.ribbons });
    view.set("others", { d: picture.others });
    for (const name of ["queries", "keys"]) {
      [...view.part(name).children].forEach((place, i) => {
        const word = words[i] || "", chosen = name === "queries" && i === picture.row;
        if (place.textContent !== word) place.textContent = word;
        place.setAttribute("y", fixed(math.y(i, words.length) + 4, 1));
        place.classList.toggle("chosen", chosen);
      });
    }
    slider.max = words.length - 1;
    view.mean("row", words[picture.row]);
    putHandle(view, "head", [24 + 13 * (column + 0.45), 30 + 12 * (LAYERS - layer - 0.5)],
      head + 1, `head ${math.name(head)}`);
    view.write("readout", picture.readout);
  };
}
