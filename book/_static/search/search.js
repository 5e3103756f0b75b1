// Shows what a search finds: on the page of the search, and below the field that Ctrl-K
// opens, as one types. What is needed for it is fetched when somebody searches.
(() => {
  const ROOT = document.documentElement.dataset.content_root;
  const NEEDED = ["_static/search/minisearch.js", "_static/search/engine.js"];
  const DATA = "search_data.js";
  const ON_PAGE = 40;
  const IN_DIALOG = 6;
  let started;

  const add = (parent, name, text = "", attributes = {}) => {
    const element = Object.assign(document.createElement(name), attributes);
    element.textContent = text;
    parent.append(element);
    return element;
  };

  const load = (source) =>
    new Promise((resolve, reject) => {
      add(document.head, "script", "", { src: ROOT + source, onload: resolve, onerror: reject });
    });

  const start = async () => {
    await Promise.all([...NEEDED, DATA].map(load));
    return new BookSearch(window.BOOK_SEARCH);
  };

  const listResult = (list, result) => {
    const { title, page, address } = result;
    const item = add(list, "li", "", address.startsWith("zh/") ? { lang: "zh-Hans" } : {});
    const isPage = !address.includes("#");
    add(item, "a", isPage ? page : title, { href: ROOT + address });
    if (!isPage) add(item, "span", page, { className: "search-place" });
    const label = BookSearch.label(result);
    if (label) {
      const [way, name] = label;
      add(add(item, "span", `${way}: `, { className: "search-label" }), "mark", name);
    }
    const excerpt = add(item, "p");
    for (const [words, isTerm] of BookSearch.excerpt(result)) {
      add(excerpt, isTerm ? "mark" : "span", words);
    }
  };

  // How many sections there are, and what they have of the query.
  const summarize = (query, found, most) => {
    if (!query) return "";
    if (!found.length) return `No section has “${query}”. Try another word for it.`;
    if (found[0].way === "nearest") {
      const mentions = found.length - 1;
      const more = mentions === 1 ? ", and one section that mentions it" : mentions > 1
        ? `, and ${mentions} sections that mention it` : "";
      return `The book does not treat “${query}”. Nearest to it${more}:`;
    }
    const [all, they] = /\s/.test(query) ? ["all these words", "them"] : ["this word", "it"];
    const ways = {
      words: `with ${all}`,
      names: `with another name for ${they}`,
      topic: `on pages about ${they}`,
      like: `with words like ${they}`,
    };
    const counts = Object.entries(ways).flatMap(([way, name]) => {
      const count = found.filter((result) => result.way === way).length;
      return count ? [`${count} ${name}`] : [];
    });
    if (!counts.length) return `No section has ${all}. With some of them:`;
    if (found.at(-1).way === "some") counts.push("more with some of them");
    const shown = found.length > most ? `; the first ${most}` : "";
    return `Sections: ${counts.join(", ")}${shown}:`;
  };

  // Below a field stand the sections for what is typed in it.
  const serve = (field, area, most) => {
    const summary = add(area, "p", "", { className: "search-summary", role: "status" });
    const list = add(area, "ol", "", { className: "search-results" });
    const show = async () => {
      const query = field.value.trim();
      started ??= start();
      try {
        const found = query ? (await started).search(query) : [];
        if (query !== field.value.trim()) return;
        list.replaceChildren();
        for (const result of found.slice(0, most)) listResult(list, result);
        summary.textContent = summarize(query, found, most);
      } catch {
        summary.textContent = "The search could not be loaded; please reload the page.";
      }
    };
    field.addEventListener("input", show);
    return show;
  };

  const servePage = (area) => {
    const field = document.querySelector("main .bd-search input");
    field.value = new URLSearchParams(location.search).get("q") ?? "";
    const show = serve(field, area, ON_PAGE);
    field.addEventListener("input", () => {
      history.replaceState(null, "", `?${new URLSearchParams({ q: field.value })}`);
    });
    field.form.addEventListener("submit", (event) => event.preventDefault());
    show();
  };

  const serveDialog = (dialog) => {
    const field = dialog.querySelector("input");
    const area = add(dialog, "div", "", { className: "search-found" });
    const show = serve(field, area, IN_DIALOG);
    const address = `${ROOT}search.html`;
    const all = add(area, "a", "All results on one page", { hidden: true, href: address });
    field.addEventListener("input", () => {
      all.hidden = !field.value.trim();
      all.href = `${address}?${new URLSearchParams({ q: field.value })}`;
    });
    // Enter opens the first result.
    field.form.addEventListener("submit", async (event) => {
      event.preventDefault();
      await show();
      dialog.querySelector(".search-results a")?.click();
    });
    // Arrows lead from the field to the results, and from one to the next.
    dialog.addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (!step) return;
      const stops = [field, ...dialog.querySelectorAll(".search-found a:not([hidden])")];
      stops[stops.indexOf(document.activeElement) + step]?.focus();
      event.preventDefault();
    });
    dialog.addEventListener("click", ({ target }) => {
      if (target.closest("a")) dialog.close();
    });
  };

  const page = document.querySelector("#search-results");
  if (page) servePage(page);
  const dialog = document.querySelector("#pst-search-dialog");
  if (dialog) serveDialog(dialog);
})();
