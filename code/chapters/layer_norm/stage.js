function stage({ vector }) {
  const titles = ["as it is", "mean taken away", "divided"];
  const labels = ["a vector, its mean and its deviation", "the vector less its mean",
    "divided by its deviation"];
  const places = vector.map((_, i) => i);
  const bars = (step) => places.map((i) => `<path class="bar" data-part="bar-${step}-${i}"/>`);
  const names = [...places.map((i) => [AT[i], `x${"₁₂₃₄"[i]}`]), [MEAN, "mean"],
    [SPREAD, "deviation"]];
  const numbers = (step) => places.map((i) =>
    `<text data-part="number-${step}-${i}" x="${math.left(step, i)}"/>`);
  const moved = [...names.map(([x, name]) => word(x, 206, name)),
    ...places.map((i) => handle(`x-${i}`, "", "query", 48)),
    ...["mean", "spread"].map((name) => handle(name, "", "key", 56))];
  const drawn = (name, step, wide) => plane(labels[step], [0, -22, wide, 260],
    [[0, 0, wide], [0, math.high(0), 0]], [
      word(wide / 2, -9, name, "title"),
      `<rect class="band" data-part="band-${step}" width="${wide}"/>`, ...bars(step),
      `<path class="mean" data-part="mean-${step}"/>`, ...(step ? numbers(step) : moved)]);
  return `<div class="norms">\n${titles.map((name, step) =>
    drawn(name, step, step ? 180 : 360)).join("\n")}\n</div>`;
}
