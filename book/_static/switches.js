// Two switches of a chapter: hide its code, and what is marked Deeper. The style sheet
// obeys two attributes of the page (reading.css), which its head has set from its address
// or from what this browser keeps (switches.py). Here they change, and the address says
// so, as a link to share. A link to something that is hidden shows it.
(() => {
  const HIDES = {
    core: "1",
    code: "0",
  };
  const root = document.documentElement;
  const nameOf = (button) => button?.dataset.bookAction;
  const isOn = (name) => root.dataset[name] === HIDES[name];

  const tell = () => {
    for (const button of document.querySelectorAll("[data-book-action]")) {
      if (nameOf(button) in HIDES) button.ariaPressed = isOn(nameOf(button));
    }
  };

  const keep = (name) => {
    const address = new URL(location);
    if (isOn(name)) address.searchParams.set(name, HIDES[name]);
    else address.searchParams.delete(name);
    try {
      localStorage.setItem(`book-${name}`, root.dataset[name]);
      history.replaceState(history.state, "", address);
    } catch {
      // the browser keeps nothing
    }
  };

  document.addEventListener("click", ({ target }) => {
    const name = nameOf(target.closest("[data-book-action]"));
    if (!(name in HIDES)) return;
    root.dataset[name] = isOn(name) ? "" : HIDES[name];
    tell();
    keep(name);
  });

  const showTarget = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!isOn("core") || !target?.closest("section.deeper")) return;
    root.dataset.core = ""; // on this page, for this once
    tell();
    target.scrollIntoView();
  };
  window.addEventListener("hashchange", showTarget);
  showTarget();
  tell();
})();
