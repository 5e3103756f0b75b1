// Points of a plane that a reader drags in steps of a tenth, and none onto another one.
// A field says where its origin is, how long a unit, and between which corners they stay.
const points = {
  place: ([x, y], { origin: [left, top], unit }) => [left + unit * x, top - unit * y],
  find: ([x, y], { origin: [left, top], unit }) => [(x - left) / unit, (top - y) / unit],
  settle: (point, { low, high }) => point.map((side, i) =>
    Math.min(Math.max(Math.round(10 * side) / 10, low[i]), high[i])),
  // Whether all are in the field, and no plate of 30 pixels lies on another.
  free: (all, { unit, low, high }) => all.every((point, i) =>
    point.every((side, k) => low[k] - 1e-9 <= side && side <= high[k] + 1e-9) &&
    all.slice(0, i).every((other) => unit * Math.abs(point[0] - other[0]) >= 41 ||
      unit * Math.abs(point[1] - other[1]) >= 27)),
  say: (point, places = 1) => `(${point.map((side) => fixed(side, places)).join(", ")})`,
  // A way along some points.
  path: (all, field) => all.length
    ? `M${all.map((point) => points.place(point, field).map(coordinate).join(" ")).join("L")}` : "",
};

// Lets a reader drag the points `view.points`, each by the handle of its name. `move` says
// where all of them are once one is where the reader wants it.
function letDragPoints(view, names, field, move = (all, i, to) => all.with(i, to)) {
  names.forEach((name, i) => {
    const go = (to) => {
      const moved = move(view.points, i, points.settle(to, field));
      if (points.free(moved, field)) view.points = moved;
    };
    letDrag(view, name, { label: name, range: [field.low[0], field.high[0]],
      drag: (x, y) => go(points.find([x, y], field)),
      step: (right, up) => go([view.points[i][0] + right / 10, view.points[i][1] + up / 10]) });
  });
}

// Puts the handles where their points are.
function putPoints(view, names, field) {
  names.forEach((name, i) => putHandle(view, name, points.place(view.points[i], field),
    view.points[i][0], points.say(view.points[i])));
}
