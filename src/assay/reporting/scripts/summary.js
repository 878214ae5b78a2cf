/* The summary: a table of systems and measures, and what the letters in it mean. */

/* Beyond 26 systems a letter would be two, and the number of worse systems stands there instead. */
const LETTERS = data.significance && systems.length <= 26;

function letters(s, m) {
  const better = data.significance?.beats[s][m];
  if (!better?.length) return data.significance ? el("sup") : null;
  const label = `significantly better than ${better.map((other) => systems[other]).join(", ")}`;
  const short = LETTERS ? better.map((other) => data.significance.letters[other]).join("") : `>${better.length}`;
  return el("sup", { title: label, "aria-label": label, role: "note" }, short);
}
/* Which systems are switched off, for a reader of the printed page, who does not see the switches. */
const hidden = () => (state.off.size ? `; not shown: ${[...state.off].map((s) => systems[s]).join(", ")}` : "");
const isBaseline = (s) => data.significance?.baseline === s;
function drawSummary() {
  const best = measures.map(({ less }, m) =>
    (less ? Math.min : Math.max)(...data.means.map((row) => row[m])));
  const widest = measures.map((_, m) => Math.max(0, ...systems.map((_, s) => letters(s, m)?.textContent.length ?? 0)));
  const sort = (key) => { resort(state.summary, key, key !== "name"); drawSummary(); };
  const cell = (s, m) => {
    const raised = letters(s, m);
    raised?.style.setProperty("width", `${widest[m] * 0.62 + 0.2}em`);
    const bold = data.means[s][m] === best[m] ? "best" : null;
    const ends = data.intervals?.[s][m];
    const interval = ends ? el("small", { class: "interval" }, ` [${ends.map((end) => value(end, m)).join(", ")}]`) : null;
    return number([el("span", { class: bold }, value(data.means[s][m], m)), interval, raised]);
  };
  const over = data.checked ? `Corrected values with 95% confidence intervals, ${data.checked}` : `Values over ${counted(data.counted, "topic")}`;
  const { by, down } = state.summary;
  const rows = inOrder(on(), (s) => (by === "name" ? systems[s] : data.means[s][+by.slice(1)]), down);
  const titles = measures.map((measure, m) => heading(parted(measure.name), `m${m}`, state.summary, sort, {
    class: `number${m === state.measure ? " chosen" : ""}`, title: measure.about,
  }));
  $("summary-table").replaceChildren(el("table", {},
    el("caption", {}, `${over}; best value of each measure in bold${hidden()}`),
    el("thead", {}, el("tr", {},
      LETTERS ? col(el("span", { class: "unseen" }, "Letter")) : null,
      heading("System", "name", state.summary, sort, { class: "fixed" }), titles)),
    el("tbody", {}, rows.map((s) => el("tr", { "data-system": s },
      LETTERS ? el("td", { class: "letter" }, data.significance.letters[s]) : null,
      el("th", { scope: "row", class: "fixed" }, named(s), isBaseline(s) ? el("span", { class: "tag" }, "baseline") : null),
      measures.map((_, m) => cell(s, m)))))));
}
/* The chosen measure in each group of topics. */
function drawGroups() {
  if (!data.groups) return;
  const m = state.measure, shown = on();
  $("groups-table").replaceChildren(el("table", {},
    el("caption", {}, `${measures[m].name} by ${data.groups.name}`),
    el("thead", {}, el("tr", {}, col(data.groups.name), col("Topics"), shown.map((s) => col(named(s))))),
    el("tbody", {}, data.groups.rows.map(({ group, topics: size, means }) => el("tr", { "data-group": group },
      el("th", { scope: "row" }, group), number(many(size)), shown.map((s) => number(value(means[s][m], m))))))));
}
function drawLegend() {
  if (!data.significance) return;
  const against = systems[data.significance.baseline];
  const compared = against === undefined ? "" : ` Each system was compared only with ${against}, the baseline.`;
  const what = (LETTERS
    ? "A superscript letter marks each system that this one significantly outperforms."
    : "The superscript says how many systems this one significantly outperforms.") + compared;
  $("legend").replaceChildren(...[what, ...data.significance.about].map((line) => el("p", {}, line)));
}
