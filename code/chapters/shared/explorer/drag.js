// Lets a reader drag a part of the drawing with mouse or finger, or move it with keys.
// `drag` gets the place of the pointer in the drawing, `step` how far a key goes to the
// right and up; both change what the script keeps, and `drop` does when the pointer lets
// go. The part is then drawn anew.
function letDrag(view, name, { label, range: [low, high], drag, step, drop }) {
  const steps = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1],
    ArrowDown: [0, -1], PageUp: [5, 5], PageDown: [-5, -5], Home: [-99, -99], End: [99, 99] };
  const handle = view.part(name);
  const move = () => {
    view.root.dataset.moved = name;
    view.draw(name);
  };
  view.set(name, { role: "slider", tabindex: "0", "aria-label": label,
    "aria-valuemin": String(low), "aria-valuemax": String(high) });
  handle.addEventListener("pointerdown", (event) => {
    if (!event.button) handle.setPointerCapture(event.pointerId);
  });
  // The style `touch-action` does not keep the page from scrolling under every shape.
  handle.addEventListener("touchmove", (e) => e.preventDefault(), { passive: false });
  handle.addEventListener("pointermove", (event) => {
    if (!handle.hasPointerCapture(event.pointerId)) return;
    const { x, y } = findPlace(handle.ownerSVGElement, event);
    drag(x, y);
    move();
  });
  handle.addEventListener("lostpointercapture", () => {
    drop?.();
    view.draw(name);
  });
  handle.addEventListener("keydown", (event) => {
    const way = steps[event.key];
    if (!way || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    step(...way.map((far) => (event.shiftKey ? 5 : 1) * far));
    move();
  });
}

// Where in a drawing the pointer is.
function findPlace(drawing, { clientX, clientY }) {
  const inside = drawing.getScreenCTM().inverse();
  return new DOMPoint(clientX, clientY).matrixTransform(inside);
}

// Puts what a reader drags in its place, and says where that is.
function putHandle(view, name, [x, y], now, text) {
  view.set(name, { transform: `translate(${coordinate(x)} ${coordinate(y)})`,
    "aria-valuenow": String(now), "aria-valuetext": text });
}
