/* The table of topics, with a value or a bar for each system. */

/* Up to so many systems have a column each, where the window is wide; with more than a few the columns are narrow. */
const COLUMNS = 6, FEW_COLUMNS = 3;
const phone = matchMedia("(max-width: 40rem)");
/* The orders that the reader can choose: by which column, and whether the greatest comes first. */
const ORDERS = [
  ["Worst first", "mean", false],
  ["Best first", "mean", true],
  ["Most disagreement first", "spread", true],
  ["By topic", "topic", false],
];

const manyOf = (shown) => (shown.length > FEW_COLUMNS ? "many" : null);

function overSystems(t) {
  const known = on().map((s) => data.values[s][state.measure][t]).filter((x) => x !== null);
  if (!known.length) return { t, mean: null, spread: null };
  return { t, mean: sum(known) / known.length, spread: Math.max(...known) - Math.min(...known) };
}
function drawTopics() {
  const m = state.measure, { by, down } = state.topics, { only } = state, shown = on();
  const title = (t) => data.titles?.[t] ?? "";
  const highest = Math.max(...shown.map((s) => Math.max(...data.values[s][m].filter(Number.isFinite))), 1e-9);
  const full = !measures[m].count && highest <= 1 ? 1 : highest;
  const wanted = $("filter").value.trim().toLowerCase();
  const rows = range(topics.length)
    .filter((t) => `${topics[t]} ${title(t)}`.toLowerCase().includes(wanted))
    .filter((t) => !only || (data.highlighted[t] > 0 && hasValue(only.s, t) && cause(only.s, t) === only.name))
    .map(overSystems);
  const keys = { topic: ({ t }) => topics[t], title: ({ t }) => title(t) || null };
  const ofSystem = /^s\d+$/.test(by) ? ({ t }) => data.values[+by.slice(1)][m][t] : (row) => row[by];
  const ordered = inOrder(rows, keys[by] ?? ofSystem, down);
  const sort = (key) => { resort(state.topics, key, key === "spread"); drawTopics(); };
  const head = (label, key, more) => heading(label, key, state.topics, sort, more);
  const over = (x) =>
    (Number.isFinite(x) && measures[m].count ? many(Math.round(x * 10) / 10) : Number.isFinite(x) ? digits(x) : value(x));
  const share = (x) => (100 * Math.min(x ?? 0, full)) / full;
  const drawn = shown.length > (phone.matches ? 1 : COLUMNS);
  const cells = (t) => (drawn ? el("td", {}, bars(t, shown, full)) : shown.map((s) =>
    el("td", { class: "value", "--share": share(data.values[s][m][t]) }, value(data.values[s][m][t]))));
  const headings = drawn
    ? col(`${counted(shown.length, "system")}, best by ${measures[m].name} first`)
    : shown.map((s) => head(named(s), `s${s}`, { class: "number" }));
  $("topics-table").replaceChildren(el("table", { class: manyOf(shown) },
    el("caption", { class: "unseen" }, `${measures[m].name} by topic`),
    el("thead", {}, el("tr", {},
      head("Topic", "topic", { class: "fixed" }),
      data.titles ? head("Title", "title") : null,
      head("Mean", "mean", { class: "number" }),
      phone.matches ? null : head("Spread", "spread", { class: "number", title: "the highest minus the lowest value of the systems shown" }),
      headings)),
    el("tbody", {}, ordered.map(({ t, mean, spread }) => el("tr", { "data-topic": topics[t] },
      el("th", { scope: "row", class: "fixed" }, el("a", { href: link({ topic: topics[t] }) }, bdi(topics[t]))),
      data.titles ? el("td", { class: "title", dir: "auto" }, title(t)) : null,
      number(over(mean)), phone.matches ? null : number(over(spread)), cells(t))))));
  $("count").textContent = `${many(ordered.length)} of ${counted(topics.length, "topic")}`;
  $("only").replaceChildren(...onlyWords());
  $("order").value = String(ORDERS.findIndex(([, key, way]) => key === by && way === down));
}
/* Where there is no room for a column each, all systems are bars of one drawing. */
function bars(t, shown, full) {
  const m = state.measure, order = inOrder(shown, (s) => data.means[s][m], true);
  const values = order.map((s) => data.values[s][m][t] ?? 0);
  const [lowest, highest] = [value(Math.min(...values)), value(Math.max(...values))];
  const heights = values.map((x) => +((20 * Math.min(x, full)) / full).toFixed(2));
  const drawn = shown.length * topics.length > POINTS
    ? svg("path", { d: heights.map((high, i) => `M${i} 20h.8v${-high}h-.8z`).join("") })
    : heights.map((height, i) => svg("rect", { x: i, y: 20 - height, width: 0.8, height, fill: hue(order[i]) }));
  const move = (event) => {
    const box = event.currentTarget.getBoundingClientRect();
    const i = Math.min(order.length - 1, Math.floor(((event.clientX - box.left) / box.width) * order.length));
    tip(event, [["run", systems[order[i]]], [measures[m].name, value(data.values[order[i]][m][t])]]);
  };
  return svg("svg", {
    class: "bars", viewBox: `0 0 ${order.length} 20`, preserveAspectRatio: "none", mousemove: move, mouseleave: away,
    role: "img", "aria-label": `${counted(order.length, "system")}, from ${lowest} to ${highest}`,
  }, drawn);
}
