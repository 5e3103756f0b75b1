// Paper is white, whatever the screen shows, and shows what a reader would unfold: the
// solutions last, where nobody reads them beside their exercises, and the translator as a
// page without scripts has it. The source of a figure stays as it is, folded or not
// (print.css). A list tells which works are cited, where a link would lead to them, and at
// the foot of each sheet stand the title of the page and its address.
(() => {
  const SOURCE = ".cell.tag_hide-input > .folded-code:has(> .cell_input)";
  const LONG = 25; // lines of code, as in the PDF: shorter code stays whole
  const WIDE = "(min-width: 992px)"; // a window of a machine that prints
  const whenIdle = window.requestIdleCallback ?? ((task) => setTimeout(task, 30));
  const translator = document.querySelector("[data-translator]");
  const still = translator?.cloneNode(true); // its own script runs later
  let restore = [];

  // A browser may print before a figure far below has come.
  const fetchFigures = () => {
    for (const image of document.querySelectorAll('img[loading="lazy"]')) {
      image.loading = "eager";
    }
  };
  window.addEventListener("load", () => {
    if (matchMedia(WIDE).matches) whenIdle(fetchFigures);
  });

  const writeFoot = () => {
    const address = location.protocol.startsWith("http") ? location.href.split("#")[0] : "";
    const title = [...new Set(document.title.split(" — "))].join(" — ");
    const escaped = [title, address].map((line) =>
      line.replace(/[^\w .:/-]/gu, (sign) => `\\${sign.codePointAt().toString(16)} `));
    const foot = document.createElement("style");
    foot.textContent = `@page { @bottom-left { content: "${escaped.join("\\A ")}" } }`;
    document.head.append(foot);
    restore.push(() => foot.remove());
  };

  const showStill = () => {
    if (!still) return;
    translator.before(still);
    translator.classList.add("d-print-none");
    restore.push(() => {
      translator.classList.remove("d-print-none");
      still.remove();
    });
  };

  const unfold = () => {
    for (const box of document.querySelectorAll(`details:not([open]):not(${SOURCE})`)) {
      box.open = true;
      restore.push(() => (box.open = false));
    }
    for (const code of document.querySelectorAll(".bd-article pre")) {
      const lines = code.textContent.trimEnd().split("\n").length;
      code.classList.toggle("edition-long", lines > LONG);
    }
  };

  // As in the PDF, and before each word of CamelCase: columns of paper are narrow.
  const letNamesBreak = () => {
    for (const name of document.querySelectorAll(".bd-article td code .pre")) {
      const words = name.textContent.split(/(?<=[_./])(?=\w)|(?<=[a-z])(?=[A-Z])/);
      if (name.childElementCount || words.length === 1) continue;
      const whole = [...name.childNodes];
      name.replaceChildren(...words.flatMap((word, place) =>
        place ? [document.createElement("wbr"), word] : [word]));
      restore.push(() => name.replaceChildren(...whole));
    }
  };

  const append = (heading, parts) => {
    if (!parts.length) return;
    const section = document.createElement("section");
    const title = document.createElement("h2");
    const box = document.createElement("div");
    title.textContent = heading;
    box.append(...parts);
    section.append(title, box);
    document.querySelector(".bd-article").append(section);
    restore.push(() => section.remove());
  };

  const listWorks = () => {
    const works = new Map();
    for (const link of document.querySelectorAll(".bd-article a.citation-link[title]")) {
      const words = link.textContent.trim().replace(/\s+/g, " ");
      const name = words.replace(/,? \(?(\d{4}\w?)\)?$/, " ($1)");
      works.set(link.hash, [name, link.title]);
    }
    const entries = [...works.values()].sort(([a], [b]) => a.localeCompare(b));
    append("References", entries.map(([name, work]) => {
      const entry = document.createElement("div");
      const line = document.createElement("p");
      const bold = document.createElement("strong");
      bold.textContent = `${name}.`;
      line.append(bold, ` ${work}`);
      entry.className = "citation";
      entry.append(line);
      return entry;
    }));
  };

  const gatherSolutions = () => {
    const solutions = [...document.querySelectorAll(".bd-article .solution")];
    for (const solution of solutions) {
      const place = document.createComment("solution");
      solution.replaceWith(place);
      restore.unshift(() => place.replaceWith(solution));
    }
    append("Solutions", solutions);
  };

  window.addEventListener("beforeprint", () => {
    const root = document.documentElement;
    const theme = root.dataset.theme;
    restore = [() => (root.dataset.theme = theme)];
    root.dataset.theme = "light";
    writeFoot();
    showStill();
    unfold();
    letNamesBreak();
    listWorks();
    gatherSolutions();
    fetchFigures();
  });
  window.addEventListener("afterprint", () => {
    restore.forEach((step) => step());
    restore = [];
  });
})();
