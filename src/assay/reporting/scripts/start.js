/* What the reader chooses, and the beginning, which puts the page together. */

/* Up to so many systems are listed from the beginning, each with its switch. */
const LISTED = 12;

function redraw() {
  $("shown").textContent = `${many(on().length)} of ${many(systems.length)}`;
  drawSummary();
  drawChecked();
  drawGroups();
  drawLosses();
  drawTopics();
  drawCharts();
  if (state.topic) drawTopic(state.topic.t, new URLSearchParams(location.hash.slice(1)));
}
function show(off) {
  state.off = off;
  $("toggles").querySelectorAll("input").forEach((box, s) => { box.checked = !off.has(s); });
  redraw();
}
function toggle(s) {
  if (!state.off.delete(s)) state.off.add(s);
  redraw();
}
function setTheme(name) {
  document.documentElement.dataset.theme = name;
  $("theme").textContent = name === "dark" ? "Light" : "Dark";
  for (const line of $("toggles").querySelectorAll(".swatch")) {
    line.firstChild.setAttribute("stroke", hue(+line.dataset.system));
  }
}
function close() {
  const row = CSS.escape(topics[state.topic.t]);
  location.hash = "topics";
  setTimeout(() => document.querySelector(`tr[data-topic="${row}"] a`)?.focus());
}
/* What the address asks for: a topic, or the report as a whole. */
function route() {
  const where = new URLSearchParams(location.hash.slice(1)), t = topics.indexOf(where.get("topic"));
  const before = state.topic;
  $("report").hidden = t >= 0;
  $("topic").hidden = t < 0;
  away();
  if (t < 0) {
    state.topic = null;
    if (before) document.getElementById(location.hash.slice(1))?.scrollIntoView();
    if (state.stale) drawCharts();
    return;
  }
  if (before?.t === t) {
    drawDocument(t, before.page, where);
  } else {
    drawTopic(t, where);
    scrollTo(0, 0);
    $("topic-title").focus({ preventScroll: true });
  }
  if (where.has("document") && before?.document !== where.get("document")) $("document").scrollIntoView();
  state.topic.document = where.get("document");
  state.then?.();
  state.then = null;
}
function press(event) {
  if (!state.topic || event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, select")) return;
  if (event.key === "Escape") close();
  else PRESSED[event.key]?.();
}

/* From here on the page is put together. */
setTheme(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
$("about").textContent = data.about;
options($("measure"), measures.map(({ name }) => name));
options($("cut"), (data.cuts ?? []).map(({ words }) => words));
options($("order"), ORDERS.map(([label]) => label));
options($("first"), systems);
options($("second"), systems);
const ranked = inOrder(on(), (s) => data.means[s][0], true);
const baseline = data.significance?.baseline;
const first = ranked.find((s) => s !== baseline);
[$("first").value, $("second").value] = [first, baseline ?? ranked.at(1)];
$("toggles").append(...systems.map((name, s) => el("label", { class: "toggle" },
  el("input", { type: "checkbox", checked: true, "data-system": s, change: () => toggle(s) }), swatch(s), bdi(name))));
const list = (open) => {
  $("toggles").hidden = !open;
  $("systems").setAttribute("aria-expanded", String(open));
};
list(systems.length <= LISTED);
const setMeasure = () => {
  state.measure = +$("measure").value;
  const cut = data.cut_of?.[state.measure];
  if (Number.isInteger(cut)) $("cut").value = String(state.cut = cut);
  Object.assign(state.summary, { by: `m${state.measure}`, down: true });
  redraw();
};
const setCut = () => { state.cut = +$("cut").value; redraw(); };
const setOrder = () => {
  const [, by, down] = ORDERS[+$("order").value];
  Object.assign(state.topics, { by, down });
  drawTopics();
};
let resizing;
for (const [target, event, act] of [
  [$("measure"), "change", setMeasure],
  [$("cut"), "change", setCut],
  [$("order"), "change", setOrder],
  [$("filter"), "input", drawTopics],
  [$("first"), "change", () => drawCharts([drawDifferences])],
  [$("second"), "change", () => drawCharts([drawDifferences])],
  [$("systems"), "click", () => list($("toggles").hidden)],
  [$("all"), "click", () => show(new Set())],
  [$("none"), "click", () => show(new Set(range(systems.length)))],
  [$("theme"), "click", () => { setTheme(theme() === "dark" ? "light" : "dark"); redraw(); }],
  [window, "hashchange", route],
  [window, "keydown", press],
  [window, "scroll", away],
  [window, "resize", () => { clearTimeout(resizing); resizing = setTimeout(() => drawCharts(), 200); }],
  [phone, "change", drawTopics],
]) target.addEventListener(event, act);
/* behind the link of a topic, charts have no width yet: they are drawn when they can be seen */
$("report").hidden = topics.includes(new URLSearchParams(location.hash.slice(1)).get("topic"));
$("controls").hidden = false;
$("budget").hidden = !data.budget;
$("curve").hidden = !data.curves[0];
$("second-curve").hidden = !data.curves[1];
$("cut-field").hidden = !((data.cuts?.length ?? 0) > 1);
$("losses-link").hidden = !LOSSES;
$("differences").hidden = systems.length < 2;
const setBar = () => document.documentElement.style.setProperty("--bar", `${$("controls").offsetHeight}px`);
new ResizeObserver(setBar).observe($("controls"));
drawLegend();
$("audit").hidden = $("audit-link").hidden = !data.audit;
if (data.audit) drawAudit();
drawNotes();
redraw();
route();
document.documentElement.dataset.ready = "true";
