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

  const describe = (part) => {
    const look = getComputedStyle(part), around = getComputedStyle(part.parentElement);
    let words = taken.filter((name) => look[name] !== around[name]);
    // Some devices draw the light rim of a word over the word, and not beneath it.
    if (look.paintOrder.startsWith("stroke")) {
      words = words.filter((name) => !name.startsWith("stroke"));
    }
    words.push(...Object.keys(own).filter((name) => look[name] !== own[name]));
    // Sizes are those of the device, but in a drawing, which is scaled as a whole.
    if (inDrawing(part) && look.fontSize !== around.fontSize) words.push("font-size");
    // A table of a device may have lines of its own.
    const lined = sides.some((side) => look[`border-${side}-style`] !== "none");
    if (lined || part.matches("td, th")) words.push(...sides.map((side) => `border-${side}`));
    if (part.matches("span, svg") && look.display === "block") words.push("display");
    if (part.matches(":not(svg) > svg")) words.push("width");
    // A bar has no height of its own: its sides are stretched apart.
    if (part.matches("svg[preserveAspectRatio=none]")) words.push("height");
    return words.map((name) => `${name}: ${plain(look.getPropertyValue(name))}`).join("; ");
  };

  const draw = (part) => {
    if (part.matches("style, script, .halo") || getComputedStyle(part).display === "none") {
      return null;
    }
    const still = part.cloneNode(false);
    const style = describe(part);
    if (style) still.setAttribute("style", style);
    else still.removeAttribute("style");
    for (const child of part.childNodes) {
      if (child.nodeType === Node.TEXT_NODE) still.append(child.cloneNode());
      else if (child.nodeType === Node.ELEMENT_NODE) {
        const inside = draw(child);
        if (inside) still.append(inside);
      }
    }
    return still;
  };

  const styled = [...document.querySelectorAll("article :has(> style)")];
  return styled
    .filter((part) => !part.parentElement.closest(":has(> style)"))
    .map((part) => draw(part)?.outerHTML ?? "");
}
