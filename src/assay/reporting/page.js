"use strict";
/* What the page does. All data stands in elements of JSON, and reaches the page as text, never as markup. */
(() => {
  const $ = (id) => document.getElementById(id);
  const block = (id) => JSON.parse($(id).textContent);
  const data = block("data");
  const { systems, measures, topics, labels } = data;
  const CHARACTERS = data.unit === "characters";
  /* So many systems have a column each, so many are always listed, and so many values have a point or a bar each. */
  const COLUMNS = 6, LISTED = 12, POINTS = 4000;
  const texts = new Map(data.texts?.map((name, number) => [name, number]));
  const LETTERS = data.significance && systems.length <= 26;
  const GOLDEN = (Math.sqrt(5) - 1) / 2;
  /* They stand for two systems in the chart of their differences. */
  const FIRST = "\ue000", SECOND = "\ue001";
  const KINDS = { found: "relevant and returned", missed: "relevant, not returned", vain: "returned in vain" };
  const OVERLAP = {
    paid: "Text that was returned before, at a better rank, is read again: it counts as read, and is not marked again.",
    new: "Only new text counts: what was returned before, at a better rank, is not marked again.",
    drop: "Results that share text with one at a better rank are left out.",
    reject: "No text was returned twice.",
  };
  const IS = { relevant: "relevant", not: "not relevant", unjudged: "not judged" };
  const ORDERS = [
    ["Worst first", "mean", false],
    ["Best first", "mean", true],
    ["Most disagreement first", "spread", true],
    ["By topic", "topic", false],
  ];
  const state = {
    measure: 0,
    off: new Set(),
    summary: { by: "m0", down: true, home: "summary-table" },
    topics: { by: "mean", down: false, home: "topics-table" },
    topic: null,
    stale: false,
  };

  const range = (number) => Array.from({ length: number }, (_, i) => i);
  const on = () => range(systems.length).filter((s) => !state.off.has(s));
  const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
  const many = (number) => number.toLocaleString("en");
  const counted = (number, noun) => `${many(number)} ${noun}${number === 1 ? "" : "s"}`;
  const value = (x, m = state.measure) => (x === null ? "" : measures[m].count ? many(x) : x.toFixed(4));
  const percent = (part, whole, digits = 0) => (whole ? `${((100 * part) / whole).toFixed(digits)} %` : "");
  const theme = () => document.documentElement.dataset.theme;

  /* Elements */

  function fill(node, attributes, children) {
    for (const [name, given] of Object.entries(attributes)) {
      if (given === null || given === undefined || given === false) continue;
      if (typeof given === "function") node.addEventListener(name, given);
      else if (name.startsWith("--")) node.style.setProperty(name, given);
      else node.setAttribute(name, given === true ? "" : given);
    }
    node.append(...children.flat(3).filter((child) => child !== null && child !== undefined));
    return node;
  }
  const el = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
  const svg = (tag, attributes = {}, ...children) =>
    fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
  const bdi = (text) => el("bdi", { title: text.length > 12 ? text : null }, text);
  /* A name that may be broken between its parts: before a step of a path, and at the brackets of a measure. */
  const parted = (text) => el("bdi", {}, text.split(/(?=[/(@])/).flatMap((part) => [el("wbr"), part]));
  const col = (label, number, more = {}) => el("th", { scope: "col", class: number ? "number" : null, ...more }, label);
  const number = (text, more = "") => el("td", { class: `number ${more}` }, text);
  const options = (select, names) => select.replaceChildren(...names.map((label, i) => el("option", { value: i }, label)));

  const hue = (s) => data.hues[theme()][s % data.hues[theme()].length];
  const swatch = (s) => svg("svg", { class: "swatch", "aria-hidden": "true", "data-system": s }, svg("line", {
    x1: 0, x2: "100%", y1: "50%", y2: "50%", stroke: hue(s), "stroke-dasharray": data.dashes[s % data.dashes.length].join(" "),
  }));
  const named = (s) => el("span", { class: "name" }, swatch(s), bdi(systems[s]));

  function heading(label, key, sort, click, more = {}) {
    const sorted = sort.by === key ? (sort.down ? "descending" : "ascending") : null;
    /* the button is a new one afterwards, and who pressed it stays there */
    const act = () => { click(key); $(sort.home).querySelector(`[data-sort="${key}"]`).focus(); };
    const button = el("button", { type: "button", "data-sort": key, click: act }, label);
    return el("th", { scope: "col", ...more, "aria-sort": sorted }, button);
  }
  const resort = (sort, key, down) => Object.assign(sort, sort.by === key ? { down: !sort.down } : { by: key, down });
  /* What is missing comes last, whichever way. */
  const collator = new Intl.Collator("en", { numeric: true });
  function inOrder(items, key, down) {
    const compare = (a, b) => (typeof a === "string" ? collator.compare(a, b) : a - b);
    const keyed = items.map((item) => [key(item), item]);
    keyed.sort(([a], [b]) => (a === null || b === null ? (a === null) - (b === null) : (down ? -1 : 1) * compare(a, b)));
    return keyed.map(([, item]) => item);
  }

  /* What is shown where the pointer is */

  function tip(event, rows) {
    const box = $("tip");
    box.hidden = !rows;
    if (!rows) return;
    box.replaceChildren(...rows.map(([name, text]) => el("div", {}, el("span", {}, name), el("span", {}, text))));
    const { width, height } = box.getBoundingClientRect();
    const right = event.clientX + 14 + width > innerWidth;
    const below = event.clientY + 14 + height > innerHeight;
    box.style.left = `${Math.max(4, right ? event.clientX - width - 10 : event.clientX + 14)}px`;
    box.style.top = `${Math.max(4, below ? event.clientY - height - 10 : event.clientY + 14)}px`;
  }
  const away = () => tip(null, null);
  const tipOfChart = (handler, event, item, given) =>
    tip(event, given ? Object.entries(given).map(([name, text]) => [name, String(text)]) : null);

  /* Summary */

  function letters(s, m) {
    const better = data.significance?.beats[s][m];
    if (!better?.length) return data.significance ? el("sup") : null;
    const label = `significantly better than ${better.map((other) => systems[other]).join(", ")}`;
    const short = LETTERS ? better.map((other) => data.significance.letters[other]).join("") : `>${better.length}`;
    return el("sup", { title: label, "aria-label": label, role: "note" }, short);
  }
  function drawSummary() {
    const best = measures.map((_, m) => Math.max(...data.means.map((row) => row[m])));
    const widest = measures.map((_, m) => Math.max(0, ...systems.map((_, s) => letters(s, m)?.textContent.length ?? 0)));
    const sort = (key) => { resort(state.summary, key, key !== "name"); drawSummary(); };
    const cell = (s, m) => {
      const raised = letters(s, m);
      raised?.style.setProperty("width", `${widest[m] * 0.62 + 0.2}em`);
      const bold = data.means[s][m] === best[m] ? "best" : null;
      return number([el("span", { class: bold }, value(data.means[s][m], m)), raised]);
    };
    const { by, down } = state.summary;
    const rows = inOrder(on(), (s) => (by === "name" ? systems[s] : data.means[s][+by.slice(1)]), down);
    const titles = measures.map((one, m) => heading(parted(one.name), `m${m}`, state.summary, sort, {
      class: `number${m === state.measure ? " chosen" : ""}`, title: one.about,
    }));
    $("summary-table").replaceChildren(el("table", {},
      el("caption", {}, `Values over ${counted(data.counted, "topic")}; the best of each measure is bold`),
      el("thead", {}, el("tr", {},
        LETTERS ? col(el("span", { class: "unseen" }, "Letter")) : null,
        heading("System", "name", state.summary, sort, { class: "fixed" }), titles)),
      el("tbody", {}, rows.map((s) => el("tr", { "data-system": s },
        LETTERS ? el("td", { class: "letter" }, data.significance.letters[s]) : null,
        el("th", { scope: "row", class: "fixed" }, named(s)),
        measures.map((_, m) => cell(s, m)))))));
  }
  function drawLegend() {
    if (!data.significance) return;
    const what = LETTERS
      ? "A letter behind a value names a system that it is significantly better than."
      : "Behind a value: how many systems it is significantly better than.";
    $("legend").replaceChildren(...[what, ...data.significance.about].map((line) => el("p", {}, line)));
  }

  /* Charts: their specifications come with the data, their rows are made of the values */

  const views = new Map();
  const shortened = (name) => (name.length > 30 ? `${name.slice(0, 29)}…` : name);
  const layer = (spec, name) => spec.layer.find((one) => one.name === name);
  const copy = (spec, first = "", second = "") => JSON.parse(JSON.stringify(spec), (_, given) =>
    (typeof given === "string" ? given.replaceAll(FIRST, () => first).replaceAll(SECOND, () => second) : given));

  async function draw(id, spec, datasets, label) {
    const node = $(id).querySelector(".chart");
    const config = data.config[theme()];
    node.setAttribute("aria-label", label);
    Object.assign(spec, {
      datasets, width: Math.max(320, node.clientWidth), autosize: { type: "fit-x", contains: "padding" }, background: null,
      config: {
        ...config, background: null, padding: 2, font: getComputedStyle(document.body).fontFamily,
        axisQuantitative: { tickCount: 10, labelSeparation: 6 },
      },
    });
    views.get(id)?.finalize();
    /* expressions are interpreted, not made into code, which the page forbids */
    const how = { actions: false, ast: true, renderer: "svg", tooltip: tipOfChart, defaultStyle: false, logLevel: 1 };
    const found = await vegaEmbed(node, spec, how);
    views.set(id, found);
    found.view.addEventListener("click", (_, item) => {
      const t = data.topic_labels.indexOf(item?.datum?.topic);
      if (t >= 0) go({ topic: topics[t] });
    });
  }
  function drawCurve() {
    if (!data.curve) return null;
    const { over, at, values, name } = data.curve, spec = copy(data.curve.spec);
    const shown = inOrder(on(), (s) => sum(values[s]), true), stand = shown.length > 10 ? 5 : shown.length;
    const rows = shown.flatMap((s, place) => at.map((point, i) =>
      ({ run: labels[s], [over]: point, value: values[s][i], best: place < stand })));
    for (const { legend } of Object.values(layer(spec, "lines").encoding)) {
      if (legend) legend.values = (shown.length > 10 ? shown : on()).map((s) => labels[s]);
    }
    const about = `${counted(data.counted, "topic")}, ${counted(shown.length, "system")}`;
    spec.title.subtitle = [shown.length > 10 ? `${about}, the highest first` : about];
    return draw("curve", spec, { scores: rows }, `${name} over ${over}: ${about}`);
  }
  function quantile(sorted, share) {
    const place = (sorted.length - 1) * share, low = Math.floor(place);
    return sorted[low] + (place - low) * ((sorted[low + 1] ?? sorted[low]) - sorted[low]);
  }
  function drawDistribution() {
    const m = state.measure, spec = copy(data.distributions[m]), boxes = [], points = [];
    for (const s of on()) {
      const known = range(topics.length).filter((t) => data.values[s][m][t] !== null);
      const sorted = known.map((t) => data.values[s][m][t]).sort((a, b) => a - b);
      if (!sorted.length) continue;
      const [q1, median, q3] = [0.25, 0.5, 0.75].map((share) => quantile(sorted, share));
      const near = sorted.filter((x) => x >= q1 - 1.5 * (q3 - q1) && x <= q3 + 1.5 * (q3 - q1));
      boxes.push({ run: labels[s], low: near[0], q1, median, q3, high: near.at(-1), mean: data.means[s][m] });
      known.forEach((t, i) => points.push(
        { run: labels[s], topic: data.topic_labels[t], value: data.values[s][m][t], spread: 0.15 + 0.7 * ((i * GOLDEN) % 1) }));
    }
    boxes.sort((a, b) => b.median - a.median || b.mean - a.mean);
    const dots = points.length <= POINTS;
    for (const { encoding } of spec.layer) encoding.y.sort = boxes.map((box) => box.run);
    spec.height *= Math.max(1, boxes.length) / systems.length;
    const label = `${measures[m].name}, and how it is spread over topics: ${counted(boxes.length, "system")}`;
    return draw("distribution", spec, { quartiles: boxes, scores: dots ? points : [] }, label);
  }
  function drawDifferences() {
    if (systems.length < 2) return null;
    const m = state.measure, [a, b] = [+$("first").value, +$("second").value], [one, other] = [labels[a], labels[b]];
    const known = range(topics.length).filter((t) => data.values[a][m][t] !== null && data.values[b][m][t] !== null);
    const rows = known.map((t) => {
      const [first, second] = [data.values[a][m][t], data.values[b][m][t]];
      const run = first > second ? one : first < second ? other : null;
      return { topic: data.topic_labels[t], first, second, difference: first - second, run };
    });
    rows.sort((x, y) => y.difference - x.difference);
    const mean = sum(rows.map((row) => row.difference)) / Math.max(1, rows.length);
    const wins = (sign) => rows.filter((row) => sign * row.difference > 0).length;
    const spec = copy(data.differences[m], shortened(one), shortened(other));
    const { x, color } = layer(spec, "bars").encoding, ticks = rows.length * 12 <= $("differences").clientWidth;
    Object.assign(x.axis, { labels: ticks, ticks });
    x.title = `${counted(rows.length, "topic")}, by difference`;
    color.scale = { domain: [one, other], range: hue(a) === hue(b) ? undefined : [hue(a), hue(b)] };
    layer(spec, "mean").encoding.y.datum = mean;
    spec.title.subtitle = [
      `${shortened(one)} is higher on ${wins(1)}, ${shortened(other)} on ${wins(-1)}, equal on ${rows.length - wins(1) - wins(-1)}`,
      `mean difference ${mean < 0 ? "−" : "+"}${Math.abs(mean).toFixed(4)} (dashed)`,
    ];
    return draw("differences", spec, { scores: rows }, [spec.title.text, ...spec.title.subtitle].join("; "));
  }
  /* One after the other, so that the page answers between them; and not while they cannot be seen. */
  let drawing = Promise.resolve();
  function drawCharts(which = [drawCurve, drawDistribution, drawDifferences]) {
    state.stale = $("report").hidden;
    if (state.stale) return;
    for (const one of which) {
      drawing = drawing.then(() => new Promise((done) => { setTimeout(done); })).then(one).catch((error) => console.error(error));
    }
  }

  /* Topics */

  function overSystems(t) {
    const known = on().map((s) => data.values[s][state.measure][t]).filter((x) => x !== null);
    if (!known.length) return { t, mean: null, spread: null };
    return { t, mean: sum(known) / known.length, spread: Math.max(...known) - Math.min(...known) };
  }
  function drawTopics() {
    const m = state.measure, { by, down } = state.topics, shown = on(), title = (t) => data.titles?.[t] ?? "";
    const highest = Math.max(...shown.map((s) => Math.max(...data.values[s][m])), 1e-9);
    const full = !measures[m].count && highest <= 1 ? 1 : highest;
    const wanted = $("filter").value.trim().toLowerCase();
    const rows = range(topics.length).filter((t) => `${topics[t]} ${title(t)}`.toLowerCase().includes(wanted)).map(overSystems);
    const keys = { topic: ({ t }) => topics[t], title: ({ t }) => title(t) || null };
    const ofSystem = /^s\d+$/.test(by) ? ({ t }) => data.values[+by.slice(1)][m][t] : (row) => row[by];
    const ordered = inOrder(rows, keys[by] ?? ofSystem, down);
    const sort = (key) => { resort(state.topics, key, key === "spread"); drawTopics(); };
    const head = (label, key, more) => heading(label, key, state.topics, sort, more);
    const over = (x) => (x === null ? "" : measures[m].count ? many(Math.round(x * 10) / 10) : x.toFixed(4));
    const cells = (t) => (shown.length > COLUMNS ? el("td", {}, bars(t, shown, full)) : shown.map((s) =>
      el("td", { class: "value", "--share": (100 * (data.values[s][m][t] ?? 0)) / full }, value(data.values[s][m][t]))));
    const headings = shown.length > COLUMNS
      ? col(`${counted(shown.length, "system")}, the best by ${measures[m].name} first`)
      : shown.map((s) => head(named(s), `s${s}`, { class: "number" }));
    $("topics-table").replaceChildren(el("table", {},
      el("caption", { class: "unseen" }, `${measures[m].name} by topic`),
      el("thead", {}, el("tr", {},
        head("Topic", "topic", { class: "fixed" }),
        data.titles ? head("Title", "title") : null,
        head("Mean", "mean", { class: "number" }),
        head("Spread", "spread", { class: "number", title: "the highest minus the lowest value of the systems shown" }),
        headings)),
      el("tbody", {}, ordered.map(({ t, mean, spread }) => el("tr", { "data-topic": topics[t] },
        el("th", { scope: "row", class: "fixed" }, el("a", { href: link({ topic: topics[t] }) }, bdi(topics[t]))),
        data.titles ? el("td", { class: "title", dir: "auto" }, title(t)) : null,
        number(over(mean)), number(over(spread)), cells(t))))));
    $("count").textContent = `${many(ordered.length)} of ${counted(topics.length, "topic")}`;
    $("order").value = String(ORDERS.findIndex(([, key, way]) => key === by && way === down));
  }
  /* One drawing of all systems, where there is no room for a column each. */
  function bars(t, shown, full) {
    const m = state.measure, order = inOrder(shown, (s) => data.means[s][m], true);
    const values = order.map((s) => data.values[s][m][t] ?? 0);
    const heights = values.map((x) => +((20 * x) / full).toFixed(2));
    const drawn = shown.length * topics.length > POINTS
      ? svg("path", { d: heights.map((high, i) => `M${i} 20h.8v${-high}h-.8z`).join("") })
      : heights.map((height, i) => svg("rect", { x: i, y: 20 - height, width: 0.8, height, fill: hue(order[i]) }));
    const move = (event) => {
      const box = event.currentTarget.getBoundingClientRect();
      const i = Math.min(order.length - 1, Math.floor(((event.clientX - box.left) / box.width) * order.length));
      tip(event, [["run", systems[order[i]]], [measures[m].name, value(data.values[order[i]][m][t])]]);
    };
    return svg("svg", {
      class: "bars", viewBox: `0 0 ${order.length} 20`, preserveAspectRatio: "none", role: "img", mousemove: move, mouseleave: away,
      "aria-label": `${counted(order.length, "system")}, from ${value(Math.min(...values))} to ${value(Math.max(...values))}`,
    }, drawn);
  }

  /* A topic */

  const link = (where) => `#${new URLSearchParams(where)}`;
  const go = (where) => { location.hash = link(where); };
  const place = (t, page, document, s) =>
    ({ topic: topics[t], document: page.documents[document], ...(s === undefined ? {} : { run: systems[s] }) });
  const documentLink = (t, page, document, s) => (CHARACTERS || texts.has(page.documents[document])
    ? el("a", { href: link(place(t, page, document, s)) }, bdi(page.documents[document])) : bdi(page.documents[document]));

  /* In the view of a topic, the best of that topic stands first. */
  const best = (t) => inOrder(on(), (s) => data.values[s][state.measure][t], true);

  function results(page, s) {
    const run = page.runs[s];
    return (run?.document ?? []).map((document, i) => {
      const gain = run.gain?.[i] ?? null, length = run.length?.[i] ?? null, worth = page.worth[document];
      const relevant = gain === null ? worth > 0 : gain > 0;
      return {
        rank: i + 1, document, gain, length, start: run.start?.[i], path: run.path?.[i], size: run.size?.[i] ?? length,
        is: relevant ? "relevant" : worth >= 0 ? "not" : "unjudged",
        pieces: run.pieces?.[i] ?? (length === null ? [] : [run.start[i], length]),
      };
    });
  }
  function drawTopic(t, where) {
    const page = block(`topic-${t}`);
    state.topic = { t, page };
    const step = (by, label) => (topics[t + by] === undefined ? null
      : el("button", { type: "button", click: () => go({ topic: topics[t + by] }) }, label));
    const inside = CHARACTERS ? `${counted(page.total, "highlighted character")} in ` : "";
    $("topic").replaceChildren(
      el("div", {},
        el("div", { class: "crumbs" },
          el("button", { type: "button", id: "close", click: close }, "← All topics"), el("span", { class: "gap" }),
          step(-1, "Previous"), step(1, "Next")),
        el("h2", { id: "topic-title", tabindex: -1, dir: "auto" },
          el("span", { class: "topic-id" }, `Topic ${topics[t]} `), data.titles?.[t] ?? ""),
        el("p", { class: "soft" }, inside + counted(page.relevant, "relevant document")),
        topicValues(t, page)),
      el("div", {},
        el("h2", {}, "What each system returned"),
        el("p", { class: "soft" }, `The first ${data.shown} results. ● relevant  ○ not relevant  – not judged`),
        el("div", { class: "side", id: "rankings" }, best(t).map((s) => ranking(t, page, s)))),
      whereRelevant(t, page),
      el("div", { id: "document", hidden: true }));
    drawDocument(t, page, where);
  }
  function topicValues(t, page) {
    const more = CHARACTERS ? ["Returned", "Found", "Of all"] : ["Results"];
    const cells = ({ gained, read, results: count }) => (!CHARACTERS ? [many(count)]
      : gained === undefined ? ["", "", ""] : [many(read), many(gained), percent(gained, page.total, 1)]);
    return el("div", { class: "wide tall" }, el("table", { id: "topic-values" },
      el("caption", {}, CHARACTERS ? "Values, and characters returned and found" : "Values"),
      el("thead", {}, el("tr", {}, col("System", false, { class: "fixed" }),
        measures.map((one) => col(parted(one.name), true, { title: one.about })), more.map((name) => col(name, true)))),
      el("tbody", {}, best(t).map((s) => el("tr", { "data-system": s },
        el("th", { scope: "row", class: "fixed" }, named(s)),
        measures.map((_, m) => number(value(data.values[s][m][t], m))),
        (page.runs[s] ? cells(page.runs[s]) : more.map(() => "–")).map((text) => number(text)))))));
  }
  function ranking(t, page, s) {
    const shown = results(page, s), left = (page.runs[s]?.results ?? 0) - shown.length;
    const worth = (one) => (one.gain === null ? (one.is === "unjudged" ? "" : many(page.worth[one.document]))
      : CHARACTERS ? `${many(one.gain)} of ${many(one.size)}` : one.gain);
    const part = (one) => (one.path !== undefined ? parted(one.path)
      : one.length === null ? null : `${many(one.start)}–${many(one.start + one.length)}`);
    const fresh = (one) => spans(one.pieces).reduce((sum, [from, to]) => sum + to - from, 0);
    const again = (one) => (!CHARACTERS || fresh(one) >= one.length ? null : fresh(one) ? "in part returned before" : "returned before");
    const row = (one) => el("tr", {}, el("td", {}, one.rank),
      el("td", {},
        el("span", { class: `is ${one.is}` }, el("span", { class: "unseen" }, `${IS[one.is]}: `)),
        documentLink(t, page, one.document, s),
        [part(one), again(one)].filter(Boolean).map((text) => el("span", { class: "part" }, text))),
      el("td", {}, worth(one)));
    return el("table", { "data-system": s }, el("caption", {}, named(s)),
      el("thead", {}, el("tr", {},
        ["Rank", "Document", CHARACTERS ? "Found" : data.unit === "elements" ? "Worth" : "Grade"].map((name) => col(name)))),
      el("tbody", {}, shown.map(row),
        shown.length ? null : el("tr", {}, el("td"), el("td", { colspan: 2 }, "nothing")),
        left > 0 ? el("tr", {}, el("td"), el("td", { colspan: 2, class: "soft" }, `and ${many(left)} more`)) : null));
  }
  function whereRelevant(t, page) {
    const listed = page.ranks[0]?.length ?? 0, left = page.relevant - listed;
    const share = (s, i) => (CHARACTERS && page.found?.[s]?.length ? ` · ${percent(page.found[s][i], page.worth[i])}` : "");
    const cell = (s, i) => (page.ranks[s][i] ? number(many(page.ranks[s][i]) + share(s, i)) : number("missed", "never"));
    const much = CHARACTERS ? ", and how much of the highlighted text it found" : "";
    const how = `The rank at which each system first returned them${much}.`;
    return el("div", { id: "relevant", hidden: !listed },
      el("h2", {}, "Where the relevant documents are"),
      el("p", { class: "soft" }, left > 0 ? `${how} ${counted(left, "more relevant document")} not listed.` : how),
      el("div", { class: "wide tall" }, el("table", {},
        el("caption", { class: "unseen" }, "Relevant documents by system"),
        el("thead", {}, el("tr", {}, col("Document", false, { class: "fixed" }), col(CHARACTERS ? "Highlighted" : "Grade", true),
          best(t).map((s) => col(named(s), true)))),
        el("tbody", {}, range(listed).map((i) => el("tr", {},
          el("th", { scope: "row", class: "fixed" }, documentLink(t, page, i)),
          number(many(page.worth[i])), best(t).map((s) => cell(s, i))))))));
  }

  /* A document: what is relevant in it, and what of that was returned, missed, or returned in vain */

  const spans = (flat = []) => range(flat.length / 2).map((i) => [flat[2 * i], flat[2 * i] + flat[2 * i + 1]]);
  const chars = (parts, ...kinds) => sum(parts.filter((part) => kinds.includes(part.kind)).map((part) => part.to - part.from));

  function segments(page, document, s) {
    const relevant = spans(page.highlights[document]);
    const returned = results(page, s).filter((one) => one.document === document)
      .flatMap((one) => spans(one.pieces).map(([from, to]) => ({ from, to, rank: one.rank })));
    const ends = [...relevant.flat(), ...returned.flatMap((one) => [one.from, one.to])];
    const bounds = [...new Set(ends)].sort((a, b) => a - b), found = [];
    for (let i = 0; i + 1 < bounds.length; i++) {
      const [from, to] = [bounds[i], bounds[i + 1]];
      const inside = relevant.some(([a, b]) => a <= from && to <= b);
      const piece = returned.find((one) => one.from <= from && to <= one.to);
      const kind = inside ? (piece ? "found" : "missed") : "vain";
      if (inside || piece) found.push({ from, to, kind, rank: piece?.rank, first: piece?.from === from });
    }
    return found;
  }
  function drawDocument(t, page, where) {
    const number = page.documents.indexOf(where.get("document")), box = $("document"), shown = best(t);
    box.hidden = number < 0;
    if (number < 0) return;
    const name = page.documents[number], text = texts.has(name) ? block(`text-${texts.get(name)}`) : null;
    const s = shown.find((one) => systems[one] === where.get("run"))
      ?? shown.find((one) => results(page, one).some((result) => result.document === number)) ?? shown[0];
    const change = (event) => go(place(t, page, +event.target.value, s));
    const choose = el("select", { id: "documents", change });
    options(choose, page.documents.map((one, i) => `${page.worth[i] > 0 ? "●" : page.worth[i] < 0 ? "–" : "○"} ${one}`));
    choose.value = String(number);
    const parts = new Map(shown.map((one) => [one, CHARACTERS ? segments(page, number, one) : []]));
    const ends = [...parts.values()].flat().map((part) => part.to);
    const end = Math.max(1, text?.length ?? 0, page.lengths[number] ?? 0, ...ends);
    const worth = page.worth[number], grade = data.unit === "documents" && worth > 0 ? `, grade ${worth}` : "";
    const judged = IS[worth > 0 ? "relevant" : worth < 0 ? "unjudged" : "not"] + grade;
    const at = ["select", "input"].find((tag) => box.contains(document.activeElement) && document.activeElement.matches(tag));
    box.replaceChildren(
      el("h2", { id: "document-title" }, "Document ", bdi(name)),
      el("div", { class: "bar plain" }, el("label", { class: "field" }, "Document ", choose),
        el("span", { class: "soft" }, text || CHARACTERS ? `${judged}; ${counted(end, "character")}` : judged)),
      ...(CHARACTERS ? [strips(t, page, number, s, parts, end), key()] : []),
      s === undefined ? "" : drawText(name, text, s, parts.get(s)));
    if (at) box.querySelector(at === "input" ? "input:checked" : at).focus();
  }
  function strips(t, page, number, chosen, parts, end) {
    const relevant = spans(page.highlights[number]).map(([from, to]) => ({ from, to, kind: "relevant" }));
    const at = (x) => `${((100 * x) / end).toFixed(3)}%`;
    const shapes = { found: [1, "92%"], vain: [1, "92%"], missed: ["18%", "64%"], relevant: ["28%", "44%"] };
    const rect = (part) => svg("rect", {
      class: part.kind, x: at(part.from), width: at(part.to - part.from), y: shapes[part.kind][0], height: shapes[part.kind][1],
      mousemove: (event) => tip(event, [
        [KINDS[part.kind] ?? "highlighted", `${many(part.from)}–${many(part.to)}`], ...(part.rank ? [["rank", part.rank]] : [])]),
      mouseleave: away, click: () => jump(part.from),
    });
    const rank = (part) => (part.first && (part.to - part.from) / end > 0.03
      ? svg("text", { class: part.kind, x: at(part.from), y: "70%", dx: 4 }, part.rank) : null);
    const strip = (label, found) => el("td", { class: "strip" },
      svg("svg", { role: "img", "aria-label": label }, found.map((part) => [rect(part), rank(part)])));
    const cell = (count) => el("td", { class: "number" }, many(count));
    const told = (found) => Object.entries(KINDS)
      .map(([kind, what]) => `${counted(chars(found, kind), "character")} ${what}`).join(", ");
    const row = ([s, found]) => el("tr", { "data-system": s, class: s === chosen ? "current" : null },
      el("th", { scope: "row" }, el("label", { class: "name" },
        el("input", { type: "radio", name: "run", checked: s === chosen, change: () => go(place(t, page, number, s)) }), named(s))),
      strip(`${systems[s]}: ${told(found)}`, found),
      cell(chars(found, "found", "vain")), cell(chars(found, "found")), cell(chars(found, "vain")), cell(chars(found, "missed")));
    const hatched = { id: "hatched", width: 5, height: 5, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" };
    return el("div", { class: "wide" },
      svg("svg", { class: "unseen", "aria-hidden": "true" },
        svg("pattern", hatched, svg("rect", { width: 5, height: 5 }), svg("path", { d: "M0 0V5" }))),
      el("table", { class: "strips" },
        el("caption", {}, `The document from its beginning to its end, in characters; of the first ${data.shown} results`),
        el("thead", {}, el("tr", {}, col("System"), col("Document"),
          ["Returned", "Found", "In vain", "Missed"].map((name) => col(name, true)))),
        el("tbody", {},
          el("tr", {}, el("th", { scope: "row" }, "Highlighted"),
            strip(`${counted(chars(relevant, "relevant"), "character")} highlighted`, relevant),
            el("td", { class: "number", colspan: 4 }, counted(chars(relevant, "relevant"), "character"))),
          [...parts].map(row))));
  }
  const key = () => el("div", { class: "key" },
    Object.entries(KINDS).map(([kind, label]) => el("mark", { class: kind }, label)),
    el("span", { class: "soft" }, OVERLAP[data.overlap]));

  function drawText(name, text, s, parts) {
    if (!text) {
      return el("p", { class: "soft" }, data.texts
        ? "The text of this document is not in the page; the notes say why."
        : "The page was made without documents, so it has no text.");
    }
    /* offsets count characters, of which some are two units here */
    const wide = /[\ud800-\udfff]/.test(text.text), letters = wide ? Array.from(text.text) : text.text;
    const slice = (from, to) => (wide ? letters.slice(from, to).join("") : letters.slice(from, to));
    const label = `Text of ${name} as ${systems[s]} returned it`;
    const body = el("div", { class: "text", id: "text", tabindex: 0, role: "region", dir: "auto", "aria-label": label });
    let at = 0;
    for (const part of parts.filter(({ from }) => from < letters.length)) {
      const title = `${KINDS[part.kind]}${part.rank ? `, rank ${part.rank}` : ""}`;
      const mark = { class: part.kind, "data-from": part.from, "data-rank": part.first ? part.rank : null, title };
      body.append(slice(at, part.from), el("mark", mark, slice(part.from, part.to)));
      at = part.to;
    }
    body.append(slice(at, letters.length));
    const buttons = [["Previous mark", -1], ["Next mark", 1]].map(([label, by]) =>
      el("button", { type: "button", click: () => step(by) }, label));
    return el("div", {},
      parts.length ? el("div", { class: "jumps" }, buttons) : null, body,
      text.length > letters.length
        ? el("p", { class: "soft" }, `Cut here: the page has ${many(letters.length)} of ${many(text.length)} characters.`) : null);
  }
  function jump(from) {
    const mark = document.querySelector(`mark[data-from="${from}"]`);
    document.querySelector("mark.at")?.classList.remove("at");
    mark?.classList.add("at");
    mark?.scrollIntoView({ block: "center" });
  }
  function step(by) {
    const marks = [...document.querySelectorAll("#text mark")];
    const at = marks.findIndex((mark) => mark.classList.contains("at"));
    jump(marks[at < 0 ? 0 : (at + by + marks.length) % marks.length].dataset.from);
  }

  /* Notes */

  function drawNotes() {
    const list = (entries) => el("dl", {}, entries.map(([name, text]) => [el("dt", {}, name), el("dd", {}, text)]));
    const table = (caption, head, rows) => el("div", { class: "wide tall" }, el("table", {},
      el("caption", { class: "unseen" }, caption),
      el("thead", {}, el("tr", {}, head.map((name, i) => col(name, typeof rows[0]?.[i] === "number")))),
      el("tbody", {}, rows.map((row) => el("tr", {},
        row.map((cell) => (typeof cell === "number" ? number(many(cell)) : el("td", {}, cell))))))));
    const coverage = data.coverage.map((one) =>
      [one.run, one.topics, one.results, percent(one.judged, one.results, 1), percent(one.first_judged, one.first, 1)]);
    const files = data.files.map(([role, name, path, hash]) => [role, bdi(name), path, el("code", {}, hash)]);
    const noticed = data.notes.length ? el("ul", {}, data.notes.map((note) => el("li", {}, note))) : el("p", {}, "Nothing.");
    $("notes-list").replaceChildren(
      el("h3", {}, "What was noticed"), noticed,
      el("h3", {}, "Coverage"),
      table("Coverage", ["System", "Judged topics", "Results", "Of judged documents", "Of the first ten"], coverage),
      el("h3", {}, "What was decided"), list(data.rules),
      el("h3", {}, "Files"), table("Files", ["", "Name", "Read from", "SHA-256"], files),
      ...(data.command ? [el("h3", {}, "Command"), el("p", {}, el("code", {}, data.command))] : []),
      el("h3", {}, "Versions"), list(data.versions));
  }

  /* What is chosen */

  function redraw() {
    $("shown").textContent = `${many(on().length)} of ${many(systems.length)}`;
    drawSummary();
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
    for (const one of $("toggles").querySelectorAll(".swatch")) one.firstChild.setAttribute("stroke", hue(+one.dataset.system));
  }
  function close() {
    const row = CSS.escape(topics[state.topic.t]);
    location.hash = "topics";
    setTimeout(() => document.querySelector(`tr[data-topic="${row}"] a`)?.focus());
  }
  function route() {
    const where = new URLSearchParams(location.hash.slice(1)), t = topics.indexOf(where.get("topic")), before = state.topic;
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
  }

  setTheme(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  $("about").textContent = data.about;
  options($("measure"), measures.map((one) => one.name));
  options($("order"), ORDERS.map(([label]) => label));
  options($("first"), systems);
  options($("second"), systems);
  const ranked = inOrder(on(), (s) => data.means[s][0], true);
  [$("first").value, $("second").value] = [ranked[0], ranked.at(1)];
  $("toggles").append(...systems.map((name, s) => el("label", { class: "toggle" },
    el("input", { type: "checkbox", checked: true, "data-system": s, change: () => toggle(s) }), swatch(s), bdi(name))));
  const list = (open) => {
    $("toggles").hidden = !open;
    $("systems").setAttribute("aria-expanded", String(open));
  };
  list(systems.length <= LISTED);
  const setMeasure = () => {
    state.measure = +$("measure").value;
    Object.assign(state.summary, { by: `m${state.measure}`, down: true });
    redraw();
  };
  const setOrder = () => {
    const [, by, down] = ORDERS[+$("order").value];
    Object.assign(state.topics, { by, down });
    drawTopics();
  };
  let resizing, hidden;
  for (const [target, event, act] of [
    [$("measure"), "change", setMeasure],
    [$("order"), "change", setOrder],
    [$("filter"), "input", drawTopics],
    [$("first"), "change", () => drawCharts([drawDifferences])],
    [$("second"), "change", () => drawCharts([drawDifferences])],
    [$("systems"), "click", () => list($("toggles").hidden)],
    [$("all"), "click", () => show(new Set())],
    [$("none"), "click", () => show(new Set(range(systems.length)))],
    [$("theme"), "click", () => { setTheme(theme() === "dark" ? "light" : "dark"); redraw(); }],
    [window, "hashchange", route],
    [window, "keydown", (event) => { if (event.key === "Escape" && state.topic) close(); }],
    [window, "scroll", away],
    [window, "resize", () => { clearTimeout(resizing); resizing = setTimeout(() => drawCharts(), 200); }],
    /* on paper all systems are shown */
    [window, "beforeprint", () => { hidden = state.off; if (hidden.size) show(new Set()); }],
    [window, "afterprint", () => { if (hidden.size) show(hidden); }],
  ]) target.addEventListener(event, act);
  $("report").hidden = $("controls").hidden = false;
  $("curve").hidden = !data.curve;
  $("differences").hidden = systems.length < 2;
  const setBar = () => document.documentElement.style.setProperty("--bar", `${$("controls").offsetHeight}px`);
  new ResizeObserver(setBar).observe($("controls"));
  drawLegend();
  drawNotes();
  redraw();
  route();
  document.documentElement.dataset.ready = "true";
})();
