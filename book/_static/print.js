// Paper is white, whatever the screen shows, and shows what a reader would unfold: the
// solutions last, where nobody reads them beside their exercises. The source of a figure
// stays as it is, folded or not (print.css).
(() => {
  const SOURCE = ".cell.tag_hide-input > .folded-code:has(> .cell_input)";
  let restore = [];
  window.addEventListener("beforeprint", () => {
    const root = document.documentElement;
    const theme = root.dataset.theme;
    root.dataset.theme = "light";
    restore = [() => (root.dataset.theme = theme)];
    const folded = `details:not([open]):not(${SOURCE})`;
    for (const box of document.querySelectorAll(folded)) {
      box.open = true;
      restore.push(() => (box.open = false));
    }
    const solutions = [...document.querySelectorAll(".bd-article .solution")];
    if (solutions.length) {
      const last = document.createElement("section");
      last.innerHTML = "<h2>Solutions</h2>";
      restore.push(() => last.remove());
      for (const solution of solutions) {
        const place = document.createComment("solution");
        solution.replaceWith(place);
        last.append(solution);
        restore.unshift(() => place.replaceWith(solution));
      }
      document.querySelector(".bd-article").append(last);
    }
    for (const image of document.querySelectorAll('img[loading="lazy"]')) {
      image.loading = "eager";
    }
  });
  window.addEventListener("afterprint", () => {
    restore.forEach((step) => step());
    restore = [];
  });
})();
