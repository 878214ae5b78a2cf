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
/* The 95% interval of a corrected value, or that of people alone. */
function interval(s, m, low = "low", high = "high") {
  const known = data.corrections?.[s][m];
  return known ? el("small", { class: "interval" }, ` [${value(known[low], m)}, ${value(known[high], m)}]`) : null;
}
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
    return number([el("span", { class: bold }, value(data.means[s][m], m)), interval(s, m), raised]);
  };
  const over = data.checked
    ? `Corrected values with 95% confidence intervals, ${data.checked.about}`
    : `Values over ${counted(data.counted, "topic")}`;
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
/* What the model and people say of the chosen measure. */
function drawChecked() {
  const m = state.measure, shown = on().filter((s) => data.corrections?.[s][m]);
  if (!data.checked) return;
  const noun = data.checked.noun;
  const about = "model, people: by the judgments of each alone; λ: weight of the model; "
    + `worth: how many more ${noun}s people would have to judge without the model`;
  const row = (s) => {
    const known = data.corrections[s][m], { lambda, worth } = known;
    return el("tr", { "data-system": s }, el("th", { scope: "row" }, named(s)),
      number([value(known.value, m), interval(s, m)]), number(value(known.model, m)),
      number([value(known.people, m), interval(s, m, "people_low", "people_high")]),
      number(lambda.toFixed(2)), number(worth === null ? "" : worth.toFixed(0)), el("td", {}, known.judge));
  };
  const titles = ["Corrected", "Model", "People", "λ", "Worth"].map((title) => col(title, true));
  $("checked-table").replaceChildren(...(shown.length ? [el("table", {},
    el("caption", {}, `${measures[m].name}: ${about}`),
    el("thead", {}, el("tr", {}, col("System"), titles, col("Judge"))),
    el("tbody", {}, shown.map(row)))] : []));
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
  const isAny = data.significance.beats.flat().some((better) => better?.length);
  const raised = LETTERS
    ? "A superscript letter marks each system that this one significantly outperforms."
    : "The superscript says how many systems this one significantly outperforms.";
  const what = (isAny ? raised : "No difference between two systems is significant.") + compared;
  $("legend").replaceChildren(...[what, ...data.significance.about].map((line) => el("p", {}, line)));
}
