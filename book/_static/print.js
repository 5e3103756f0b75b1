// Paper is white, whatever the screen shows, and shows what a reader would unfold.
(() => {
  let restore = [];
  window.addEventListener("beforeprint", () => {
    const root = document.documentElement;
    const theme = root.dataset.theme;
    root.dataset.theme = "light";
    restore = [() => (root.dataset.theme = theme)];
    for (const box of document.querySelectorAll("details:not([open])")) {
      box.open = true;
      restore.push(() => (box.open = false));
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
