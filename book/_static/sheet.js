// What a link leads to is shown before anybody follows it: what a term means, which work
// is cited, and the figure, the formula or the theorem itself. A card beside a link shows
// it to the mouse and to the focus of the keyboard; where nothing can point, a tap shows it
// at the foot of the screen, with a link to the place.
(() => {
  const PLACES = { "glossary-link": "In the glossary", "citation-link": "In the bibliography" };
  const PARTS = "figure, div.math, .proof, .exercise";
  const NAMES = /^#(?:fig|equation|thm|ex)-/;
  const ONLY_THERE = ".headerlink, .answer, .d-print-none, .folded-code, script,"
    + " .explorer > :not(style, .explorer-stage)";
  const [OPEN_MS, CLOSE_MS] = [250, 300];
  const touch = matchMedia("(hover: none)");
  const pages = new Map(); // other pages of the site, once they were asked for
  let owner, title; // the link that a card tells of, and what the browser would tell
  let asked, timer; // the link that is pointed at, and what it waits for

  const isOfPage = (link) => link.href.split(/[?#]/)[0] === location.href.split(/[?#]/)[0];
  const tells = (link) => link === owner || Object.keys(PLACES).some((name) =>
    link.classList.contains(name) && link.title)
    || (NAMES.test(link.hash) && link.matches(".reference.internal"));

  // From a disk a browser reads no other page: the link leads there, and no card shows.
  const fetchPage = (address) => {
    if (!pages.has(address)) {
      pages.set(address, fetch(address).then((answer) => answer.text()).then((text) =>
        new DOMParser().parseFromString(text, "text/html")));
    }
    return pages.get(address);
  };

  // A copy with no names, no links and nothing to press; its pictures are found from here.
  const copy = (part, address) => {
    const own = document.importNode(part, true);
    own.querySelectorAll(ONLY_THERE).forEach((other) => other.remove());
    own.querySelectorAll("a").forEach((link) => link.replaceWith(...link.childNodes));
    for (const inner of [own, ...own.querySelectorAll("*")]) {
      for (const name of ["id", "tabindex"]) inner.removeAttribute(name);
      for (const name of ["src", "srcset"]) {
        const found = inner.getAttribute(name);
        if (found) inner.setAttribute(name, new URL(found, address));
      }
    }
    return own;
  };

  // What a link leads to, as words or as a part of a page; nothing, if it is not there, or
  // in view already.
  const find = async (link) => {
    if (link.title) return link.title;
    const address = link.href.split("#")[0];
    const page = isOfPage(link) ? document : await fetchPage(address);
    const part = page.getElementById(decodeURIComponent(link.hash.slice(1)));
    const { top, bottom } = part?.getBoundingClientRect() ?? {};
    const isSeen = page === document && top > 0 && bottom < innerHeight;
    return part?.matches(PARTS) && !isSeen ? copy(part, address) : null;
  };

  const box = (kind, ...parts) => {
    const made = document.createElement(kind);
    made.append(...parts);
    return made;
  };

  // A box keeps the look of the page, whose article it stands in.
  const show = (element) => {
    document.querySelector(".bd-article").append(element);
    element.showPopover();
  };

  const card = box("div");
  Object.assign(card, { className: "book-card d-print-none", id: "book-card", role: "tooltip" });
  card.setAttribute("popover", "manual");
  const close = () => {
    clearTimeout(timer);
    if (!owner) return;
    if (title) owner.title = title;
    owner.removeAttribute("aria-describedby");
    owner = null;
    card.remove();
  };

  const place = (link) => {
    const lines = [...link.getClientRects()], edge = 8;
    const { clientWidth, clientHeight } = document.documentElement;
    const below = lines.at(-1).bottom + edge, above = lines[0].top - edge - card.offsetHeight;
    const top = below + card.offsetHeight > clientHeight && above > 0 ? above : below;
    const left = Math.min(lines[0].left, clientWidth - card.offsetWidth - edge);
    card.style.translate = `${Math.max(edge, left) + scrollX}px ${top + scrollY}px`;
  };

  const open = async (link) => {
    const found = await find(link).catch(() => null);
    if (asked !== link) return;
    close();
    if (!found) return;
    [owner, title] = [link, link.title];
    link.removeAttribute("title"); // the browser would show it, too
    link.setAttribute("aria-describedby", card.id);
    card.replaceChildren(found);
    show(card);
    place(link);
  };

  const ask = (link, wait) => {
    clearTimeout(timer);
    asked = link;
    if (link !== owner) timer = setTimeout(open, wait, link);
  };
  const leave = () => {
    clearTimeout(timer);
    asked = null;
    timer = setTimeout(close, CLOSE_MS);
  };

  const sheet = box("dialog", box("div"), box("a"), box("button", "Close"));
  const [words, entry] = sheet.children;
  sheet.className = "book-sheet";
  sheet.setAttribute("popover", "");
  words.id = "book-sheet-words";
  sheet.setAttribute("aria-describedby", words.id);
  sheet.lastChild.type = "button";

  const tell = async (link) => {
    const found = await find(link).catch(() => null);
    if (!found) {
      location.assign(link.href);
      return;
    }
    words.replaceChildren(typeof found === "string" ? box("p", found) : found);
    const kind = Object.keys(PLACES).find((name) => link.classList.contains(name));
    entry.textContent = PLACES[kind] ?? `Go to ${link.textContent}`;
    entry.href = link.href;
    sheet.setAttribute("aria-label", link.textContent);
    link.focus({ preventScroll: true }); // it comes back here
    show(sheet);
  };

  if (!sheet.showPopover) return;
  const linkOf = ({ target }) => {
    const link = target.closest?.(".bd-article a[href]");
    return link && tells(link) ? link : null;
  };
  document.addEventListener("mouseover", (event) => {
    const link = linkOf(event);
    if (link) ask(link, OPEN_MS);
    else if (owner && card.contains(event.target)) clearTimeout(timer);
    else if (asked || owner) leave();
  });
  document.addEventListener("focusin", (event) => {
    const link = linkOf(event);
    if (link?.matches(":focus-visible") && !touch.matches) ask(link, 0);
  });
  document.addEventListener("focusout", (event) => {
    if (linkOf(event)) leave();
  });
  document.addEventListener("click", (event) => {
    const link = linkOf(event);
    if (link && touch.matches) {
      event.preventDefault();
      tell(link);
    } else if (sheet.contains(event.target) && !words.contains(event.target)
        && event.target !== sheet) {
      sheet.hidePopover();
    }
    close();
  });
  // The browser would close the sheet, but a script of Sphinx takes the key.
  document.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape") return;
    asked = null;
    close();
    if (sheet.isConnected) sheet.hidePopover();
  });
  window.addEventListener("beforeprint", close);
})();
