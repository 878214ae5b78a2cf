/* What was missed at the cut-off, and why: each topic is told by the cause that lost most of its relevant text. */

const CAUSES = {
  cut: "Cut by the budget", low: "Ranked too low", never: "Not returned",
  ...(data.nowhere ? { nowhere: "In no chunk" } : {}),
};
const LOSSES = Boolean(data.losses?.[0]?.length);
const cutOff = () => data.cuts?.[state.cut] ?? {};
const cutWords = () => (cutOff().words === "all results" ? "in all results" : `within ${cutOff().words}`);

/* The characters of a topic that a system read, found, and lost by each cause. */
function lost(s, t) {
  const { read, found, cut, low } = data.losses[s][state.cut];
  const nowhere = data.nowhere?.[s]?.[t] ?? 0;
  const never = data.highlighted[t] - found[t] - cut[t] - low[t] - nowhere;
  return { read: read[t], found: found[t], cut: cut[t], low: low[t], never, nowhere };
}
const hasValue = (s, t) => data.values[s].some((row) => row[t] !== null);
const withText = (s) => range(topics.length).filter((t) => data.highlighted[t] > 0 && hasValue(s, t));
function cause(s, t) {
  const of = lost(s, t), worst = Object.keys(CAUSES).reduce((a, b) => (of[b] > of[a] ? b : a));
  return of[worst] > 0 ? worst : "found";
}
function drawLosses() {
  $("losses").hidden = !LOSSES;
  if (!LOSSES) return;
  drawMisses();
  const causes = Object.keys(CAUSES).filter((name) => name !== "cut" || cutOff().budget);
  const share = (s, name) => {
    const counted = withText(s);
    return sum(counted.map((t) => lost(s, t)[name] / data.highlighted[t])) / Math.max(1, counted.length);
  };
  const only = (s, name) => () => { state.only = { s, name }; drawTopics(); $("topics").scrollIntoView(); };
  const cell = (s, name) => {
    /* of a run whose chunks are not known nobody can say that none holds it */
    if (name === "nowhere" && !data.nowhere[s]) return el("td", { class: "number loss soft" }, "unknown");
    const number = withText(s).filter((t) => cause(s, t) === name).length;
    return el("td", { class: "number loss" }, percent(share(s, name), 1, 1),
      el("button", { type: "button", disabled: !number, click: only(s, name) }, counted(number, "topic")));
  };
  const shown = inOrder(on(), (s) => share(s, "found"), true);
  $("losses-title").textContent = `What was found and missed ${cutWords()}`;
  $("losses-table").replaceChildren(el("table", {},
    el("caption", {},
      "The share of the relevant text, averaged over topics; the buttons show the topics found in full, or lost most to this cause"),
    el("thead", {}, el("tr", {}, col("System", false, { class: "fixed" }),
      col("Found", true), causes.map((name) => col(CAUSES[name], true)))),
    el("tbody", {}, shown.map((s) => el("tr", { "data-system": s },
      el("th", { scope: "row", class: "fixed" }, named(s)),
      ["found", ...causes].map((name) => cell(s, name)))))));
}
/* The questions of each system that lost most, with what they miss and why. */
function drawMisses() {
  const { measure, systems: told } = data.misses ?? {};
  if (!told) return;
  const percentRead = (row) => percent(row.read, 1, 0);
  const line = (row, before) => el("tr", {},
    el("td", {}, row.topic === before ? null : el("a", { href: link({ topic: row.topic }) }, bdi(row.topic))),
    el("td", {}, row.topic === before ? null : row.question),
    el("td", {}, row.rank ? `${row.cause}: rank ${row.rank}` : row.cause),
    el("td", { class: "breaks" }, [row.fact ? `${row.fact}: ` : null, row.text || null]),
    el("td", {}, parted(row.document), ` ${row.start}\u2060–\u2060${row.end}`),
    number(percentRead(row)), number(row.topic === before ? "" : (row.value ?? 0).toFixed(4)));
  const ofSystem = (s) => {
    const { counts, rows } = told[s], lost = Object.entries(counts).filter(([, n]) => n > 0);
    const missing = sum(lost.filter(([cause]) => cause !== "read").map(([, n]) => n));
    const words = lost.map(([cause, n]) => `${n} ${cause}`).join(", ");
    return el("details", { open: s === on()[0] }, el("summary", {}, named(s), ` facts: ${words}`),
      el("div", { class: "wide" }, el("table", { class: "misses" },
        el("caption", {}, `The questions that lost most by ${measure}; showing ${rows.length} of ${counted(missing, "missed fact")}`),
        el("thead", {}, el("tr", {}, col("Topic"), col("Question"), col("Why"), col("What is missing"), col("Document"),
          col("Read", true), col(measure, true))),
        el("tbody", {}, rows.map((row, i) => line(row, rows[i - 1]?.topic))))));
  };
  $("misses").replaceChildren(el("h3", {}, "What is missing, and why"), ...on().map(ofSystem));
}
/* What the table of topics is restricted to, with a button that ends that. */
function onlyWords() {
  if (!state.only) return [];
  const { s, name } = state.only, what = name === "found" ? "Found in full" : CAUSES[name];
  const every = () => { state.only = null; drawTopics(); };
  const button = el("button", { type: "button", id: "every", click: every }, "Show all topics");
  return [`${what} ${cutWords()}: `, named(s), button];
}
