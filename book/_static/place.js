// Where a reader was, to go on from the first page, and which chapters were read to their
// end, which have a tick in the lists. It stays in this browser, and goes where answers are
// erased (answers.js).
(() => {
  const KEPT = "book-place";
  const root = new URL(document.documentElement.dataset.content_root ?? "", location);
  const nameOf = (address) => address.href.split(/[?#]/)[0].replace(root.href, "");
  const title = document.querySelector(".bd-article h1");

  const read = () => {
    try {
      return JSON.parse(localStorage.getItem(KEPT)) ?? {};
    } catch {
      return {}; // the browser keeps nothing
    }
  };
  const write = (news) => {
    try {
      localStorage.setItem(KEPT, JSON.stringify({ ...read(), ...news }));
    } catch {
      // as above
    }
  };

  // The words of a heading: a formula in it once, not for the eye and for the ear.
  const wordsOf = (heading) => {
    const words = heading.cloneNode(true);
    words.querySelectorAll(".headerlink, .katex-html, annotation").forEach((part) =>
      part.remove());
    return words.textContent.trim();
  };

  const follow = () => {
    const page = nameOf(location);
    const sections = document.querySelectorAll(".bd-article > section > section");
    const keep = () => {
      const here = [...sections].filter((section) => section.offsetHeight
        && section.getBoundingClientRect().top < innerHeight / 2).at(-1);
      const words = [title, here?.querySelector("h2")].filter(Boolean).map(wordsOf);
      write({ page, section: here?.id ?? "", words: words.join(": ") });
    };
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) keep();
    });
    window.addEventListener("pagehide", keep);
    const end = document.querySelector(".prev-next-area");
    if (!end) return;
    new IntersectionObserver((entries, observer) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      observer.disconnect();
      write({ done: { ...read().done, [page]: true } });
      tick();
    }).observe(end);
  };

  const tick = () => {
    const { done = {} } = read();
    for (const link of document.querySelectorAll(
      ".bd-sidebar-primary nav a[href], #the-chapters td a")) {
      link.classList.toggle("read", nameOf(link) in done);
    }
  };

  const lead = (doors) => {
    const { page, section, words } = read();
    if (!page) return;
    const link = document.createElement("a");
    const line = document.createElement("p");
    link.href = root.href + page + (section && `#${section}`);
    link.textContent = words;
    line.className = "go-on d-print-none";
    line.append("Go on with ", link);
    doors.before(line);
  };

  const doors = document.querySelector(".doors");
  if (doors) lead(doors);
  if (/^\d+\. /.test(title?.textContent ?? "")) follow();
  tick();
})();
