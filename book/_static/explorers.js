// On a phone the sentence of an explorer lies over the foot of the screen (book.css): the
// page goes on under a finger that drags a handle there, so that it stays in sight.
(() => {
  const STEP = 8;
  document.addEventListener("pointermove", ({ target, pointerId }) => {
    if (!target.matches?.(".explorer-handle") || !target.hasPointerCapture(pointerId)) {
      return;
    }
    const sentence = target.closest(".explorer").querySelector(".explorer-readout");
    const [{ bottom }, { top }] = [target, sentence].map((e) => e.getBoundingClientRect());
    if (bottom > top) window.scrollBy({ top: STEP, behavior: "instant" });
  });
})();
