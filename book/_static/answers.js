// Exercises that are answered on the page. What `check` says of an answer in a notebook is
// said here: chapters/fields.py writes the sentences, and what each property asks, from the
// properties themselves, and `judge` compares. What was answered stays in this browser.
const bookAnswers = (() => {
  const DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz";
  const UNITS = { k: 1e3, m: 1e6, b: 1e9 };
  const FUNCTIONS = { sqrt: Math.sqrt, ln: Math.log, exp: Math.exp };
  const PARTS = /\s*(\d+\.?\d*(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?|[a-z]\w*|\*\*|[-+*/()])/y;
  const OF_FORMULAS = { relu: (number) => Math.max(number, 0) };
  const LARGEST_POWER = 64;

  // As in chapters/written.py: a word without capitals, and without what is around it.
  const bareWord = (text) => {
    const bare = text
      .replace(/^[ \t\n"'`*()]+/, "")
      .replace(/[ \t\n"'`*().,;:]+$/, "")
      .toLowerCase();
    const count = (sign) => bare.split(sign).length - 1;
    const missing = count("(") - count(")");
    return "(".repeat(Math.max(0, -missing)) + bare + ")".repeat(Math.max(0, missing));
  };

  const cut = (text) => {
    const parts = [];
    PARTS.lastIndex = 0;
    for (let found; (found = PARTS.exec(text)); ) parts.push(found[1]);
    return parts.join("") === text.replace(/\s/g, "") ? parts : [];
  };

  // Sums of products of signed powers, as Python reads them; NaN for anything else.
  const compute = (text, names = FUNCTIONS) => {
    const parts = cut(text);
    const one = () => {
      const part = parts.shift() ?? "";
      if (/^[\d.]/.test(part)) return Number(part);
      const named = Object.hasOwn(names, part) ? names[part] : NaN;
      if (/^[a-z]/.test(part) && typeof named === "number") return named;
      if (/^[a-z]/.test(part)) return parts[0] === "(" ? named(one()) : NaN;
      const inner = part === "(" ? sum() : NaN;
      return parts.shift() === ")" ? inner : NaN;
    };
    const power = () => {
      const base = one();
      if (parts[0] !== "**") return base;
      parts.shift();
      const exponent = signed();
      return Math.abs(exponent) > LARGEST_POWER ? NaN : base ** exponent;
    };
    const signed = () => (parts[0] === "-" ? (parts.shift(), -signed()) : power());
    const row = (next, steps) => {
      let value = next();
      while (parts[0] in steps) value = steps[parts.shift()](value, next());
      return value;
    };
    const product = () => row(signed, { "*": (a, b) => a * b, "/": (a, b) => a / b });
    const sum = () => row(product, { "+": (a, b) => a + b, "-": (a, b) => a - b });
    const value = sum();
    return parts.length ? NaN : value;
  };

  // What a text such as 4/9, 44%, 2x, 1,024, 64k or 1/√3 says; NaN if it is no number.
  const readNumber = (text) => {
    let digits = bareWord(text).replace(/[\u2212\u2013]/g, "-").trim();
    const whole = digits.endsWith("%") ? 100 : 1;
    digits = digits.replace(/[%x×]+$/, "").replace(/^[x×]+/, "").trim();
    if (/^-?[1-9]\d{0,2}(?:(?:,\d{3})+|(?:\s\d{3})+)(?:\.\d+)?$/.test(digits)) {
      digits = digits.replace(/[,\s]/g, "");
    }
    const unit = UNITS[digits.at(-1)] ?? 1;
    if (unit > 1) digits = digits.slice(0, -1);
    const spelled = digits
      .replace(/^\+(?=[\d.])/, "")
      .replace(/√\s*(\d+(?:\.\d+)?)/g, "sqrt($1)")
      .replaceAll("√", "sqrt")
      .replaceAll("^", "**")
      .replace(/[×·]/g, "*")
      .replace(/(\d+(?:\.\d+)?)\s*(?=sqrt|ln)/g, "$1*");
    const value = (compute(spelled) * unit) / whole;
    if (!Number.isFinite(value)) return NaN;
    const near = Math.abs(value - Math.round(value)) <= 1e-12 * Math.max(1, Math.abs(value));
    return near ? Math.round(value) : value;
  };

  // A row has commas between its numbers, or else semicolons or spaces.
  const cutRow = (text) => {
    const row = text.trim().replace(/^[[(](.*)[\])]$/s, "$1").trim();
    const sign = [";", ","].find((mark) => row.includes(mark)) ?? /\s+/;
    return row.split(sign).filter((part) => part.trim());
  };

  const isBetween = (numbers, { of, low = -Infinity, high = Infinity }) => {
    const parts = Object.entries(of).map(([place, weight]) => weight * numbers[place]);
    const sum = parts.reduce((all, part) => all + part, 0);
    return sum >= low && sum <= high;
  };

  // Return which property is missing first, or why none can be judged; -1: all hold.
  const judge = ({ fields, table, must }, given) => {
    if (table) {
      const places = given.map((word, n) => [fields[n].options, word]);
      const at = places.reduce((n, [all, word]) => n * all.length + all.indexOf(word), 0);
      return { missing: DIGITS.indexOf(table[at]) };
    }
    const numbers = [];
    let isCounted = true;
    for (const [n, { kind, count }] of fields.entries()) {
      if (kind === "word") continue;
      const row = kind === "numbers" ? cutRow(given[n]) : [given[n]];
      const read = row.map(readNumber);
      const lost = row.find((_, place) => Number.isNaN(read[place]));
      if (lost !== undefined) {
        const said = `'${lost.trim()}' is no number; write one such as -0.5, 2/3 or 44%.`;
        return { missing: 0, said };
      }
      isCounted &&= row.length === (count ?? 1);
      for (let place = 0; place < (count ?? 1); place++) numbers.push(read[place] ?? NaN);
    }
    const names = Object.fromEntries(numbers.map((number, n) => [`n${n}`, number]));
    const give = (formula) => compute(formula, { ...names, ...OF_FORMULAS });
    const holds = ({ words = {}, counts, whole, any, near = [], within }) =>
      (isCounted || !counts)
      && (!whole || numbers.every(Number.isInteger))
      && Object.entries(words).every(([place, word]) => bareWord(given[place]) === word)
      && near.every(([formula, to]) => Math.abs(give(formula) - to) <= within)
      && (!any || any.some((bands) => bands.every((band) => isBetween(numbers, band))));
    return { missing: must.findIndex((property) => !holds(property)) };
  };

  const answerTo = (exercise, given) => {
    const { missing, said } = judge(exercise, given);
    const count = exercise.say.length;
    if (missing >= 0) return `Not yet: ${said ?? exercise.say[missing]}`;
    return count > 1 ? `All ${count} properties hold.` : "The property holds.";
  };

  return { readNumber, judge, answerTo };
})();

(() => {
  if (!globalThis.document?.querySelector) return; // the tests in Node read the above
  const NAMES = ["book-answers", "book-questions", "book-place"]; // quiz.js, place.js
  const read = (name) => {
    try {
      return JSON.parse(localStorage.getItem(name)) ?? {};
    } catch {
      return {}; // the browser keeps nothing
    }
  };
  const write = (label, answer) => {
    try {
      const all = { ...read(NAMES[0]), [label]: answer };
      localStorage.setItem(NAMES[0], JSON.stringify(all));
    } catch {
      // as above
    }
  };
  const make = (tag, properties, ...parts) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...parts);
    return element;
  };

  // The names that the text gives the parts, if it counts them: (1) or (a).
  const nameParts = (text, fields) => {
    const marks = [(n) => `(${n + 1})`, (n) => `(${"abcdefgh"[n]})`].find((mark) =>
      fields.every((_, n) => text.includes(mark(n))));
    const named = (name) => (name.length === 1 ? name.toUpperCase() : name); // text A
    return fields.map(({ name }, n) => marks?.(n) ?? named(name));
  };

  const makeField = ({ kind, options, count }, name) => {
    const isChoice = kind === "choice";
    const field = isChoice ? make("select") : make("input", { autocomplete: "off" });
    if (isChoice) field.append(make("option", { value: "" }, "choose"));
    for (const word of options ?? []) field.append(make("option", { value: word }, word));
    field.required = true;
    if (!isChoice) field.size = kind === "numbers" ? 5 * count : 9;
    const row = kind === "numbers" ? ` (${count} numbers)` : "";
    return [field, make("label", {}, name + row, " ", field)];
  };

  // The cell before its solution whose output says "Not yet", which is so until it is answered.
  const starterOf = (box) => {
    let next = box.nextElementSibling;
    while (next && !next.matches(".tag_exercise-starter, .exercise, .solution")) {
      next = next.nextElementSibling;
    }
    return next?.matches(".tag_exercise-starter") ? next : null;
  };

  const ask = (box, exercise) => {
    const title = box.querySelector(".admonition-title").textContent.trim();
    const names = nameParts(box.textContent, exercise.fields);
    const rows = exercise.fields.map((field, n) => makeField(field, names[n]));
    const starter = starterOf(box);
    const verdict = make("p", { role: "status", className: "answer-verdict" });
    const form = make(
      "form",
      { className: "answer d-print-none", ariaLabel: `Your answer to ${title}` },
      ...rows.map(([, label]) => label),
      make("button", {}, "Check"),
      verdict,
    );
    const show = (text, holds) => {
      verdict.textContent = holds ? `Right. ${text}` : text;
      if (text) form.dataset.holds = holds;
      else delete form.dataset.holds;
      starter?.classList.toggle("answered", holds);
    };
    const say = () => {
      const given = rows.map(([field]) => field.value);
      const text = bookAnswers.answerTo(exercise, given);
      show(text, !text.startsWith("Not yet"));
      return given;
    };
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const given = say();
      write(box.id, { given, holds: form.dataset.holds === "true" });
    });
    form.addEventListener("input", () => show("", false));
    const { given = [] } = read(NAMES[0])[box.id] ?? {};
    if (given.length === rows.length) {
      rows.forEach(([field], n) => (field.value = given[n]));
      if (form.checkValidity()) say();
    }
    box.append(form);
  };

  // Code is for a notebook, also where a small case of it is answered here: Colab goes to
  // the cell of that name.
  const leadToColab = (box) => {
    const button = document.querySelector(".article-header-buttons a[href*='colab.']");
    if (!button) return;
    const link = make("a", { href: `${button.href}#scrollTo=${box.id}` }, "Answer in Colab");
    box.append(make("p", { className: "answer d-print-none" }, link));
  };

  const data = document.getElementById("exercise-fields");
  const exercises = data ? JSON.parse(data.textContent) : {};
  for (const box of document.querySelectorAll(".bd-article .exercise[id]")) {
    const exercise = exercises[box.id];
    if (exercise) ask(box, exercise);
    if (!exercise || exercise.code) leadToColab(box);
  }

  const place = document.getElementById("what-you-answered");
  if (!place) return;
  const said = make("span", { role: "status" });
  const tell = () => {
    const [answers, questions, { done }] = NAMES.map(read);
    const count = (kept = {}) => Object.keys(kept).length;
    said.textContent = `Exercises kept: ${count(answers)}. Questions kept: `
      + `${count(questions)}. Chapters read: ${count(done)}.`;
  };
  const save = make("button", { type: "button" }, "Save as a file");
  save.addEventListener("click", () => {
    const kept = Object.fromEntries(NAMES.map((name) => [name, read(name)]));
    const file = new Blob([JSON.stringify(kept, null, 2)], { type: "application/json" });
    const href = URL.createObjectURL(file);
    make("a", { href, download: "tested-transformer-answers.json" }).click();
    URL.revokeObjectURL(href);
  });
  const erase = make("button", { type: "button" }, "Erase");
  erase.addEventListener("click", () => {
    if (!confirm("Erase all answers and chapters read that this browser keeps?")) return;
    NAMES.forEach((name) => localStorage.removeItem(name));
    tell();
  });
  place.append(make("p", { className: "answer d-print-none" }, save, erase, said));
  tell();
  addEventListener("storage", tell);  // another page of the book may be open beside it
})();
