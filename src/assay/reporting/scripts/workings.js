/* Where a value comes from: the first rows of the ranking, what each adds, and the formula with the numbers put in. */

/* The system whose value is shown, as long as the reader stays on the page. */
const tabOf = (t) => (on().includes(state.tab) ? state.tab : best(t)[0]);

function whereFrom(t, page) {
  const node = el("div", { id: "workings", hidden: !page.workings });
  if (page.workings) drawWorkings(node, t, page);
  return node;
}
function drawWorkings(node, t, page) {
  const chosen = tabOf(t), m = state.measure;
  const turn = (s) => { state.tab = s; drawWorkings(node, t, page); node.querySelector("[aria-selected=true]").focus(); };
  const arrow = (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key], order = best(t);
    if (by) turn(order.at((order.indexOf(chosen) + by) % order.length));
  };
  const tab = (s) => el("button", {
    type: "button", role: "tab", "aria-selected": String(s === chosen), tabindex: s === chosen ? 0 : -1,
    "data-system": s, click: () => turn(s), keydown: arrow,
  }, named(s));
  node.replaceChildren(
    el("h2", {}, "Where the value comes from"),
    el("div", { class: "tabs", role: "tablist", "aria-label": "System" }, best(t).map(tab)),
    el("div", { role: "tabpanel" }, ...worked(t, page, chosen, m)));
}
function worked(t, page, s, m) {
  const part = page.workings.runs[s]?.[m], x = s === undefined ? null : data.values[s][m][t];
  if (x === null) return [el("p", { class: "soft" }, "This topic does not count for this system.")];
  if (!part) return [el("p", { class: "soft" }, page.runs[s] ? "This value was given, not computed." : "Nothing was returned.")];
  const [head, packed, numbers, told] = part, [columns, formula, listed] = page.workings.heads[head];
  const unpacked = (cells) =>
    (typeof cells === "string" ? cells.split(" ").map((cell) => (cell === "-" ? null : +cell)) : cells);
  const cells = packed.map(unpacked), length = cells[0]?.length ?? 0, shown = results(page, s);
  /* a column has digits behind the point where any number in it has */
  const whole = cells.map((cell) => cell.every((one) => one === null || Number.isInteger(one)));
  const text = (cell, at) =>
    (cell === null ? "" : cell === Infinity ? "inf" : whole[at] ? many(cell) : digits(cell));
  const resultCell = (i) => (i < shown.length
    ? [documentLink(t, page, shown[i].document, s), el("span", { class: "part" }, partOf(shown[i]))] : null);
  const isText = columns.map((_, at) => typeof packed[at] !== "string");
  /* ranks with gaps are a column of their own */
  const counted = !columns.includes("rank");
  const row = (i) => el("tr", {}, counted ? number(i + 1) : null, listed ? el("td", {}, resultCell(i)) : null, cells.map((cell, at) =>
    (isText[at] ? el("td", {}, parted(cell[i] ?? "")) : number(text(cell[i], at)))));
  const soFar = cells[columns.indexOf("so far")]?.at(-1), rest = soFar === undefined ? 0 : x - soFar;
  const below = Math.abs(rest) >= 0.00005 ? [`The rows below these add ${digits(rest)}.`] : [];
  const sides = [measures[m].name, formula, numbers, value(x, m)].filter(Boolean);
  const equation = sides.filter((side, i) => side !== sides[i - 1]).join(" = ");
  return [
    length ? el("div", { class: "wide tall" }, el("table", {},
      el("caption", { class: "unseen" }, `How ${measures[m].name} of ${systems[s]} is computed`),
      el("thead", {}, el("tr", {}, counted ? col("rank", true) : null, listed ? col("document") : null,
        columns.map((name, at) => col(parted(name), !isText[at])))),
      el("tbody", {}, range(length).map(row)))) : null,
    ...[...below, ...told].map((line) => el("p", { class: "soft" }, line)),
    el("p", { class: "equation" }, el("code", {}, equation)),
  ].filter(Boolean);
}
