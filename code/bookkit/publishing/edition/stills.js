// Returns what brings its own styles, each element with the look that they give it.
() => {
  document.documentElement.dataset.theme = "light";  // as a script of the theme does
  // What an element takes from the one around it is written where it differs from that.
  const taken = [
    "color", "fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray",
    "stroke-linejoin", "stroke-linecap", "stroke-opacity", "text-anchor",
    "dominant-baseline", "font-weight", "font-style", "text-align", "white-space",
    "writing-mode",
  ];
  // The rest is written where it differs from what an element has without styles.
  const own = {
    "background-color": "rgba(0, 0, 0, 0)", opacity: "1", transform: "none",
    "vector-effect": "none", "vertical-align": "baseline",
  };
  const sides = ["top", "right", "bottom", "left"];
  // A mixed color in a form that every device knows.
  const mixed = /color\(srgb ([\d.]+) ([\d.]+) ([\d.]+)( \/ [\d.]+)?\)/g;
  const plain = (value) => value.replaceAll(mixed, (_, red, green, blue, part) => {
    const levels = [red, green, blue].map((level) => Math.round(255 * level)).join(", ");
    return part ? `rgba(${levels}, ${part.slice(3)})` : `rgb(${levels})`;
  });
  const inDrawing = (part) => part instanceof SVGElement;
  const isDrawing = (part) => part.matches(":not(svg) > svg");

  const describe = (part) => {
    const look = getComputedStyle(part), around = getComputedStyle(part.parentElement);
    const words = taken.filter((name) => look[name] !== around[name]);
    words.push(...Object.keys(own).filter((name) => look[name] !== own[name]));
    // Sizes are those of the device, but in a drawing, which is scaled as a whole.
    if (isDrawing(part) || inDrawing(part) && look.fontSize !== around.fontSize) {
      words.push("font-size");
    }
    // A table of a device may have lines of its own.
    const lined = sides.some((side) => look[`border-${side}-style`] !== "none");
    if (lined || part.matches("td, th")) words.push(...sides.map((side) => `border-${side}`));
    if (part.matches("span, svg") && look.display === "block") words.push("display");
    if (isDrawing(part)) words.push("width");
    // A bar has no height of its own: its sides are stretched apart.
    if (part.matches("svg[preserveAspectRatio=none]")) words.push("height");
    // A line that is not seen could be, in the colors of a device.
    const clear = (name) => look.getPropertyValue(`${name}-color`) === "rgba(0, 0, 0, 0)";
    return words.map((name) =>
      `${name}: ${clear(name) ? 0 : plain(look.getPropertyValue(name))}`).join("; ");
  };

  // In a page a drawing may stand out of its frame, and a picture has an edge.
  const EDGE = 4;  // pixels
  const frame = (part, still) => {
    const { x, y, width, height } = part.viewBox.baseVal, ink = part.getBBox();
    const scale = parseFloat(still.style.width) / width, edge = EDGE / scale;
    const left = Math.min(x, ink.x) - edge, top = Math.min(y, ink.y) - edge;
    const right = Math.max(x + width, ink.x + ink.width) + edge;
    const bottom = Math.max(y + height, ink.y + ink.height) + edge;
    const sides = [left, top, right - left, bottom - top];
    still.setAttribute("viewBox", sides.map((side) => side.toFixed(1)).join(" "));
    still.style.width = `${Math.round(scale * (right - left))}px`;
  };

  const draw = (part) => {
    if (part.matches("style, script, .halo") || getComputedStyle(part).display === "none") {
      return null;
    }
    const still = part.cloneNode(false);
    const style = describe(part);
    if (style) still.setAttribute("style", style);
    else still.removeAttribute("style");
    if (part.matches(":not(svg) > svg:not([preserveAspectRatio])")) frame(part, still);
    for (const child of part.childNodes) {
      if (child.nodeType === Node.TEXT_NODE) still.append(child.cloneNode());
      else if (child.nodeType === Node.ELEMENT_NODE) {
        const inside = draw(child);
        if (inside) still.append(inside);
      }
    }
    return still;
  };

  // The light rim of a word becomes a word beneath it: some devices would draw it over
  // the word itself.
  for (const word of document.querySelectorAll("article svg text")) {
    if (!getComputedStyle(word).paintOrder.startsWith("stroke")) continue;
    word.before(word.cloneNode(true));
    for (const part of [word, ...word.children]) part.style.stroke = "none";
  }
  const styled = [...document.querySelectorAll("article :has(> style)")];
  return styled
    .filter((part) => !part.parentElement.closest(":has(> style)"))
    .map((part) => draw(part)?.outerHTML ?? "");
}
