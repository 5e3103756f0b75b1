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
  return [...document.querySelectorAll("math, table")].map((part) => {
    const isTable = part.localName === "table";
    const kept = isTable ? null : part.closest(".kept");
    const room = inside(kept ?? part);
    part.style.width = isTable ? "min-content" : "max-content";
    const { width } = (kept ?? part).getBoundingClientRect();
    part.style.width = "";
    const around = letters(part.parentElement);
    const own = letters(part);
    return [width / own, (innerWidth - room) / around, own / around];
  });
}
