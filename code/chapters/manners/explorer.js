const SIDE = 10, CELL = 11, AT = [4, 124, 244];

const math = {
  // The product of the first columns of B and the first rows of A.
  product: ({ a, b }, rank) => a.map((_, i) => a.map((_, j) =>
    b.slice(0, rank).reduce((sum, column, k) => sum + column[i] * a[k][j], 0))),
  less: (x, y) => x.map((row, i) => row.map((number, j) => number - y[i][j])),
  squares: (matrix) => matrix.flat().reduce((sum, number) => sum + number * number, 0),
  trained: (size, rank) => 2 * size * rank,
  // A cell for each number that is not near zero, by shade: -4 to 4.
  shades(matrix, [left, top], largest) {
    const cells = {};
    matrix.forEach((row, i) => row.forEach((number, j) => {
      const shade = Math.round((4 * number) / largest), far = Math.min(Math.max(shade, -4), 4);
      const place = `M${left + CELL * j} ${top + CELL * i}h10v10h-10z`;
      cells[far] = (cells[far] ?? "") + place;
    }));
    return cells;
  },
};

function start({ data }) {
  const [low, middle, high] = AT;
  let { rank } = data;
  const set = (to) => (rank = Math.min(Math.max(Math.round(to), 0), SIDE));
  const edge = () => middle - 6 - CELL * rank;
  const say = (number) => number.toLocaleString("en-US");

  function draw(view, name, matrix, place, largest) {
    const cells = math.shades(matrix, place, largest);
    for (const shade of [-4, -3, -2, -1, 1, 2, 3, 4]) {
      view.set(`${name}${shade}`, { d: cells[shade] ?? "" });
    }
  }

  return (view, moved) => {
    if (moved === null) {
      letDrag(view, "rank", { label: "rank", range: [0, SIDE],
        drag: (x, y) => set((middle - 18 - (x + y) / 2) / CELL),
        step: (right, up) => set(rank + (right || up)) });
    }
    const pair = data.kinds[view.value("kind")], { wanted, a, b } = pair;
    const product = math.product(pair, rank), missing = math.less(wanted, product);
    const largest = Math.max(...wanted.flat().map(Math.abs));
    const most = Math.max(...[...a, ...b].flat().map(Math.abs));
    const tall = wanted.map((_, i) => b.slice(0, rank).map((column) => column[i]));
    draw(view, "b", tall, [middle - 6 - CELL * rank, middle], most);
    draw(view, "a", a.slice(0, rank), [middle, middle - 6 - CELL * rank], most);
    draw(view, "product", product, [middle, middle], largest);
    draw(view, "wanted", wanted, [high, middle], largest);
    draw(view, "missing", missing, [high, low], largest);
    const long = CELL * SIDE + 2, wide = CELL * rank + 1;
    view.set("outline", { d: `M${edge() - 1} ${middle - 1}h${wide}v${long}h${-wide}z` +
      `M${middle - 1} ${edge() - 1}h${long}v${wide}h${-long}z` });
    const corner = [Math.max(edge() - 20, 31), Math.max(edge() - 8, 12)];
    putHandle(view, "rank", corner, rank, `rank ${rank}`);
    view.set("a-name", { y: edge() - 6 });
    view.part("rank-word").textContent = `r = ${rank}`;
    const lost = math.squares(missing) / math.squares(wanted);
    view.write("readout", `Rank ${rank}: B and A have ${math.trained(SIDE, rank)} numbers, the ` +
      `matrix has ${SIDE * SIDE}. Of the wanted change ${fixed(100 * lost, 0)} % is missing, in ` +
      "squares. " +
      `Beside a map of SmolLM2, ${data.real} by ${data.real}, this rank trains ` +
      `${say(math.trained(data.real, rank))} numbers of ${say(data.real ** 2)}.`);
  };
}
