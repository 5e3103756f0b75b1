// The foot of both stacks, the height of the weights, and how much higher the text may be.
const BASE = 214, LEVEL = 90, MOST = 2.11;

const math = {
  sum: ({ flops }) => Object.values(flops).reduce((a, b) => a + b, 0),
  // How long the text is when it costs as much as the weights.
  level: (model) => math.sum(model) / model.position,
  longest: (model) => Math.min(model.longest, Math.floor(MOST * math.level(model))),
  // The operations of a token by its weights and by its text, and the bytes of the cache.
  cost: (model, n) => [math.sum(model), n * model.position, n * model.cache],
  height: (model, flops) => (LEVEL * flops) / math.sum(model),
  group: (text) => text.replace(/\B(?=(\d{3})+(\.|$))/g, ","),
  millions: (number) => math.group(fixed(number / 1e6, 1)),
};

function start(view) {
  const { models } = view.data, now = () => models[view.value("model")];
  const whole = (number) => math.group(fixed(number, 0));
  let n = 1024;
  const move = (to) => (n = Math.min(Math.max(Math.round(to), 1), math.longest(now())));
  letDrag(view, "text", {
    label: "tokens of the text", range: [1, math.longest(models["llama-3.1-8b"])],
    drag: (x, y) => move(((BASE - y) / LEVEL) * math.level(now())),
    step: (right, up) => move(n + ((right || up) * now().longest) / 64),
  });
  return () => {
    const model = now();
    move(n);
    let y = BASE;
    for (const [part, flops] of Object.entries(model.flops)) {
      const height = math.height(model, flops);
      y -= height;
      view.set(part, { y, height });
      view.set(`${part}-word`, { y: y + height / 2 + 4 });
    }
    const [weights, text, cache] = math.cost(model, n), height = math.height(model, text);
    view.set("stack", { y: BASE - height, height });
    view.part("text-word").textContent = whole(n);
    putHandle(view, "text", [270, BASE - height], n, `${whole(n)} tokens`);
    view.write("weights", math.millions(weights));
    view.write("positions", math.millions(text));
    view.write("all", math.millions(weights + text));
    view.write("cache", math.millions(cache));
    const share = fixed((100 * text) / weights, 0), level = math.level(model);
    view.write("readout", `In ${model.name} a text of ${whole(n)} tokens adds ${share} % to what the ` +
      `weights cost. Both are level at ${whole(Math.ceil(level))} tokens` +
      (level > model.longest ? `, and its longest text has ${whole(model.longest)}.` : "."));
  };
}
