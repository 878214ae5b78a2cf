/* Charts: their outlines come with the data, and are filled here with the values of the systems that are shown. */

const views = new Map();
const shortened = (name) => (name.length > 30 ? `${name.slice(0, 14)}…${name.slice(-15)}` : name);
const layer = (spec, name) => spec.layer.find((part) => part.name === name);
const finite = (x) => (Number.isFinite(x) ? x : null);
const copy = (spec) => JSON.parse(JSON.stringify(spec));

/* A chart that is narrower, as on a phone, has its legend and the names of its systems above or below what they name. */
const NARROW = 560;
const lines = (text, letters) =>
  text.match(new RegExp(`.{1,${Math.max(1, Math.floor(letters))}}(?=\\s|$)|\\S+`, "g"))?.map((line) => line.trim()) ?? [];
function narrowed(spec, width) {
  const { fontSize, subtitleFontSize } = data.config[theme()].title;
  spec.title.text = lines([spec.title.text].flat().join(" "), width / (0.62 * fontSize));
  spec.title.subtitle = [spec.title.subtitle ?? []].flat().flatMap((line) => lines(line, width / (0.57 * subtitleFontSize)));
  const encodings = spec.layer.map(({ encoding }) => encoding);
  for (const { legend, scale } of encodings.flatMap((encoding) => Object.values(encoding)).filter((one) => one.legend)) {
    const names = legend.values ?? scale?.domain ?? [];
    const longest = Math.max(0, ...names.map((name) => shortened(name).length));
    const columns = Math.max(1, Math.floor(width / (45 + 0.55 * subtitleFontSize * longest)));
    Object.assign(legend, { orient: "bottom", columns, title: null, labelLimit: width - 45 });
  }
  for (const { y, yOffset } of encodings.filter((encoding) => encoding.y?.field === "run")) {
    const above = { labelAlign: "left", labelPadding: -4, labelOffset: -spec.height / y.sort.length / 3, ticks: false };
    y.axis = { ...y.axis, ...above, labelLimit: width };
    yOffset.scale = { domain: [-0.5, 1] };
  }
}
async function draw(id, spec, datasets, label) {
  const node = $(id).querySelector(".chart");
  const config = data.config[theme()], width = Math.max(240, node.clientWidth), isNarrow = width < NARROW;
  node.setAttribute("aria-label", label);
  if (isNarrow) narrowed(spec, width);
  Object.assign(spec, {
    datasets, width, background: null,
    autosize: { type: "fit-x", contains: "padding" },
    config: {
      ...config, background: null, padding: 2, font: getComputedStyle(document.body).fontFamily,
      axisQuantitative: { tickCount: isNarrow ? 5 : 10, labelSeparation: 6 },
      title: { ...config.title, frame: isNarrow ? "bounds" : "group" },
    },
  });
  views.get(id)?.finalize();
  /* expressions are interpreted, not made into code, which the page forbids */
  const how = { actions: false, ast: true, renderer: "svg", tooltip: tipOfChart, defaultStyle: false, logLevel: 1 };
  const drawn = await vegaEmbed(node, spec, how);
  views.set(id, drawn);
  drawn.view.addEventListener("click", (_, item) => {
    const t = data.topic_labels.indexOf(item?.datum?.topic);
    if (t >= 0) go({ topic: topics[t] });
  });
}
/* People's judgments correct means, neither curves nor single topics. */
const BY_MODEL = "by the model's judgments alone";
const BY_BOTH = "by people's judgments where they judged, and by the model's elsewhere";
function drawCurve(curve, id) {
  if (!curve) return null;
  const { over, at, values, name } = curve, spec = copy(curve.spec);
  const shown = inOrder(on(), (s) => sum(values[s]), true), crowded = shown.length > data.beside;
  const rows = shown.flatMap((s, place) => at.map((point, i) =>
    ({ run: labels[s], [over]: point, value: values[s][i], best: !crowded || place < data.few })));
  for (const { legend } of Object.values(layer(spec, "lines").encoding)) {
    if (legend) legend.values = (crowded ? shown : on()).map((s) => labels[s]);
  }
  const about = `${counted(data.counted, "topic")}, ${counted(shown.length, "system")}`;
  spec.title.subtitle = [crowded ? `${about}; highest first` : about, data.checked ? BY_MODEL : null].filter(Boolean);
  return draw(id, spec, { scores: rows }, `${name} over ${over}: ${about}`);
}
const drawFirstCurve = () => drawCurve(data.curves[0], "curve");
const drawSecondCurve = () => drawCurve(data.curves[1], "second-curve");
function drawBudget() {
  if (!data.budget) return null;
  const { at, lines, about } = data.budget, spec = copy(data.budget.spec);
  const shown = inOrder(on(), (s) => sum(lines[s].values), true), crowded = shown.length > data.beside;
  const rows = shown.flatMap((s, place) => lines[s].values.map((value, i) => ({
    run: labels[s], characters: at[i], value, low: lines[s].low?.[i], high: lines[s].high?.[i],
    best: !crowded || place < data.few,
  })));
  for (const { legend } of Object.values(layer(spec, "lines").encoding)) {
    if (legend) legend.values = (crowded ? shown : on()).map((s) => labels[s]);
  }
  const counts = `${counted(data.counted, "topic")}, ${counted(shown.length, "system")}`;
  const told = [crowded ? `${counts}; highest first` : counts, about, data.checked ? BY_MODEL : null];
  spec.title.subtitle = told.filter(Boolean);
  return draw("budget", spec, { scores: rows }, `Recall over characters read: ${counts}`);
}
function drawDistribution() {
  const m = state.measure, measure = measures[m].name, spec = copy(data.distribution);
  const shown = on().filter((s) => data.boxes[s][m]);
  const boxes = shown.map((s) => ({ run: labels[s], ...data.boxes[s][m], mean: finite(data.means[s][m]) }));
  const points = shown.flatMap((s) => range(topics.length)
    .filter((t) => Number.isFinite(data.values[s][m][t]))
    .map((t, i) =>
      ({ run: labels[s], topic: data.topic_labels[t], value: data.values[s][m][t], spread: data.spread[i] })));
  boxes.sort((a, b) => b.mean - a.mean);
  const dots = points.length <= POINTS;
  for (const { encoding } of spec.layer) encoding.y.sort = boxes.map((box) => box.run);
  spec.height *= Math.max(1, boxes.length) / systems.length;
  if ($("distribution").clientWidth < NARROW) spec.height *= 1.5;
  const { x, tooltip } = layer(spec, "topics").encoding;
  x.title = tooltip.find(({ field }) => field === "value").title = measure;
  spec.title.text = `${measure} by topic`;
  const label = `Distribution of ${measure} over topics: ${counted(boxes.length, "system")}`;
  return draw("distribution", spec, { quartiles: boxes, scores: dots ? points : [] }, label);
}
function drawDifferences() {
  if (systems.length < 2) return null;
  const m = state.measure, measure = measures[m].name;
  const [a, b] = [+$("first").value, +$("second").value];
  const [nameA, nameB] = [shortened(labels[a]), shortened(labels[b])];
  const known = range(topics.length).filter((t) => [a, b].every((s) => Number.isFinite(data.values[s][m][t])));
  const rows = known.map((t) => {
    const [first, second] = [data.values[a][m][t], data.values[b][m][t]];
    const run = first > second ? labels[a] : first < second ? labels[b] : null;
    return { topic: data.topic_labels[t], first, second, difference: first - second, run };
  });
  rows.sort((x, y) => y.difference - x.difference);
  const mean = sum(rows.map((row) => row.difference)) / Math.max(1, rows.length);
  const wins = (sign) => rows.filter((row) => sign * row.difference > 0).length;
  const spec = copy(data.differences), { x, y, color, tooltip } = layer(spec, "bars").encoding;
  const ticks = rows.length * data.narrowest <= $("differences").clientWidth;
  Object.assign(x.axis, { labels: ticks, ticks });
  x.title = `${counted(rows.length, "topic")}, sorted by difference`;
  y.title = `difference in ${measure}`;
  color.scale = { domain: [labels[a], labels[b]], range: hue(a) === hue(b) ? undefined : [hue(a), hue(b)] };
  tooltip.find(({ field }) => field === "first").title = `${measure} of ${nameA}`;
  tooltip.find(({ field }) => field === "second").title = `${measure} of ${nameB}`;
  if (data.checked) spec.layer.splice(spec.layer.indexOf(layer(spec, "mean")), 1);
  else layer(spec, "mean").encoding.y.datum = mean;
  spec.title.text = `${measure} by topic: ${nameA} − ${nameB}`;
  spec.title.subtitle = [
    `${nameA} is higher on ${wins(1)}, ${nameB} on ${wins(-1)}, equal on ${rows.length - wins(1) - wins(-1)}`,
    data.checked ? BY_BOTH : `mean difference ${mean < 0 ? "−" : "+"}${digits(Math.abs(mean))} (dashed)`,
  ];
  return draw("differences", spec, { scores: rows }, [spec.title.text, ...spec.title.subtitle].join("; "));
}
/* Charts are drawn one after the other, so that the page answers in between, and not while they cannot be seen. */
let drawing = Promise.resolve();
const CHARTS = [drawBudget, drawFirstCurve, drawSecondCurve, drawDistribution, drawDifferences];
function drawCharts(which = CHARTS) {
  state.stale = $("report").hidden;
  if (state.stale) return;
  const pause = () => new Promise((done) => { setTimeout(done); });
  for (const drawNext of which) drawing = drawing.then(pause).then(drawNext).catch((error) => console.error(error));
}
