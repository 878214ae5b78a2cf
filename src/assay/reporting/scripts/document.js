/* A document: what is relevant in it, and what of that was returned, missed, or returned in vain. */

const KINDS = { found: "relevant and returned", missed: "relevant, not returned", vain: "returned in vain" };
const OVERLAP = {
  paid: "Text that was returned before, at a better rank, is read again: it counts as read, and is not marked again.",
  new: "Only new text counts: what was returned before, at a better rank, is not marked again.",
  drop: "Results that share text with one at a better rank are left out.",
  reject: "No text was returned twice.",
};

/* Pairs of start and end, which the data has as start, length, start, length and on. */
const spans = (flat = []) => range(flat.length / 2).map((i) => [flat[2 * i], flat[2 * i] + flat[2 * i + 1]]);
/* The characters of the parts of some kinds. */
const chars = (parts, ...kinds) =>
  sum(parts.filter((part) => kinds.includes(part.kind)).map((part) => part.to - part.from));

/* The document cut wherever relevant or returned text begins or ends, without what is neither. */
function segments(page, document, s) {
  const relevant = spans(page.highlights[document]);
  const returned = results(page, s).filter((result) => result.document === document)
    .flatMap((result) => spans(result.pieces).map(([from, to]) => ({ from, to, rank: result.rank })));
  const ends = [...relevant.flat(), ...returned.flatMap(({ from, to }) => [from, to])];
  const bounds = [...new Set(ends)].sort((a, b) => a - b), parts = [];
  for (let i = 0; i + 1 < bounds.length; i++) {
    const [from, to] = [bounds[i], bounds[i + 1]];
    const inside = relevant.some(([a, b]) => a <= from && to <= b);
    const piece = returned.find((span) => span.from <= from && to <= span.to);
    const kind = inside ? (piece ? "found" : "missed") : "vain";
    if (inside || piece) parts.push({ from, to, kind, rank: piece?.rank, first: piece?.from === from });
  }
  return parts;
}
function drawDocument(t, page, where) {
  const number = page.documents.indexOf(where.get("document")), box = $("document"), shown = best(t);
  box.hidden = number < 0;
  if (number < 0) return;
  const name = page.documents[number], text = texts.has(name) ? block(`text-${texts.get(name)}`) : null;
  const returns = (s) => results(page, s).some((result) => result.document === number);
  const s = shown.find((system) => systems[system] === where.get("run")) ?? shown.find(returns) ?? shown[0];
  const change = (event) => go(place(t, page, +event.target.value, s));
  const choose = el("select", { id: "documents", change });
  const sign = (worth) => (worth > 0 ? "●" : worth < 0 ? "–" : "○");
  options(choose, page.documents.map((document, i) => `${sign(page.worth[i])} ${document}`));
  choose.value = String(number);
  const parts = new Map(shown.map((system) => [system, CHARACTERS ? segments(page, number, system) : []]));
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
  if (at) box.querySelector(at === "input" ? "input:checked" : at).focus();
}
function strips(t, page, number, chosen, parts, end) {
  const relevant = spans(page.highlights[number]).map(([from, to]) => ({ from, to, kind: "relevant" }));
  const at = (x) => `${((100 * x) / end).toFixed(3)}%`;
  const shapes = { found: [1, "92%"], vain: [1, "92%"], missed: ["18%", "64%"], relevant: ["28%", "44%"] };
  const about = (part) => [
    [KINDS[part.kind] ?? "highlighted", `${many(part.from)}–${many(part.to)}`],
    ...(part.rank ? [["rank", part.rank]] : []),
  ];
  const rect = (part) => svg("rect", {
    class: part.kind, x: at(part.from), width: at(part.to - part.from),
    y: shapes[part.kind][0], height: shapes[part.kind][1], mousemove: (event) => tip(event, about(part)),
    mouseleave: away, click: () => jump(part.from),
  });
  const rank = (part) => (part.first && (part.to - part.from) / end > 0.03
    ? svg("text", { class: part.kind, x: at(part.from), y: "70%", dx: 4 }, part.rank) : null);
  const strip = (label, shown) => el("td", { class: "strip" },
    svg("svg", { role: "img", "aria-label": label }, shown.map((part) => [rect(part), rank(part)])));
  const cell = (count) => el("td", { class: "number" }, many(count));
  const told = (shown) => Object.entries(KINDS)
    .map(([kind, what]) => `${counted(chars(shown, kind), "character")} ${what}`).join(", ");
  const pick = (s) => el("input",
    { type: "radio", name: "run", checked: s === chosen, change: () => go(place(t, page, number, s)) });
  const row = ([s, shown]) => el("tr", { "data-system": s, class: s === chosen ? "current" : null },
    el("th", { scope: "row" }, el("label", { class: "name" }, pick(s), named(s))),
    strip(`${systems[s]}: ${told(shown)}`, shown),
    [["found", "vain"], ["found"], ["vain"], ["missed"]].map((kinds) => cell(chars(shown, ...kinds))));
  const rotated = { patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" };
  const hatched = { id: "hatched", width: 5, height: 5, ...rotated };
  return el("div", { class: "wide" },
    svg("svg", { class: "unseen", "aria-hidden": "true" },
      svg("pattern", hatched, svg("rect", { width: 5, height: 5 }), svg("path", { d: "M0 0V5" }))),
    el("table", { class: "strips" },
      el("caption", {},
        `The document from its beginning to its end, in characters; of the first ${data.shown} results`),
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
  /* offsets count characters, and in this language some characters are two units of a string */
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
      ? el("p", { class: "soft" },
        `Cut here: the page has ${many(letters.length)} of ${many(text.length)} characters.`) : null);
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
