// The parts of a section wait with their layout while out of view (reading.css). Once the
// page has loaded they are laid out in idle moments, some milliseconds at a time, so that
// a touch is answered in between, and the scroll bar and a link within the page find
// everything where it stays. Until then the page follows the heading that the reader
// asked for.
(() => {
  const SECTION = ".bd-article > section > section";
  const MILLISECONDS = 4; // a phone is four times as slow, and must paint, too
  const ELEMENTS = 60; // fewer at once would take as long
  const parts = () =>
    document.querySelectorAll(`${SECTION} > *, ${SECTION} > section > *`);
  const whenIdle = window.requestIdleCallback ?? ((task) => setTimeout(task, 30));
  const hands = ["wheel", "touchstart", "pointerdown", "keydown"];
  let settled = false;

  const layOut = (waiting) => {
    const end = performance.now() + MILLISECONDS;
    while (waiting.length && performance.now() < end) {
      for (let elements = 0; waiting.length && elements < ELEMENTS; ) {
        const part = waiting.shift();
        part.style.contentVisibility = "visible";
        elements += part.getElementsByTagName("*").length;
      }
      document.body.getBoundingClientRect(); // lays out what has become visible
    }
    if (waiting.length) {
      whenIdle(() => layOut(waiting));
    } else {
      settled = true;
    }
  };

  const follow = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const end = performance.now() + 1000;
    let own = true;
    const stop = () => {
      own = false;
    };
    for (const hand of hands) {
      window.addEventListener(hand, stop, { once: true, passive: true });
    }
    const step = () => {
      if (own && target) {
        target.scrollIntoView();
        if (!settled || performance.now() < end) requestAnimationFrame(step);
      }
    };
    if (location.hash) requestAnimationFrame(step);
  };

  window.addEventListener("hashchange", follow);
  window.addEventListener("load", () => {
    follow();
    whenIdle(() => layOut([...parts()]));
  });
})();
