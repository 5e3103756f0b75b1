// Sections out of view wait with their layout (reading.css). Once the page has loaded
// they are laid out in idle moments, one after the other, so that the scroll bar and a
// link within the page find everything where it stays. Until then the page follows the
// heading that the reader asked for.
(() => {
  const sections = () =>
    document.querySelectorAll(".bd-article > section > section");
  const whenIdle = window.requestIdleCallback ?? ((task) => setTimeout(task, 30));
  const hands = ["wheel", "touchstart", "pointerdown", "keydown"];
  let settled = false;

  const layOut = (waiting) => {
    const section = waiting.shift();
    if (section) {
      section.style.contentVisibility = "visible";
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
    whenIdle(() => layOut([...sections()]));
  });
})();
