// What strokes add up to: the same as studies/strokes.py, so that the page need not wait for the server.

const LEVELS = ["?", "1", "2"];
const EMPTY = { passages: [], entry: null, grade: null, exhaustivity: new Map(), note: "", noAnswer: false };

/** A new id for a stroke. */
export function newId() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

const inOrder = (a, b) => a.start - b.start || a.end - b.end || (a.fact < b.fact ? -1 : a.fact > b.fact ? 1 : 0);

export function highlight(passages, start, end, fact) {
  const near = passages.filter((one) => one.fact === fact && one.start <= end && one.end >= start);
  const merged = { start: Math.min(start, ...near.map((one) => one.start)),
    end: Math.max(end, ...near.map((one) => one.end)), fact };
  return [...passages.filter((one) => !near.includes(one)), merged].sort(inOrder);
}

export function unhighlight(passages, start, end, fact) {
  const left = [];
  for (const one of passages) {
    if ((fact && one.fact !== fact) || one.end <= start || one.start >= end) { left.push(one); continue; }
    if (one.start < start) left.push({ ...one, end: start });
    if (one.end > end) left.push({ ...one, start: end });
  }
  return left.sort(inOrder);
}

/** Elements, and the rules by which INEX 2005 assessed their exhaustivity. */
export class ElementTree {
  constructor(elements) {
    this.elements = new Map(elements.map(([path, start, end]) => [path, { path, start, end }]));
    this.children = new Map();
    for (const path of this.elements.keys()) {
      const parent = path.slice(0, path.lastIndexOf("/"));
      if (!this.children.has(parent)) this.children.set(parent, []);
      this.children.get(parent).push(path);
    }
  }

  meets(path, passages) {
    const { start, end } = this.elements.get(path);
    return passages.some((one) => Math.max(one.start, start) < Math.min(one.end, end));
  }

  holds(path, passages) {
    const { start, end } = this.elements.get(path);
    return passages.some((one) => start <= one.start && one.end <= end);
  }

  meeting(passages) { return [...this.elements.keys()].filter((path) => this.meets(path, passages)); }

  kept(levels, passages) {
    return new Map([...levels].filter(([path, level]) =>
      this.meets(path, passages) && !(level === "?" && this.holds(path, passages))));
  }

  remaining(path, levels, passages) {
    return (this.children.get(path) ?? []).filter((child) => !levels.has(child) && this.meets(child, passages));
  }

  descendants(path) {
    return (this.children.get(path) ?? []).flatMap((child) => [child, ...this.descendants(child)]);
  }

  ancestors(path) {
    const above = [];
    for (let up = path.slice(0, path.lastIndexOf("/")); this.elements.has(up); up = up.slice(0, up.lastIndexOf("/"))) {
      above.push(up);
    }
    return above;
  }

  leaveTooSmall(levels, path, but = "") {
    for (const one of this.descendants(path)) {
      if (levels.get(one) === "?" && !(but && `${one}/`.startsWith(`${but}/`))) levels.delete(one);
    }
  }

  setLevel(levels, path, level, passages) {
    const before = levels.get(path);
    const lower = before !== undefined && LEVELS.indexOf(level) < LEVELS.indexOf(before);
    if (before === "?" && level !== "?") this.leaveTooSmall(levels, path);
    levels.set(path, level);
    for (const one of this.descendants(path)) {
      if (level === "?") {
        if (this.meets(one, passages)) levels.set(one, "?");
      } else if (lower && levels.has(one) && LEVELS.indexOf(levels.get(one)) > LEVELS.indexOf(level)) {
        levels.delete(one);
      }
    }
    if (lower) {
      for (const above of this.ancestors(path)) {
        if (levels.get(above) !== before || this.children.get(above).some((one) => levels.get(one) === before)) break;
        levels.delete(above);
      }
    }
    for (const above of this.ancestors(path)) {
      const there = levels.get(above) ?? "2";
      if (level === "2" || LEVELS.indexOf(there) < LEVELS.indexOf(level)) {
        if (levels.get(above) === "?") this.leaveTooSmall(levels, above, path);
        levels.delete(above);
        if (level === "2") levels.set(above, "2");
      }
    }
  }
}

const same = (a, b) => JSON.stringify([...a]) === JSON.stringify([...b]);

/** Strokes added up one by one. `apply` returns why a stroke is not allowed, or nothing. */
export class Fold {
  constructor(settings, entryPoint, elements) {
    this.settings = settings;
    this.entryPoint = entryPoint;
    this.tree = new ElementTree(elements);
    this.history = [EMPTY];
    this.at = 0;
    this.touched = this.done = false;
    this.seconds = 0;
  }

  get now() { return this.history[this.at]; }
  get canUndo() { return !this.done && this.at > 0; }
  get canRedo() { return !this.done && this.at + 1 < this.history.length; }

  get state() {
    if (this.done) return "done";
    if (!this.touched) return "new";
    return this.now.exhaustivity.size ? "assessing" : "highlighting";
  }

  apply(stroke) {
    const why = this.problem(stroke);
    if (why) return why;
    const { kind } = stroke;
    if (kind === "time") { this.seconds += Number(stroke.value); return ""; }
    this.touched = true;
    if (kind === "validate" || kind === "reopen") this.done = kind === "validate";
    else if (kind === "undo") this.at -= 1;
    else if (kind === "redo") this.at += 1;
    else {
      const changed = this.changed(stroke), now = this.now;
      const equal = Object.keys(now).every((key) => now[key] === changed[key] ||
        (key === "exhaustivity" && same(now[key], changed[key])) ||
        (key === "passages" && JSON.stringify(now[key]) === JSON.stringify(changed[key])));
      if (!equal) {
        this.history.length = this.at + 1;
        this.history.push(changed);
        this.at += 1;
      }
    }
    return "";
  }

  problem({ kind, value }) {
    if (kind === "time") return "";
    if (this.done && kind !== "reopen") return "The document is done; reopen it first.";
    if (kind === "reopen" && !this.done) return "The document is not done.";
    if (kind === "undo" && !this.at) return "Nothing to undo.";
    if (kind === "redo" && this.at + 1 === this.history.length) return "Nothing to redo.";
    if (kind === "validate") return this.unfinished();
    if (kind === "exhaustivity") {
      const level = value[0], path = value.slice(2);
      if (!this.tree.meets(path, this.now.passages)) return "This element has no highlighted text.";
      if (level === "?" && this.tree.holds(path, this.now.passages)) {
        return "This element contains a whole passage, so it is not too small.";
      }
    }
    return "";
  }

  /** What is missing before the document can be done. */
  unfinished() {
    const { passages, entry, grade, exhaustivity } = this.now;
    if (this.entryPoint && passages.length && entry === null) {
      return "Set the best entry point first: where should a reader begin? (E)";
    }
    if (this.entryPoint && entry !== null && !passages.length) {
      return "There is an entry point but nothing is highlighted; remove it or highlight text.";
    }
    if (this.settings.grades.length && grade === null) return "Choose a grade first.";
    if (this.settings.mode === "exhaustivity") {
      const missing = this.tree.meeting(passages).filter((path) => !exhaustivity.has(path)).length;
      if (missing) return `Choose the exhaustivity of ${missing} more element${missing > 1 ? "s" : ""} first.`;
    }
    return "";
  }

  changed({ kind, start, end, value }) {
    const now = this.now;
    if (kind === "highlight" || kind === "unhighlight") {
      const passages = (kind === "highlight" ? highlight : unhighlight)(now.passages, start, end, value ?? "");
      return { ...now, passages, exhaustivity: this.tree.kept(now.exhaustivity, passages) };
    }
    if (kind === "entry") return { ...now, entry: start };
    if (kind === "grade") return { ...now, grade: value === null ? null : Number(value) };
    if (kind === "note") return { ...now, note: value ?? "" };
    if (kind === "answer") return { ...now, noAnswer: value === "none" };
    const level = value[0], path = value.slice(2), levels = new Map(now.exhaustivity);
    const paths = kind === "exhaustivity" ? [path] : this.tree.remaining(path, now.exhaustivity, now.passages);
    for (const one of paths) {
      if (level !== "?" || !this.tree.holds(one, now.passages)) this.tree.setLevel(levels, one, level, now.passages);
    }
    return { ...now, exhaustivity: levels };
  }
}
