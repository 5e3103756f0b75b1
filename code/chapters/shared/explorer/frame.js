// Writes a number as Python's `fixed` does.
function fixed(number, places) {
  const text = number.toFixed(places);
  return (Number(text) === 0 ? text.replace("-", "") : text).replace("-", "\u2212");
}

// Writes a coordinate of a drawing, with two decimals.
function coordinate(number) {
  return fixed(number, 2).replace("\u2212", "-");
}

// Brings each explorer of a name to life. `start` gets a view of one of them, and
// returns what is to be done at first and whenever a reader moves something.
function enliven(name, start) {
  const fresh = `[data-explorer="${name}"]:not([data-alive])`;
  for (const root of document.querySelectorAll(fresh)) {
    root.dataset.alive = "";
    const view = look(root);
    const update = start(view);
    view.draw = (moved) => {
      view.before = Boolean(moved);
      update(view, moved);
    };
    root.addEventListener("input", (event) => view.draw(event.target.name));
    view.draw(null);
    for (const part of root.querySelectorAll(":scope > [hidden]")) part.hidden = false;
  }
}

// What a script sees of its explorer: data, controls, and parts of the drawing.
function look(root) {
  const part = (name) => root.querySelector(`[data-part="${name}"]`);
  const control = (name) => root.querySelector(`[name="${name}"]`);
  return {
    root,
    part,
    control,
    data: JSON.parse(root.querySelector('script[type="application/json"]').textContent),
    // The number of a slider, the words of a list, whether a box is ticked.
    value(name) {
      const { type, value, checked } = control(name);
      return type === "range" ? Number(value) : type === "checkbox" ? checked : value;
    },
    // Says beside a slider, and to those who cannot see it, what its value means.
    mean(name, text) {
      root.querySelector(`[data-value="${name}"]`).textContent = text;
      control(name).setAttribute("aria-valuetext", text);
    },
    // Writes the text of a part, and marks it when a move has changed it.
    write(name, text) {
      const place = part(name);
      place.classList.toggle(
        "explorer-changed",
        this.before && name !== "readout" && place.textContent !== text,
      );
      if (place.textContent !== text) place.textContent = text;
    },
    // Sets attributes of a part of the drawing.
    set(name, attributes) {
      const place = part(name);
      for (const [key, value] of Object.entries(attributes)) {
        const text = typeof value === "number" ? coordinate(value) : value;
        place.setAttribute(key, text);
      }
    },
  };
}
