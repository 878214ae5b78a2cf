/* Texts: the page has windows of long documents, and shows those around what is marked. */

/* Characters that are shown on each side of a mark in a long document. */
const AROUND = 500;
const openTexts = new Map();

/* What the page has of a document; null where that is nothing. */
function textOf(name) {
  if (!texts.has(name)) return null;
  if (!openTexts.has(name)) openTexts.set(name, openText(block(`text-${texts.get(name)}`)));
  return openTexts.get(name);
}
function openText({ windows, length }) {
  /* offsets count characters, and in this language some characters are two units of a string */
  const open = ([from, text]) => {
    const wide = /[\ud800-\udfff]/.test(text), letters = wide ? Array.from(text) : text;
    const slice = (a, b) => {
      const part = letters.slice(Math.max(0, a - from), Math.max(0, b - from));
      return wide ? part.join("") : part;
    };
    return { from, to: from + letters.length, slice };
  };
  return { length, windows: windows.map(open) };
}
/* The window that has some characters, if one has them all. */
const windowOf = (text, from, to) =>
  text?.windows.find((part) => part.from <= from && Math.min(to, text.length) <= part.to);

/* Of a long document what is around some parts, else all that the page has: from where to where, and the window. */
function viewsOf(text, parts) {
  if (text.length <= data.longest) return text.windows.map((window) => ({ ...window, window }));
  const shown = [];
  for (const part of parts) {
    const window = windowOf(text, part.from, part.to), last = shown.at(-1);
    if (!window) continue;
    const from = Math.max(window.from, part.from - AROUND), to = Math.min(window.to, part.to + AROUND);
    if (last && last.window === window && from <= last.to) last.to = Math.max(last.to, to);
    else shown.push({ from, to, window });
  }
  return shown;
}
/* Text from one character to another, in which some parts are marked. */
function marked({ slice }, from, to, parts) {
  const nodes = [];
  let at = from;
  for (const part of parts.filter((each) => each.to > from && each.from < to)) {
    const [begin, end] = [Math.max(part.from, from), Math.min(part.to, to)];
    const title = `${KINDS[part.kind]}${part.rank ? `, rank ${part.rank}` : ""}`;
    const mark = { class: part.kind, "data-from": part.from, "data-rank": part.first ? part.rank : null, title };
    nodes.push(slice(at, begin), el("mark", mark, slice(begin, end)));
    at = end;
  }
  return [...nodes, slice(at, to)];
}
