/* The gold of a topic: each highlighted passage with its text, and at which rank each system returned it. */

/* So many passages are listed, and so much of each. */
const PASSAGES = 30, LETTERS_OF_GOLD = 700;

const overlap = ([a, b], [c, d]) => Math.max(0, Math.min(b, d) - Math.max(a, c));

/* The results until the cut-off; of the last that a budget allows only what is read of it. */
function untilCut(t, page, s) {
  const kept = [];
  let left = LOSSES ? lost(s, t).read : Infinity;
  for (const result of results(page, s)) {
    if (left <= 0) break;
    kept.push(left < result.size ? { ...result, size: left, pieces: begun(result, left) } : result);
    left -= result.size;
  }
  return kept;
}
/* The new text in the first characters of a result; text that was seen before is passed over where it costs nothing. */
function begun(result, left) {
  const pieces = [];
  for (const [from, to] of spans(result.pieces)) {
    const length = Math.min(to - from, data.overlap === "paid" ? result.start + left - from : left);
    if (length > 0) pieces.push(from, length);
    left -= data.overlap === "paid" ? 0 : length;
  }
  return pieces;
}
/* How much of a passage a system returned until the cut-off, and the first rank at which any of it is. */
function foundOf(t, page, s, document, passage) {
  const all = results(page, s).filter((result) => result.document === document);
  const share = sum(untilCut(t, page, s).filter((result) => result.document === document)
    .flatMap((result) => spans(result.pieces)).map((piece) => overlap(piece, passage)));
  const first = all.find(({ start, length }) => overlap([start, start + length], passage));
  return { share: share / (passage[1] - passage[0]), rank: first?.rank };
}
/* A text that may be broken at its dots only. */
const atDots = (text) => text.split(/(?<=· )/).map((part) => el("span", { class: "unbroken" }, part));
function goldTable(t, page) {
  const passages = Object.entries(page.highlights)
    .flatMap(([document, flat]) => spans(flat).map((passage, index) => ({ document: +document, passage, index })));
  const left = passages.length - PASSAGES, shown = best(t);
  const inPieces = (s, document, index) => (page.split?.[s]?.[document]?.includes(index) ? " · in pieces" : "");
  const cell = (s, { document, passage, index }) => {
    const { share, rank } = foundOf(t, page, s, document, passage);
    const where = inPieces(s, document, index);
    if (share > 0) return number(atDots(`${percent(share, 1)} · rank ${rank}${where}`));
    return rank ? number(atDots(`too low · rank ${rank}${where}`), "late") : number(atDots(`missed${where}`), "never");
  };
  const text = (document, [from, to]) => {
    const window = windowOf(textOf(page.documents[document]), from, to), end = Math.min(to, from + LETTERS_OF_GOLD);
    return window ? el("q", { class: "gold", dir: "auto" }, window.slice(from, end), end < to ? "…" : "") : null;
  };
  const row = ({ document, passage, index }) => el("tr", {},
    el("th", { scope: "row" }, text(document, passage),
      el("span", { class: "part" }, documentLink(t, page, document), ` ${passage.map(many).join("–")}`)),
    shown.map((s) => cell(s, { document, passage, index })));
  const split = page.split ? " In pieces: no single chunk of that system contains the passage." : "";
  const how = `The share of each passage that each system found ${cutWords()}, and the first rank with any of it.${split}`;
  return el("div", { id: "gold", hidden: !passages.length },
    el("h2", {}, "What should be found"),
    el("p", { class: "soft" }, left > 0 ? `${how} ${counted(left, "more passage")} not listed.` : how),
    el("div", { class: "wide tall" }, el("table", { class: manyOf(shown) },
      el("caption", { class: "unseen" }, "Relevant passages by system"),
      el("thead", {}, el("tr", {}, col("Passage"), shown.map((s) => col(named(s), true)))),
      el("tbody", {}, passages.slice(0, PASSAGES).map(row)))));
}
