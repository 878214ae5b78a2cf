/* A document: what is relevant in it, and what of that was returned, missed, or returned in vain. */

const KINDS = {
  found: "relevant and returned", low: "relevant, ranked too low", missed: "relevant, not returned",
  vain: "returned, not relevant", again: "relevant, returned before",
};
/* Those that a document is marked with. */
const MARKS = ["found", "low", "missed", "vain"];
const OVERLAP = {
  paid: "Text that is returned again at a lower rank counts as read again, but is marked only once.",
  new: "Only new text counts: text returned again at a lower rank is not marked again.",
  drop: "Results that overlap a better-ranked result are left out.",
  reject: "No text was returned twice.",
};

/* Pairs of start and end, which the data has as start, length, start, length and on. */
const spans = (flat = []) => range(flat.length / 2).map((i) => [flat[2 * i], flat[2 * i] + flat[2 * i + 1]]);
/* The characters of the parts of some kinds. */
const chars = (parts, ...kinds) =>
  sum(parts.filter((part) => kinds.includes(part.kind)).map((part) => part.to - part.from));

/* The document cut wherever relevant or returned text begins or ends, without what is neither. */
function segments(t, page, document, s) {
  const relevant = spans(page.highlights[document]), all = results(page, s);
  const parts = (some) => some.filter((result) => result.document === document)
    .flatMap((result) => spans(result.pieces).map(([from, to]) => ({ from, to, rank: result.rank })));
  const returned = parts(untilCut(t, page, s)), later = parts(all);
  const ends = [...relevant.flat(), ...[...returned, ...later].flatMap(({ from, to }) => [from, to])];
  const bounds = [...new Set(ends)].sort((a, b) => a - b), shown = [];
  for (let i = 0; i + 1 < bounds.length; i++) {
    const [from, to] = [bounds[i], bounds[i + 1]], covers = (span) => span.from <= from && to <= span.to;
    const inside = relevant.some(([a, b]) => a <= from && to <= b);
    const piece = returned.find(covers), low = inside && !piece ? later.find(covers) : null;
    const kind = !inside ? "vain" : piece ? "found" : low ? "low" : "missed", of = piece ?? low;
    if (inside || piece) shown.push({ from, to, kind, rank: of?.rank, first: of?.from === from });
  }
  return shown;
}
/* The characters of a document that a system returned until the cut-off; those that are read again count again. */
const readOf = (t, page, document, s) =>
  sum(untilCut(t, page, s).filter((result) => result.document === document).map((result) => result.size));
function drawDocument(t, page, where) {
  const number = page.documents.indexOf(where.get("document")), box = $("document"), shown = best(t);
  box.hidden = number < 0;
  if (number < 0) return;
  const name = page.documents[number], text = textOf(name);
  const returns = (s) => results(page, s).some((result) => result.document === number);
  const s = shown.find((system) => systems[system] === where.get("run")) ?? shown.find(returns) ?? shown[0];
  const change = (event) => go(place(t, page, +event.target.value, s));
  const choose = el("select", { id: "documents", change });
  const sign = (worth) => (worth > 0 ? "●" : worth < 0 ? "–" : "○");
  options(choose, page.documents.map((document, i) => `${sign(page.worth[i])} ${document}`));
  choose.value = String(number);
  const parts = new Map(shown.map((system) => [system, CHARACTERS ? segments(t, page, number, system) : []]));
  const ends = [...parts.values()].flat().map((part) => part.to);
  const end = Math.max(1, text?.length ?? 0, page.lengths[number] ?? 0, ...ends);
  const worth = page.worth[number], grade = data.unit === "documents" && worth > 0 ? `, grade ${worth}` : "";
  const judged = IS[worth > 0 ? "relevant" : worth < 0 ? "unjudged" : "not"] + grade;
  const active = box.contains(document.activeElement) ? document.activeElement : null;
  const at = ["select", "input"].find((tag) => active?.matches(tag));
  box.replaceChildren(
    el("h2", { id: "document-title" }, "Document ", bdi(name)),
    el("div", { class: "bar plain" }, el("label", { class: "field" }, "Document ", choose),
      el("span", { class: "soft" }, text || CHARACTERS ? `${judged}; ${counted(end, "character")}` : judged)),
    ...(CHARACTERS ? [strips(t, page, number, s, parts, end), key()] : []),
    s === undefined ? "" : drawText(name, text, s, parts.get(s)));
  const gold = box.querySelector("#text mark:is(.found, .low, .missed)");
  if (gold && text.length > data.longest) $("text").scrollTop = gold.offsetTop - $("text").clientHeight / 3;
  state.topic.shown = { number, s };
  if (at) box.querySelector(at === "input" ? "input:checked" : at).focus();
}
function strips(t, page, number, chosen, parts, end) {
  const relevant = spans(page.highlights[number]).map(([from, to]) => ({ from, to, kind: "relevant" }));
  const at = (x) => `${((100 * x) / end).toFixed(3)}%`;
  const [high, middle] = [[1, "92%"], ["18%", "64%"]];
  const shapes = { found: high, vain: high, missed: middle, low: middle, relevant: ["28%", "44%"] };
  const about = (part) => [
    [KINDS[part.kind] ?? "highlighted", `${many(part.from)}–${many(part.to)}`],
    ...(part.rank ? [["rank", part.rank]] : []),
  ];
  /* a mark can be seen and clicked, however short its text is */
  const seen = (part) => `x: min(${at(part.from)}, calc(100% - 3px)); width: max(${at(part.to - part.from)}, 3px)`;
  const rect = (part) => svg("rect", {
    class: part.kind, x: at(part.from), width: at(part.to - part.from), style: seen(part),
    y: shapes[part.kind][0], height: shapes[part.kind][1], mousemove: (event) => tip(event, about(part)),
    mouseleave: away, click: () => jump(part.from),
  });
  /* what is relevant is drawn over what is not, which may be too close to leave it three pixels */
  const onTop = ({ kind }) => (kind === "vain" ? 0 : 1);
  const rank = (part) => (part.first && (part.to - part.from) / end > 0.03
    ? svg("text", { class: part.kind, x: at(part.from), y: "70%", dx: 4 }, part.rank) : null);
  const strip = (label, shown) => el("td", { class: "strip" }, svg("svg", { role: "img", "aria-label": label },
    inOrder(shown, onTop, false).map((part) => [rect(part), rank(part)])));
  const cell = (count) => el("td", { class: "number" }, many(count));
  const told = (shown) =>
    MARKS.map((kind) => `${counted(chars(shown, kind), "character")} ${KINDS[kind]}`).join(", ");
  const pick = (s) => el("input",
    { type: "radio", name: "run", checked: s === chosen, change: () => go(place(t, page, number, s)) });
  const row = ([s, shown]) => el("tr", { "data-system": s, class: s === chosen ? "current" : null },
    el("th", { scope: "row" }, el("label", { class: "name" }, pick(s), named(s))),
    strip(`${systems[s]}: ${told(shown)}`, shown),
    cell(readOf(t, page, number, s)), ["found", "vain", "low", "missed"].map((kind) => cell(chars(shown, kind))));
  const rotated = { patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" };
  const hatched = { id: "hatched", width: 5, height: 5, ...rotated };
  return el("div", { class: "wide" },
    svg("svg", { class: "unseen", "aria-hidden": "true" },
      svg("pattern", hatched, svg("rect", { width: 5, height: 5 }), svg("path", { d: "M0 0V5" }))),
    el("table", { class: "strips" },
      el("caption", {},
        `The document from start to end, in characters, ${cutWords()}; only the results that this page lists`),
      el("thead", {}, el("tr", {}, col("System"), col("Document"),
        ["Returned", "Found", "Not relevant", "Too low", "Missed"].map((name) => col(name, true)))),
      el("tbody", {},
        el("tr", {}, el("th", { scope: "row" }, "Highlighted"),
          strip(`${counted(chars(relevant, "relevant"), "character")} highlighted`, relevant),
          el("td", { class: "number", colspan: 5 }, counted(chars(relevant, "relevant"), "character"))),
        [...parts].map(row))));
}
const key = () => el("div", { class: "key" },
  MARKS.map((kind) => el("mark", { class: kind }, KINDS[kind])),
  el("span", { class: "soft" }, OVERLAP[data.overlap]));

function drawText(name, text, s, parts) {
  if (!text) {
    return el("p", { class: "soft" }, data.texts
      ? "This page does not contain the text of this document; the notes say why."
      : "This report was made without documents, so it shows no text.");
  }
  const label = `Text of ${name} as ${systems[s]} returned it`;
  const body = el("div", { class: "text", id: "text", tabindex: 0, role: "region", dir: "auto", "aria-label": label });
  const skipped = (number) =>
    (number > 0 ? el("span", { class: "skipped" }, `… ${counted(number, "character")} …`) : null);
  let at = 0;
  for (const { from, to, window } of viewsOf(text, parts)) {
    body.append(...[skipped(from - at), ...marked(window, from, to, parts)].filter((node) => node !== null));
    at = to;
  }
  body.append(...[skipped(text.length - at)].filter((node) => node !== null));
  const unseen = parts.filter((part) => !windowOf(text, part.from, part.to)).length;
  const buttons = [["Previous mark", -1], ["Next mark", 1]].map(([label, by]) =>
    el("button", { type: "button", click: () => step(by) }, label));
  return el("div", {},
    parts.length ? el("div", { class: "jumps" }, buttons, el("span", { class: "soft keys" }, KEYS)) : null, body,
    unseen
      ? el("p", { class: "soft" }, `The page has no room for the text of ${counted(unseen, "more mark")}.`) : null);
}
const KEYS = "Keys: g next relevant text, m next miss, n next mark, p previous mark";
function jump(from) {
  const mark = document.querySelector(`#text mark[data-from="${from}"]`);
  document.querySelector("mark.at")?.classList.remove("at");
  mark?.classList.add("at");
  mark?.scrollIntoView({ block: "center" });
}
/* To the next mark of some kinds, or back; from the last on to the first if `around`. False where there is none. */
function step(by, kinds = MARKS, around = true) {
  const marks = [...document.querySelectorAll("#text mark")], last = marks.length - 1;
  let at = marks.findIndex((mark) => mark.classList.contains("at"));
  if (at < 0 && by < 0) at = marks.length;
  const ahead = range(marks.length).map((i) => at + by * (i + 1));
  const next = ahead.map((i) => (around ? (i + 2 * marks.length) % marks.length : i))
    .find((i) => i >= 0 && i <= last && kinds.includes(marks[i].className.split(" ")[0]));
  if (next === undefined) return false;
  jump(marks[next].dataset.from);
  return true;
}
/* To what a system missed next: in this document, in the next of this topic, or in the next topic. */
function nextMiss() {
  const { t, page, shown } = state.topic, missing = ["missed", "low"];
  if (shown && step(1, missing, false)) return;
  const s = shown?.s ?? best(t)[0];
  if (s === undefined) return;
  const missed = (at, of, document) => segments(at, of, document, s).some((part) => missing.includes(part.kind));
  for (let next = t; next < topics.length; next++) {
    const of = next === t ? page : block(`topic-${next}`);
    const document = Object.keys(of.highlights).map(Number)
      .find((each) => (next > t || !shown || each > shown.number) && missed(next, of, each));
    if (document !== undefined) {
      state.then = () => step(1, missing);
      go(place(next, of, document, s));
      return;
    }
  }
}
const PRESSED = {
  g: () => step(1, ["found", "low", "missed"]),
  m: nextMiss,
  n: () => step(1),
  p: () => step(-1),
};
