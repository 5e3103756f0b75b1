// As much of a page as the script of an explorer needs for its first picture, where there
// is no browser: HTML read into parts, which are written again when the script is done.
class Part {
  constructor(kind, attributes) {
    Object.assign(this, { kind, attributes: new Map(attributes), inside: [] });
  }
  get children() { return this.inside.filter((part) => part instanceof Part); }
  get textContent() { return this.inside.map((part) => part.textContent ?? part).join(""); }
  set textContent(words) { this.inside = String(words) ? [String(words)] : []; }
  set innerHTML(html) { this.inside = readParts(html).inside; }
  getAttribute(name) { return this.attributes.get(name) ?? null; }
  setAttribute(name, value) { this.attributes.set(name, String(value)); }
  addEventListener() {}
  get dataset() { return { part: this.getAttribute("data-part") }; }
  get type() { return this.kind === "select" ? this.kind : this.getAttribute("type"); }
  get checked() { return this.attributes.has("checked"); }
  get value() {
    const chosen = this.children.find((part) => part.attributes.has("selected"));
    return (chosen ?? this).getAttribute("value");
  }
  get classList() {
    const names = new Set((this.getAttribute("class") ?? "").split(" ").filter(Boolean));
    return {
      toggle: (name, on) => {
        if (on === names.has(name)) return;
        names[on ? "add" : "delete"](name);
        this.setAttribute("class", [...names].join(" "));
      },
    };
  }
  // The first part with an attribute, as in [name="value"].
  querySelector(selector) {
    const [, name, value] = selector.match(/\[([\w-]+)="([^"]+)"\]$/);
    for (const part of this.children) {
      if (part.getAttribute(name) === value) return part;
      const found = part.querySelector(selector);
      if (found) return found;
    }
    return null;
  }
  querySelectorAll(kind) {
    return this.children.flatMap((part) =>
      [...(part.kind === kind ? [part] : []), ...part.querySelectorAll(kind)]);
  }
  get outerHTML() {
    const attributes = [...this.attributes].filter(([name, value]) => name !== "class" || value)
      .map(([name, value]) => ` ${name}="${escaped(value)}"`).join("");
    const empty = /^(circle|input|line|path|rect)$/.test(this.kind), { kind } = this;
    const inside = this.inside.map((part) => part.outerHTML ?? escaped(part)).join("");
    return empty ? `<${kind}${attributes}/>` : `<${kind}${attributes}>${inside}</${kind}>`;
  }
}

function readParts(html) {
  const signs = { amp: "&", lt: "<", gt: ">", quot: '"', "#x27": "'" };
  const plain = (text) => text.replace(/&([#\w]+);/g, (_, name) => signs[name]);
  const open = [new Part("all")];
  for (const [text, end, kind, given, empty] of
    html.matchAll(/<(\/?)(\w+)((?:\s+[\w-]+="[^"]*")*)\s*(\/?)>|[^<]+/gi)) {
    if (!kind) open.at(-1).inside.push(plain(text));
    else if (end) open.pop();
    else {
      const attributes = [...given.matchAll(/([\w-]+)="([^"]*)"/g)];
      const part = new Part(kind, attributes.map(([, name, value]) => [name, plain(value)]));
      open.at(-1).inside.push(part);
      if (!empty) open.push(part);
    }
  }
  return open[0];
}

// Nobody drags anything here: a handle is put in its place, and is nothing but a shape.
function letDrag() {}
function putHandle(view, name, [x, y]) {
  view.set(name, { transform: `translate(${coordinate(x)} ${coordinate(y)})` });
}

// Draws the first picture into the parts of an explorer, and writes them.
function drawStill(html) {
  const root = readParts(html), view = look(root);
  fill(view);
  start(view)(view, null);
  return root.children.slice(0, -1).map((part) => part.outerHTML).join("\n");
}
