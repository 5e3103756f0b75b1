// Fifty questions, one at a time: say your answer, open ours, and mark whether you knew it.
// Those you did not know come again. The marks stay in this browser.
(() => {
  const KEPT = "book-questions";
  const questions = [...document.querySelectorAll(".bd-article .question")];
  if (!questions.length) return;
  const article = questions[0].closest(".bd-article");
  const isChinese = document.documentElement.lang.startsWith("zh");
  const say = (english, chinese) => (isChinese ? chinese : english);
  const tally = (count) =>
    say(`Known: ${count} of ${questions.length}.`, `答对 ${count} 题，共 ${questions.length} 题。`);
  const numberOf = (question) => parseInt(question.querySelector("summary").textContent);
  let known = {};
  try {
    known = JSON.parse(localStorage.getItem(KEPT)) ?? {};
  } catch {
    // the browser keeps nothing
  }
  const knows = (question) => known[numberOf(question)] === true;

  const make = (text, act) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = text;
    button.addEventListener("click", act);
    return button;
  };
  const said = document.createElement("span");
  said.role = "status";
  const bar = document.createElement("p");
  const marks = document.createElement("p");
  bar.className = marks.className = "answer d-print-none";
  let round = [];

  const show = () => {
    const [question] = round;
    questions.forEach((other) => (other.hidden = other !== question));
    question.open = false;
    question.after(marks);
    const count = questions.filter(knows).length;
    const toCome = say(` To come: ${round.length}.`, `还剩 ${round.length} 题。`);
    said.textContent = tally(count) + toCome;
    question.querySelector("summary").focus();
  };
  const leave = () => {
    questions.forEach((question) => (question.hidden = false));
    article.classList.remove("quizzing");
    marks.remove();
    start.hidden = false;
    stop.hidden = true;
    const count = questions.filter(knows).length;
    said.textContent = count ? tally(count) : "";
    start.focus();
  };
  const mark = (isKnown) => {
    const question = round.shift();
    known[numberOf(question)] = isKnown;
    try {
      localStorage.setItem(KEPT, JSON.stringify(known));
    } catch {
      // as above
    }
    if (!isKnown) round.push(question);
    if (round.length) show();
    else leave();
  };
  const start = make(say("Ask me one by one", "逐题问我"), () => {
    const unknown = questions.filter((question) => !knows(question));
    round = unknown.length ? unknown : [...questions];
    article.classList.add("quizzing");
    start.hidden = true;
    stop.hidden = false;
    show();
  });
  const stop = make(say("Back to the list", "回到列表"), leave);
  stop.hidden = true;
  marks.append(
    make(say("I knew it", "答对了"), () => mark(true)),
    make(say("I did not", "没答对"), () => mark(false)),
  );
  bar.append(start, stop, said);
  article.querySelector("h2").parentElement.before(bar);
})();
