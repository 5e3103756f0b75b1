const LEFT = 46, RIGHT = 296, FOOT = 172, DECADE = 58, SIGNS = 9, LAST = 30; // tens of steps

const math = {
  across: (tens) => LEFT + ((RIGHT - LEFT) * tens) / LAST,
  high: (loss) => FOOT - DECADE * Math.log10(loss / 0.01),
  curve: (losses) => `M${losses.map((loss, i) =>
    `${coordinate(math.across(i))} ${coordinate(math.high(loss))}`).join("L")}`,
  // Whether each sign of a text stands where the answer has it.
  right: (text, answer) => [...text].map((sign, i) => sign === answer[i]),
};

function start({ data }) {
  let tens = data.step / 10, last = LAST;
  const move = (to) => (tens = Math.min(Math.max(Math.round(to), 0), last));

  function write(view, row, text) {
    const right = math.right(text, data.answer);
    for (let i = 0; i < SIGNS; i++) {
      view.part(`${row}-${i}`).textContent = text[i] ?? "";
      view.set(`${row}-${i}`, { class: right[i] ? "right" : "wrong" });
    }
  }

  return (view, moved) => {
    if (moved === null) {
      letDrag(view, "step", { label: "step of the training", range: [0, 10 * LAST],
        drag: (x) => move(((x - LEFT) * LAST) / (RIGHT - LEFT)),
        step: (right, up) => move(tens + (right || up)) });
    }
    const name = view.value("change"), [gone, come] = data.lines[name];
    const pair = [data.logs["as it is"], data.logs[name]];
    last = pair[1][0].length - 1;
    move(tens);
    view.part("gone").textContent = gone.trim();
    view.part("come").textContent = come || "nothing";
    view.set("stem", { d: `M${coordinate(math.across(tens))} ${FOOT + 12}V14` });
    pair.forEach(([losses, texts], i) => {
      view.set(`curve-${i}`, { d: math.curve(losses) });
      view.set(`dot-${i}`, { cx: math.across(tens), cy: math.high(losses[tens]) });
      write(view, i, texts[tens]);
    });
    putHandle(view, "step", [math.across(tens), FOOT + 30], 10 * tens, `step ${10 * tens}`);
    view.part("step-word").textContent = 10 * tens;
    const [whole, other] = pair.map(([losses, texts]) =>
      [fixed(losses[tens], 2), texts[tens].replace(">", "")]);
    const right = math.right(pair[1][1][tens], data.answer).filter(Boolean).length;
    view.write("readout", `After ${10 * tens} steps the file as it is has a loss of ${whole[0]} and ` +
      `writes “${whole[1]}”. With the line changed the loss is ${other[0]} and the text “${other[1]}”: ` +
      `${right} of ${data.answer.length} signs are in their place, the end counted too.`);
  };
}
