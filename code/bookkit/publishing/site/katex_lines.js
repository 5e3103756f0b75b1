// Render formulas with the KaTeX named on the command line: a formula as one line of
// JSON comes in, its HTML or the reason why not goes out. Ends when its input ends.
const katex = require(process.argv[2]);
const lines = require("readline").createInterface({ input: process.stdin });

const answer = ({ latex, options }) => {
  try {
    return { html: katex.renderToString(latex, options) };
  } catch (error) {
    return { error: error.message };
  }
};

lines.on("line", (line) => {
  process.stdout.write(`${JSON.stringify(answer(JSON.parse(line)))}\n`);
});
