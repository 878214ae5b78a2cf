// A document on the page: text nodes in `div` and `span`, and the way between them and offsets. All places here are UTF-16
// units of the whole text; `Offsets` makes characters of them.

import { below, Offsets, sha256 } from "/page/offsets.js";

const CLASSES = ["", "block", "inline", "title", "code", "row", "cell"];
const BLANK = /\s/u;
// parts of a document of at most this size are left unpainted while they are out of sight
const GROUP = 20000;

export class DocumentText {
  constructor(root, { text, kind, behind, at, xml }) {
    this.root = root;
    this.text = text;
    this.offsets = new Offsets(text);
    this.nodes = [];
    this.starts = [];
    this.places = new WeakMap();
    this.cuts = [0];
    this.segmented = { key: "", starts: [] };
    root.replaceChildren();
    root.classList.toggle("plain", !xml);
    const units = at.map((point) => this.offsets.toUnits(point));
    const open = [{ element: root, end: Infinity, size: Infinity }];
    for (let node = 0; node < kind.length; node += 1) {
      while (open.at(-1).end <= node) open.pop();
      const above = open.at(-1), start = units[node], end = units[behind[node]];
      if (kind[node] === 0) {
        const shown = document.createTextNode(text.slice(start, end));
        this.places.set(shown, start);
        this.nodes.push(shown);
        this.starts.push(start);
        above.element.append(shown);
        continue;
      }
      const element = document.createElement(kind[node] === 2 || kind[node] === 6 ? "span" : "div");
      element.className = CLASSES[kind[node]] ?? "block";
      const size = end - start;
      if (size <= GROUP && above.size > GROUP) element.classList.add("group");
      if (kind[node] !== 2) this.cuts.push(start, end);
      this.places.set(element, [start, end]);
      above.element.append(element);
      open.push({ element, end: behind[node], size });
    }
    this.cuts = [...new Set([...this.cuts, text.length])].sort((a, b) => a - b);
    this.places.set(root, [0, text.length]);
  }

  /** The SHA-256 of the text as the page really has it. */
  hash() {
    const walker = document.createTreeWalker(this.root, NodeFilter.SHOW_TEXT), pieces = [];
    while (walker.nextNode()) pieces.push(walker.currentNode.data);
    return sha256(pieces.join(""));
  }

  /** The place of a point of the page; null if it is not in the document. */
  placeOf(container, offset) {
    if (!this.root.contains(container)) return null;
    const place = this.places.get(container);
    if (container.nodeType === Node.TEXT_NODE) return place + offset;
    const child = container.childNodes[offset];
    if (!child) return place[1];
    const there = this.places.get(child);
    return child.nodeType === Node.TEXT_NODE ? there : there[0];
  }

  /** A range of the page for some text. */
  range(start, end) {
    const first = Math.max(below(this.starts, start + 1) - 1, 0), last = Math.max(below(this.starts, end) - 1, first);
    return new StaticRange({ startContainer: this.nodes[first], startOffset: start - this.starts[first],
      endContainer: this.nodes[last], endOffset: end - this.starts[last] });
  }

  /** A range whose rectangle can be asked for. */
  liveRange(start, end) {
    const still = this.range(start, end), live = document.createRange();
    live.setStart(still.startContainer, still.startOffset);
    live.setEnd(still.endContainer, still.endOffset);
    return live;
  }

  /** What a person selected, as a place; null if nothing in the document is selected. */
  selection() {
    const chosen = getSelection();
    if (!chosen.rangeCount || chosen.isCollapsed) return null;
    const range = chosen.getRangeAt(0);
    if (!range.intersectsNode(this.root)) return null;
    let start = this.placeOf(range.startContainer, range.startOffset);
    let end = this.placeOf(range.endContainer, range.endOffset);
    // a selection may begin before the document, or end behind it
    start ??= 0;
    end ??= this.text.length;
    return start < end ? this.whole({ start, end }) : null;
  }

  /** A span without halves of characters at its ends. */
  whole({ start, end }) {
    return { start: this.offsets.toUnits(this.offsets.toPoints(start)), end: this.wholeEnd(end) };
  }

  wholeEnd(end) {
    const before = this.offsets.toUnits(this.offsets.toPoints(end));
    return before === end ? end : before + 2;
  }

  /** A span without blanks at its ends; null if it has nothing else. */
  trimmed({ start, end }) {
    while (start < end && BLANK.test(this.text[start])) start += 1;
    while (end > start && BLANK.test(this.text[end - 1])) end -= 1;
    return start < end ? { start, end } : null;
  }

  /** The piece between two edges of blocks that a place is in. */
  piece(place) {
    const cut = Math.min(Math.max(below(this.cuts, place + 1) - 1, 0), this.cuts.length - 2);
    return { start: this.cuts[cut] ?? 0, end: this.cuts[cut + 1] ?? 0 };
  }

  /** Where the units, sentences or words, of a piece begin. */
  units(piece, granularity) {
    const key = `${piece.start} ${granularity}`;
    if (this.segmented.key !== key) {
      // the end of a line is no end of a sentence
      const text = this.text.slice(piece.start, piece.end).replace(/[\n\r\u0085\u2028\u2029]/g, " ");
      const starts = [];
      for (const { index, segment, isWordLike } of new Intl.Segmenter(undefined, { granularity }).segment(text)) {
        const keep = granularity === "word" ? isWordLike || /[^\s\p{P}]/u.test(segment) : /\S/u.test(segment);
        if (keep) starts.push({ start: piece.start + index, end: piece.start + index + segment.length });
      }
      this.segmented = { key, starts: starts.map((one) => this.trimmed(one)).filter(Boolean) };
    }
    return this.segmented.starts;
  }

  /** The unit at a place, or the next one, or the last. */
  unitAt(place, granularity) {
    for (let piece = this.piece(place); ; piece = this.piece(piece.end)) {
      const found = this.units(piece, granularity).find((one) => one.end > place);
      if (found) return found;
      if (piece.end >= this.text.length || piece.end <= piece.start) return this.unitBefore(place + 1, granularity);
    }
  }

  /** The last unit that begins before a place; null if there is none. */
  unitBefore(place, granularity) {
    for (let piece = this.piece(Math.max(place - 1, 0)); ; piece = this.piece(piece.start - 1)) {
      const found = this.units(piece, granularity).findLast((one) => one.start < place);
      if (found) return found;
      if (piece.start <= 0) return null;
    }
  }

  /** A span widened to whole words or sentences. */
  snapped(span, granularity) {
    const inner = this.trimmed(span);
    if (!inner || granularity === "character") return span;
    const ends = (place) => {
      const piece = this.piece(place);
      return this.units(piece, granularity).find((one) => one.start <= place && place < one.end) ??
        { start: place, end: place + 1 };
    };
    return { start: Math.min(inner.start, ends(inner.start).start), end: Math.max(inner.end, ends(inner.end - 1).end) };
  }
}

/** Paint spans: highlights of CSS, by name; no element is made. */
export function paint(text, name, spans, priority = 0) {
  if (!spans.length) { CSS.highlights.delete(name); return; }
  const highlight = new Highlight();
  for (const { start, end } of spans) if (start < end) highlight.add(text.range(start, end));
  highlight.priority = priority;
  CSS.highlights.set(name, highlight);
}
