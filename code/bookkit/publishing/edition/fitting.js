// How wide formulas and tables are, in letters of their own, what is lost of a page
// beside them, and how large their letters are for those around them.
() => {
  const letters = (part) => parseFloat(getComputedStyle(part).fontSize);
  const inside = (part) => {
    let box = part.parentElement;
    while (getComputedStyle(box).display.startsWith("inline")) box = box.parentElement;
    const { paddingLeft, paddingRight } = getComputedStyle(box);
    return box.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
  };
  const measure = (part) => {
    const box = part.closest(".kept") ?? part;
    part.style.width = part.localName === "table" ? "min-content" : "max-content";
    const { width } = box.getBoundingClientRect();
    part.style.width = "";
    return width;
  };
  return [...document.querySelectorAll("math, table")].map((part) => {
    // The parts of a formula on lines of its own are of one size.
    const display = part.localName === "math" && part.closest("div.math");
    const parts = display ? [...display.querySelectorAll("math")] : [part];
    const width = Math.max(...parts.map(measure));
    const own = letters(part);
    const around = letters(part.parentElement);
    const lost = innerWidth - inside(part.closest(".kept") ?? part);
    return [width / own, lost / around, own / around];
  });
}
