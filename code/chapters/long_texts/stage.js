function stage({ tokens }) {
  const path = (name) => `<path class="${name}" data-part="${name}"/>`;
  const all = math.squares(Array.from({ length: tokens }, (_, t) =>
    Array.from({ length: t + 1 }, (_, s) => [t, s])).flat());
  const end = SIDE * tokens, layers = [1, 2, 3, 4, 5].map((n) => `layer-${n}`);
  return `<svg viewBox="0 -34 360 388" class="window" role="group" \
aria-label="a table of queries and keys: which tokens see which">
${word(LEFT + end / 2, -22, "keys, from the first token to the last")}
${repeat(tokens, (s) => word(LEFT + SIDE * (s + 0.5), -6, s))}
<path class="cells" d="${all}"/>
${layers.map(path).join("\n")}
${path("sink")}${path("row")}${path("edge")}
${word(360, 20, "queries", "note end")}
${handle("token", "", "muted", 36)}
${handle("window", "", "query", 60)}
</svg>`;
}
