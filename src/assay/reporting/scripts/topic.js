/* A topic: the values of each system, what it returned, and where the relevant documents are. */

const IS = { relevant: "relevant", not: "not relevant", unjudged: "not judged" };

/* What the reader looks at stands behind the # of the address: a topic, a document of it, and a run. */
const link = (where) => `#${new URLSearchParams(where)}`;
const go = (where) => { location.hash = link(where); };
const place = (t, page, document, s) =>
  ({ topic: topics[t], document: page.documents[document], ...(s === undefined ? {} : { run: systems[s] }) });
function documentLink(t, page, document, s) {
  const name = page.documents[document];
  return CHARACTERS || texts.has(name) ? el("a", { href: link(place(t, page, document, s)) }, bdi(name)) : bdi(name);
}

/* The systems that are shown, the best of that topic first. */
const best = (t) => inOrder(on(), (s) => data.values[s][state.measure][t], true);

function results(page, s) {
  const run = page.runs[s];
  return (run?.document ?? []).map((document, i) => {
    const gain = run.gain?.[i] ?? null, length = run.length?.[i] ?? null, worth = page.worth[document];
    const relevant = run.relevant ? run.relevant[i] : gain === null ? worth > 0 : gain > 0;
    /* of elements what they gave to the measure that is chosen */
    const gave = run.gave?.[measures[state.measure].values_by ?? 0]?.[i] ?? null;
    return {
      rank: i + 1, document, gain, gave, length, start: run.start?.[i], path: run.path?.[i],
      size: run.size?.[i] ?? length,
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
      details(t),
      el("p", { class: "soft" }, inside + counted(page.relevant, "relevant document")),
      topicValues(t, page)),
    CHARACTERS ? goldTable(t, page) : "",
    el("div", {},
      el("h2", {}, "What each system returned"),
      el("p", { class: "soft" }, `The first ${data.shown} results. ● relevant  ○ not relevant  – not judged`),
      el("div", { class: "side", id: "rankings" }, best(t).map((s) => ranking(t, page, s)))),
    whereFrom(t, page),
    whereRelevant(t, page),
    el("div", { id: "document", hidden: true }));
  drawDocument(t, page, where);
}
/* What the file of topics tells beside the title. */
const DETAILS = { description: "Description", narrative: "Narrative" };
function details(t) {
  const told = Object.entries(DETAILS).map(([name, label]) => [label, data.details[name]?.[t]]).filter(([, text]) => text);
  return told.length
    ? el("dl", { class: "details" }, told.map(([label, text]) => [el("dt", {}, label), el("dd", { dir: "auto" }, text)]))
    : null;
}
function topicValues(t, page) {
  const counts = CHARACTERS && LOSSES, more = counts ? ["Read", "Found", "Share found"] : ["Results"];
  const cells = (s) => {
    if (!counts) return [many(page.runs[s].results)];
    const { read, found } = lost(s, t);
    return [many(read), many(found), percent(found, page.total, 1)];
  };
  return el("div", { class: "wide tall" }, el("table", { id: "topic-values" },
    el("caption", {}, counts ? `Values, and characters read and found ${cutWords()}` : "Values"),
    el("thead", {}, el("tr", {}, col("System", false, { class: "fixed" }),
      measures.map((measure) => col(parted(measure.name), true, { title: measure.about })),
      more.map((name) => col(name, true)))),
    el("tbody", {}, best(t).map((s) => el("tr", { "data-system": s },
      el("th", { scope: "row", class: "fixed" }, named(s)),
      measures.map((_, m) => number(value(data.values[s][m][t], m))),
      (page.runs[s] ? cells(s) : more.map(() => "–")).map((text) => number(text)))))));
}
/* Which part of its document a result is. */
const partOf = ({ path, start, length }) => (path !== undefined ? parted(path)
  : length === null ? null : `${many(start)}–${many(start + length)}`);
function ranking(t, page, s) {
  const shown = results(page, s), left = (page.runs[s]?.results ?? 0) - shown.length;
  const worth = (result) => (result.gave !== null ? digits(result.gave) : result.gain === null
    ? (result.is === "unjudged" ? "" : many(page.worth[result.document]))
    : `${many(result.gain)} of ${many(result.size)}`);
  const fresh = (result) => sum(spans(result.pieces).map(([from, to]) => to - from));
  const again = (result) => (!CHARACTERS || fresh(result) >= result.length ? null
    : fresh(result) ? "partly returned before" : "returned before");
  /* a line below the last result that is read */
  const read = CHARACTERS && LOSSES ? untilCut(t, page, s).length : shown.length;
  const below = read < shown.length ? read : null;
  const row = (result) => el("tr", { class: result.rank === below ? "last" : null }, el("td", {}, result.rank),
    el("td", {},
      el("span", { class: `is ${result.is}` }, el("span", { class: "unseen" }, `${IS[result.is]}: `)),
      documentLink(t, page, result.document, s),
      [partOf(result), again(result)].filter(Boolean).map((text) => el("span", { class: "part" }, text))),
    el("td", {}, worth(result)));
  const rows = (result) => [row(result), chunk(page, result)];
  const gained = CHARACTERS ? "Found" : data.unit === "elements" ? "Worth" : "Grade";
  /* "193 of 193" is wider than a grade */
  const gainedWidth = CHARACTERS ? "5.6rem" : "4rem";
  const longest = Math.max(0, ...page.documents.map((name) => name.length));
  const widths = { "--gained": gainedWidth, "--letters": Math.min(30, longest), "--longest": longest };
  return el("table", { "data-system": s, ...widths }, el("caption", {}, named(s)),
    el("thead", {}, el("tr", {}, ["Rank", "Document", gained].map((name) => col(name)))),
    el("tbody", {}, shown.map(rows),
      shown.length ? null : el("tr", {}, el("td"), el("td", { colspan: 2 }, "no results")),
      left > 0 ? el("tr", {}, el("td"), el("td", { colspan: 2, class: "soft" }, `and ${many(left)} more`)) : null));
}
/* The text of one of the first results: all of it if it is short, else from shortly before its first relevant text. */
const CHUNKS = 5, LETTERS_OF_CHUNK = 320, LETTERS_BEFORE = 80;
function chunk(page, { rank, document, start, length, pieces }) {
  const text = rank <= CHUNKS && length ? textOf(page.documents[document]) : null, stop = start + (length ?? 0);
  const gold = spans(page.highlights[document]).filter(([from, to]) => from < stop && start < to);
  const last = Math.max(start, stop - LETTERS_OF_CHUNK);
  const from = Math.min(last, Math.max(start, (gold[0]?.[0] ?? start) - LETTERS_BEFORE));
  const to = Math.min(stop, from + LETTERS_OF_CHUNK), window = text && windowOf(text, from, to);
  if (!window) return null;
  const fresh = ([a, b]) => spans(pieces).some(([c, d]) => a < d && c < b);
  const parts = gold.map((span) => ({ from: span[0], to: span[1], kind: fresh(span) ? "found" : "again" }));
  return el("tr", { class: "chunk" }, el("td", { colspan: 3, dir: "auto" },
    from > start ? "… " : null, marked(window, from, to, parts), to < stop ? " …" : null));
}
function whereRelevant(t, page) {
  const listed = page.ranks[0]?.length ?? 0, left = page.relevant - listed;
  const share = (s, i) =>
    (CHARACTERS && page.found?.[s]?.length ? ` · ${percent(page.found[s][i], page.worth[i])}` : "");
  const cell = (s, i) =>
    (page.ranks[s][i] ? number(many(page.ranks[s][i]) + share(s, i)) : number("missed", "never"));
  const much = CHARACTERS ? ", and the share of its highlighted text that it found" : "";
  const how = `The rank at which each system first returned each document${much}; documents found earliest come first.`;
  const first = (i) => Math.min(...best(t).map((s) => page.ranks[s][i] || Infinity));
  return el("div", { id: "relevant", hidden: !listed },
    el("h2", {}, "Where the relevant documents are"),
    el("p", { class: "soft" }, left > 0 ? `${how} ${counted(left, "more relevant document")} not listed.` : how),
    el("div", { class: "wide tall" }, el("table", { class: manyOf(on()) },
      el("caption", { class: "unseen" }, "Relevant documents by system"),
      el("thead", {}, el("tr", {},
        col("Document", false, { class: "fixed" }), col(CHARACTERS ? "Highlighted" : "Grade", true),
        best(t).map((s) => col(named(s), true)))),
      el("tbody", {}, inOrder(range(listed), first, false).map((i) => el("tr", {},
        el("th", { scope: "row", class: "fixed" }, documentLink(t, page, i)),
        number(many(page.worth[i])), best(t).map((s) => cell(s, i))))))));
}
