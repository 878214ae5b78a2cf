// The page on which people judge: what it shows, and what keys, mouse and touch do.

import { ask, Outbox } from "/page/outbox.js";
import { showOrganiser } from "/page/organise.js";
import { Fold, newId } from "/page/strokes.js";
import { DocumentText, paint } from "/page/text.js";

const COLOURS = 5;
// what changes the judgment of a document
const CHANGES = ["highlight", "alternative", "unhighlight", "entry", "note"];
const byId = (id) => document.getElementById(id);

/** An element with properties and children; text is only ever text. */
export function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

export const clock = (seconds) => {
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min ${Math.round(seconds % 60)} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
};

const page = {
  study: null, topic: null, documents: [], evidence: [], question: null,
  // the open document: what the server says of it, its text, and what its strokes add up to
  current: null, text: null, fold: null, listed: new Map(),
  cursor: null, anchor: null, selected: null, fact: "", seconds: 0, lastAct: 0, showSystems: false, outbox: null,
};
const isQuestions = () => page.study.settings.mode === "questions";
const isGrades = () => page.study.settings.mode === "grades";

export function say(text) {
  byId("message").hidden = !text;
  byId("message").textContent = text;
}

const announce = (text) => { byId("live").textContent = text; };

// Strokes

/** Make a stroke: it counts at once, is kept in the browser, and goes to the server. */
function stroke(kind, { start = null, end = null, value = null } = {}) {
  if (!page.fold) return false;
  const made = { id: newId(), kind, start, end, value, client_at: Date.now() / 1000 };
  const why = page.fold.apply(made);
  if (why) { say(why); announce(why); return false; }
  say("");
  if (kind !== "time") spend();
  page.outbox.add(page.current.id, made);
  if (kind !== "time") show();
  return true;
}

/** Time spent on the document: what passes while the page is seen and someone acted in the last minute. */
function spend() {
  const seconds = Math.round(page.seconds * 10) / 10;
  page.seconds = 0;
  if (seconds > 0) stroke("time", { value: String(seconds) });
}

/** What an act is about: the selected text, or the unit under the cursor, in characters. */
function chosen() {
  const text = page.text;
  const span = page.selected ? text.snapped(page.selected, byId("snap").value) : page.cursor;
  if (!span) { say("Select some text first, or move the cursor with the arrow keys."); return null; }
  return { start: text.offsets.toPoints(span.start), end: text.offsets.toPoints(span.end) };
}

function highlight(alternative = "") {
  if (isGrades() || !page.fold) return;
  const span = chosen();
  if (!span) return;
  let value = null;
  if (isQuestions()) {
    const touched = page.fold.now.passages.find((one) => one.start < span.end && one.end > span.start);
    value = alternative || touched?.fact || newFact();
    page.fact = value;
  }
  if (stroke("highlight", { ...span, value })) {
    announce(`Highlighted${value ? `, fact ${value}` : ""}: ${excerpt(span, 120)}`);
    if (byId("no-answer").checked) { byId("no-answer").checked = false; setNoAnswer(); }
    // so that the entry point can be set there, and the cursor goes on from there
    page.cursor = inUnits(span);
    clearSelection();
    noteEvidence();
  }
}

function unhighlight(span = page.fold && chosen()) {
  if (span && stroke("unhighlight", span)) {
    announce(`No longer highlighted: ${excerpt(span, 120)}`);
    clearSelection();
    noteEvidence();
  }
}

function setEntry() {
  if (!page.study.entry_point || !page.fold) return;
  const span = page.selected || page.cursor ? chosen() : page.fold.now.passages[0];
  if (span && stroke("entry", { start: span.start })) announce(`Entry point: ${excerpt({ ...span, end: span.start + 60 })}`);
}

function newFact() {
  const used = page.evidence.map((one) => Number(one.fact) || 0);
  return String(Math.max(0, ...used) + 1);
}

/** In a study of questions: what is highlighted in all documents. */
function noteEvidence() {
  if (!isQuestions() || !page.current) return;
  const here = page.fold.now.passages.map((one) => ({
    ...one, assignment: page.current.id, document: page.current.document, text: excerpt(one, 300) }));
  page.evidence = [...page.evidence.filter((one) => one.assignment !== page.current.id), ...here];
  showMarks();
}

function excerpt({ start, end }, most = 90) {
  const { offsets, text } = page.text;
  const words = text.slice(offsets.toUnits(start), offsets.toUnits(Math.min(end, start + most))).replace(/\s+/g, " ").trim();
  return end - start > most ? `${words.replace(/ \S{1,20}$/, "")} …` : words;
}

function clearSelection() {
  const chosen = getSelection();
  if (page.text?.selection()) chosen.removeAllRanges();
  page.selected = page.anchor = null;
  showCursor();
}

async function validate() {
  if (page.fold?.done) { await openNext(); return; }
  if (stroke("validate")) {
    announce("Done.");
    await openNext();
  }
}

// What is shown

function show() {
  const { now, done } = page.fold;
  byId("undo").disabled = !page.fold.canUndo;
  byId("redo").disabled = !page.fold.canRedo;
  for (const id of CHANGES) byId(id).disabled = done;
  byId("validate").hidden = done;
  byId("reopen").hidden = !done;
  if (isQuestions()) byId("validate").hidden = byId("reopen").hidden = true;
  if (document.activeElement !== byId("note")) byId("note").value = now.note;
  for (const button of byId("grades").children) {
    button.setAttribute("aria-pressed", String(now.grade === Number(button.value)));
    button.disabled = done;
  }
  byId("doc").classList.toggle("done", done);
  showText();
  showMarks();
  showElements();
  const listed = page.documents.find((one) => one.id === page.current.id);
  if (listed) {
    Object.assign(listed, { state: page.fold.state, relevant: now.passages.length > 0 || now.grade > 0 });
    showDocument(listed);
    showProgress();
  }
  byId("time").textContent = `Time on this document: ${clock(page.fold.seconds + page.seconds)}`;
}

const inUnits = ({ start, end }) => ({ start: page.text.offsets.toUnits(start), end: page.text.offsets.toUnits(end) });

function showText() {
  const { passages, entry } = page.fold.now;
  for (let colour = 0; colour < COLOURS; colour += 1) {
    const mine = passages.filter((one) => (isQuestions() ? Number(one.fact) % COLOURS : 1) === colour);
    paint(page.text, `mark-${colour}`, mine.map(inUnits), 3);
  }
  byId("flag").hidden = entry === null;
  if (entry !== null && page.text.nodes.length) {
    const place = page.text.offsets.toUnits(entry);
    paint(page.text, "entry", [page.text.unitAt(place, "word") ?? { start: place, end: place + 1 }]
      .map((one) => ({ start: Math.max(one.start, place), end: Math.max(one.end, place + 1) }))
      .filter((one) => one.end <= page.text.text.length), 5);
    placeFlag();
  } else CSS.highlights.delete("entry");
}

/** The flag beside the line of the entry point. */
function placeFlag() {
  const { entry } = page.fold?.now ?? {};
  if (entry === null || entry === undefined || !page.text.nodes.length) return;
  const at = Math.min(page.text.offsets.toUnits(entry), page.text.text.length - 1);
  const box = page.text.liveRange(at, at + 1).getBoundingClientRect();
  byId("flag").style.top = `${box.top - byId("paper").getBoundingClientRect().top}px`;
}

/** Which questions have evidence, or are said to have none. */
function showAnswered() {
  page.topic.answered = page.evidence.length > 0 || byId("no-answer").checked;
  const { topics } = page.study;
  byId("progress").textContent = `${topics.filter((one) => one.answered).length} of ${topics.length} answered`;
  topics.forEach((topic, number) => { byId("topics").options[number].textContent = topicLabel(topic); });
}

const topicLabel = ({ name, title, answered }) => `${answered ? "✓ " : ""}${name}: ${title}`.slice(0, 90);

function showMarks() {
  if (isQuestions()) showAnswered();
  const list = byId("marks");
  const marks = isQuestions() ? page.evidence : (page.fold?.now.passages ?? []);
  byId("marks-title").textContent = isQuestions() ? `Evidence (${marks.length})` : `Highlighted (${marks.length})`;
  const items = [];
  const sorted = isQuestions() ? [...marks].sort((a, b) => Number(a.fact) - Number(b.fact)) : marks;
  for (const one of sorted) {
    const here = !isQuestions() || one.assignment === page.current?.id;
    const words = here ? excerpt(one) : one.text;
    const item = make("li", { className: isQuestions() ? `fact-${Number(one.fact) % COLOURS}` : "fact-1" });
    if (isQuestions()) {
      const chosen = page.fact === one.fact;
      const fact = make("button", { type: "button", className: "fact", title: "Use this fact for the next alternative",
        onclick: () => { page.fact = one.fact; showMarks(); } }, `fact ${one.fact}`);
      fact.setAttribute("aria-pressed", String(chosen));
      item.append(fact, make("span", { className: "quiet" }, one.document));
    }
    item.append(make("button", { type: "button", className: "jump", onclick: () => jump(one) }, words));
    if (here) {
      item.append(make("button", { type: "button", className: "remove", disabled: page.fold.done,
        ariaLabel: `Remove: ${words}`, onclick: () => unhighlight({ start: one.start, end: one.end, value: one.fact || null }) },
      "×"));
    }
    items.push(item);
  }
  const { entry } = page.fold?.now ?? { entry: null };
  if (!isQuestions() && entry !== null && page.text) {
    const words = excerpt({ start: entry, end: entry + 60 });
    items.push(make("li", { className: "entry" }, make("span", { className: "quiet" }, "Entry point "),
      make("button", { type: "button", className: "jump", onclick: () => jump({ start: entry, end: entry + 1 }) }, words),
      make("button", { type: "button", className: "remove", disabled: page.fold.done, ariaLabel: "Remove the entry point",
        onclick: () => stroke("entry") }, "×")));
  }
  if (!items.length) items.push(make("li", { className: "quiet" }, "Nothing yet."));
  list.replaceChildren(...items);
}

async function jump(one) {
  if (one.assignment !== undefined && one.assignment !== page.current?.id) await openDocument(one.assignment);
  const span = inUnits(one);
  page.cursor = span;
  scrollTo(span);
  showCursor();
  byId("doc").focus({ preventScroll: true });
}

function showElements() {
  if (page.study.settings.mode !== "exhaustivity") return;
  const { tree, now, done } = page.fold, items = [];
  for (const path of tree.meeting(now.passages)) {
    const level = now.exhaustivity.get(path), item = make("li", { title: path });
    const name = path.split("/").at(-1);
    item.style.paddingInlineStart = `${(path.split("/").length - 2) * 0.7}rem`;
    item.append(make("button", { type: "button", className: "jump", onclick: () => jump(tree.elements.get(path)) }, name));
    const group = make("span", { role: "group", className: "levels", ariaLabel: `Exhaustivity of ${path}` });
    for (const value of ["?", "1", "2"]) {
      const small = value === "?" && tree.holds(path, now.passages);
      const button = make("button", { type: "button", disabled: done || small, title: { "?": "too small", 1: "partly exhaustive",
        2: "highly exhaustive" }[value], onclick: () => stroke("exhaustivity", { value: `${value} ${path}` }) }, value);
      button.setAttribute("aria-pressed", String(level === value));
      group.append(button);
    }
    item.append(group);
    if (!done && tree.remaining(path, now.exhaustivity, now.passages).length) {
      const rest = make("span", { className: "rest quiet" }, "children left: ");
      for (const value of ["?", "1", "2"]) {
        rest.append(make("button", { type: "button", onclick: () => stroke("remaining", { value: `${value} ${path}` }) }, `all ${value}`));
      }
      item.append(rest);
    }
    items.push(item);
  }
  byId("elements").replaceChildren(...items);
}

const STATES = { new: "to do", highlighting: "begun", assessing: "begun", done: "done" };

/** The list of documents; `showDocument` changes one of them, as there may be thousands. */
function showDocuments() {
  const opened = isQuestions() && !page.documents.some((one) => one.in_pool);
  byId("documents-title").textContent = opened ? "Documents opened" : "Documents";
  page.listed = new Map(page.documents.map((one) => [one.id, make("button", { type: "button",
    onclick: () => openDocument(one.id).catch(listAgain) },
  make("span", { className: "label" }, one.document), make("span", { className: "quiet" }))]));
  byId("documents").replaceChildren(...[...page.listed.values()].map((button) => make("li", {}, button)));
  page.documents.forEach(showDocument);
  showProgress();
}

function showDocument(one) {
  const button = page.listed.get(one.id), state = isQuestions() ? "" : STATES[one.state];
  button.className = `document ${one.state}`;
  button.lastChild.textContent =
    `${state}${one.relevant ? " · relevant" : ""}${one.in_pool || isQuestions() ? "" : " · outside the pool"}`;
  if (one.id === page.current?.id) button.setAttribute("aria-current", "true"); else button.removeAttribute("aria-current");
}

function showProgress() {
  if (isQuestions()) return;
  const finished = page.documents.filter((one) => one.state === "done").length;
  byId("progress").textContent = `${finished} of ${page.documents.length} done`;
}

/** Someone else may have got the document while this page was open. */
async function listAgain(error) {
  if (error.status !== 404) { fail(error); return; }
  await openTopic(page.topic.name).then(() => say("The documents were shared out again; the list is now up to date."), fail);
}

function showTopic() {
  const { title, description, narrative, name } = page.topic;
  const parts = [make("h2", {}, title || name)];
  for (const [label, text] of [["Description", description], ["Narrative", narrative]]) {
    if (text) parts.push(make("h3", {}, label), make("p", {}, text));
  }
  byId("topic").replaceChildren(...parts);
}

// The cursor

function showCursor() {
  const { text, cursor } = page;
  if (!text) return;
  const span = page.anchor && cursor ? { start: Math.min(page.anchor.start, cursor.start), end: Math.max(page.anchor.end, cursor.end) } : cursor;
  paint(text, "cursor", span && !text.selection() ? [span] : [], 2);
}

function scrollTo(span) {
  const place = page.text.range(span.start, span.end).startContainer.parentElement;
  const box = page.text.liveRange(span.start, span.end).getBoundingClientRect();
  const seen = box.height && box.top > 110 && box.bottom < innerHeight - 80;
  if (seen) return;
  if (!box.height) place.scrollIntoView({ block: "center" });
  const now = page.text.liveRange(span.start, span.end).getBoundingClientRect();
  scrollBy({ top: now.top - innerHeight / 2 });
}

/** Move the cursor by a unit; with `extend` what it passes is selected. */
function move(direction, granularity, extend) {
  const { text } = page;
  if (!text || !text.nodes.length) return;
  const from = page.cursor;
  let to;
  if (!from) to = text.unitAt(0, granularity);
  else if (direction > 0) {
    to = text.unitAt(from.end, granularity);
    if (to && to.start < from.end && to.end <= from.end) to = null;
  } else to = text.unitBefore(from.start, granularity);
  if (!to) return;
  if (extend) page.anchor ??= from ?? to; else page.anchor = null;
  page.cursor = to;
  getSelection().removeAllRanges();
  page.selected = page.anchor
    ? { start: Math.min(page.anchor.start, to.start), end: Math.max(page.anchor.end, to.end) } : null;
  showCursor();
  scrollTo(to);
  announce(text.text.slice(to.start, to.end));
}

document.addEventListener("selectionchange", () => {
  if (!page.text || page.anchor) return;
  page.selected = page.text.selection();
  if (page.selected) CSS.highlights.delete("cursor");
});

/** The place in the text under a point of the window; null if there is none. */
function placeUnder(x, y) {
  if (document.caretPositionFromPoint) {
    const at = document.caretPositionFromPoint(x, y);
    return at && page.text.placeOf(at.offsetNode, at.offset);
  }
  const range = document.caretRangeFromPoint?.(x, y);
  return range ? page.text.placeOf(range.startContainer, range.startOffset) : null;
}

byId("doc").addEventListener("pointerup", (event) => {
  page.anchor = null;
  if (!page.fold || !page.text.nodes.length) return;
  // a selection by mouse is known only after this event
  setTimeout(() => {
    page.selected = page.text.selection();
    if (page.selected) return;
    const place = placeUnder(event.clientX, event.clientY);
    if (place === null) return;
    const points = page.text.offsets.toPoints(place);
    const mark = page.fold.now.passages.find((one) => one.start <= points && points < one.end);
    page.cursor = mark ? inUnits(mark) : page.text.unitAt(place, "sentence");
    showCursor();
  });
});

// Aids

function colourWords() {
  if (!page.text) return;
  const words = byId("words").value.split(/[\s,;]+/u).filter(Boolean).slice(0, 40);
  for (let colour = 0; colour < COLOURS; colour += 1) {
    const mine = words.filter((_, number) => number % COLOURS === colour);
    const spans = [];
    for (const word of mine) {
      const pattern = word.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", "[\\p{L}\\p{N}\\p{M}]*");
      const found = page.text.text.matchAll(new RegExp(`(?<![\\p{L}\\p{N}])${pattern}(?![\\p{L}\\p{N}])`, "giu"));
      for (const match of found) {
        if (match[0] && spans.length < 5000) spans.push({ start: match.index, end: match.index + match[0].length });
      }
    }
    paint(page.text, `word-${colour}`, spans, 1);
  }
  if (page.topic) localStorage.setItem(`words ${page.study.id} ${page.topic.name}`, byId("words").value);
}

function showSupport() {
  const rows = page.current?.support ?? [];
  byId("systems").setAttribute("aria-pressed", String(page.showSystems));
  byId("systems").hidden = !rows.length;
  const spans = rows.filter((row) => row.start !== null && row.end !== null);
  if (page.text) paint(page.text, "support", page.showSystems ? spans.map(inUnits) : [], 0);
  byId("support").replaceChildren(...(page.showSystems ? rows : []).map((row) => make("li", {},
    `${row.run}, rank ${row.rank}: `, row.start === null ? "the whole document"
      : make("button", { type: "button", className: "jump", onclick: () => jump(row) }, excerpt(row)))));
}

const otherColour = (number) => (number + 3) % COLOURS;

function showOthers() {
  const others = page.current?.others ?? [];
  byId("others-box").hidden = !others.length;
  byId("others").replaceChildren(...others.flatMap((other, number) => [
    make("li", { className: `fact-${otherColour(number)}` }, make("strong", {}, other.name),
      ` ${other.grade === null ? "" : `grade ${other.grade} `}${other.note}`),
    ...other.passages.map(([start, end]) => make("li", { className: `fact-${otherColour(number)}` },
      make("button", { type: "button", className: "jump", onclick: () => jump({ start, end }) }, excerpt({ start, end })),
      make("button", { type: "button", title: "Take over", onclick: () => stroke("highlight", { start, end }) }, "take"))),
  ]));
  others.forEach((other, number) => paint(page.text, `other-${otherColour(number)}`,
    other.passages.map(([start, end]) => inUnits({ start, end })), 0));
}

/** What a program of the organiser's suggests: nothing counts before it is taken. */
function showSuggestions() {
  const spans = page.current?.suggestions ?? [], problem = page.current?.suggestion_problem;
  byId("suggested-box").hidden = !spans.length && !problem;
  paint(page.text, "suggested", spans.map(([start, end]) => inUnits({ start, end })), 0);
  byId("suggested").replaceChildren(...(problem ? [make("li", { className: "quiet" }, problem)] : []),
    ...spans.map(([start, end]) => make("li", {},
      make("button", { type: "button", className: "jump", onclick: () => jump({ start, end }) }, excerpt({ start, end })),
      make("button", { type: "button", ariaLabel: `Take: ${excerpt({ start, end })}`, onclick: () => take(start, end) }, "take"))));
}

function take(start, end) {
  page.selected = page.anchor = null;
  page.cursor = inUnits({ start, end });
  highlight();
}

// Opening

function clearHighlights() { CSS.highlights.clear(); }

export async function openDocument(number, place = null) {
  if (page.current) spend();
  const [current, content] = await Promise.all([ask(`/api/document/${number}`), ask(`/api/text/${number}`)]);
  clearHighlights();
  page.selected = page.anchor = page.cursor = null;
  page.text = new DocumentText(byId("doc"), content);
  const before = page.current?.id;
  page.current = current;
  page.fold = null;
  if (!page.documents.some((one) => one.id === current.id)) {
    page.documents.push(current);
    showDocuments();
  }
  for (const one of page.documents) if (one.id === before || one.id === current.id) showDocument(one);
  byId("name").textContent = current.document;
  if (page.text.hash() !== current.sha256) {
    say("This browser shows a different text from the one in the study, so you cannot judge it here. Please tell the organiser.");
    showMarks();
    return;
  }
  const fold = new Fold(page.study.settings, page.study.entry_point, current.elements);
  const known = new Set(current.strokes.map(([id]) => id));
  for (const [id, kind, start, end, value] of current.strokes) fold.apply({ id, kind, start, end, value });
  for (const waiting of page.outbox.of(current.id)) if (!known.has(waiting.id)) fold.apply(waiting);
  page.fold = fold;
  page.seconds = 0;
  // a document that was opened stays with whoever opened it
  if (!current.strokes.length) stroke("time", { value: "0" });
  byId("words").value = localStorage.getItem(`words ${page.study.id} ${page.topic.name}`) ?? "";
  say("");
  show();
  noteEvidence();
  colourWords();
  showSupport();
  showOthers();
  showSuggestions();
  if (place !== null) await jump({ start: place, end: Math.min(place + 1, current.length), assignment: current.id });
  else window.scrollTo(0, 0);
  history.replaceState(null, "", `/#${number}`);
}

async function openNext() {
  if (isQuestions()) {
    const { topics } = page.study, at = topics.findIndex((one) => one.name === page.topic.name);
    await openTopic(topics[(at + 1) % topics.length].name);
    return;
  }
  await page.outbox.send();
  const left = page.fold && !page.fold.done ? `&after=${page.current.id}` : "";
  const { next } = await ask(`/api/next?topic=${encodeURIComponent(page.topic.name)}${left}`);
  if (next !== null) { await openDocument(next); byId("doc").focus({ preventScroll: true }); return; }
  const topics = page.study.topics, at = topics.findIndex((one) => one.name === page.topic.name);
  for (const topic of [...topics.slice(at + 1), ...topics.slice(0, at)]) {
    const found = await ask(`/api/next?topic=${encodeURIComponent(topic.name)}`);
    if (found.next !== null) { await openTopic(topic.name); return; }
  }
  const end = left ? "This is the last document to judge." : "All documents are done. Thank you!";
  announce(end);
  say(end);
}

async function openTopic(name, number = null) {
  page.topic = page.study.topics.find((one) => one.name === name);
  byId("topics").value = name;
  showTopic();
  const found = await ask(`/api/topic?topic=${encodeURIComponent(name)}`);
  page.documents = found.documents;
  page.evidence = found.evidence ?? [];
  page.question = found.question ?? null;
  page.fact = "";
  byId("no-answer").checked = found.no_answer ?? false;
  showDocuments();
  byId("hits").replaceChildren();
  byId("hits-note").textContent = "";
  if (isQuestions()) {
    closeDocument();
    showMarks();
    if (number === null) byId("query").focus();
  }
  if (number !== null) await openDocument(number);
  else if (!isQuestions()) {
    const { next } = await ask(`/api/next?topic=${encodeURIComponent(name)}`);
    if (next !== null || page.documents.length) await openDocument(next ?? page.documents[0].id);
  }
}

function closeDocument() {
  if (page.current) spend();
  page.current = page.text = page.fold = null;
  clearHighlights();
  byId("doc").replaceChildren();
  byId("name").textContent = "Search the documents, and open a passage";
  byId("flag").hidden = true;
  for (const id of [...CHANGES, "undo", "redo"]) byId(id).disabled = true;
}

// Search

/** Search the documents; in a study with a pool an id opens its document. */
async function search(event) {
  event.preventDefault();
  const query = byId("query").value.trim();
  if (!query) return;
  const note = byId("hits-note");
  note.textContent = "Searching …";
  byId("hits").replaceChildren();
  const ended = (error) => { note.textContent = ""; throw error; };
  const { document: named, hits, some } = await ask(
    `/api/search?q=${encodeURIComponent(query)}${isQuestions() ? "" : "&id=1"}`).catch(ended);
  if (named !== null) {
    const { number } = await ask("/api/open", { topic: page.topic.name, document: named }).catch(ended);
    await openDocument(number);
    note.textContent = `Opened ${page.current.document}${page.current.in_pool ? "" : ", outside the pool"}.`;
    byId("doc").focus({ preventScroll: true });
    return;
  }
  note.textContent = !hits.length ? "Nothing found."
    : some ? "No passage has all these words; these have some." : `${hits.length} passage${hits.length > 1 ? "s" : ""}, best first (${page.study.ranking}).`;
  byId("hits").replaceChildren(...hits.map((hit) => make("li", {}, make("button", { type: "button", className: "hit",
    onclick: () => openHit(hit).catch(fail) }, make("span", { className: "label" }, hit.document),
  make("span", {}, ...around(hit.pieces).map(([text, found]) => (found ? make("b", {}, text) : text)))))));
}

/** The first match of a hit with its surroundings. */
function around(pieces) {
  const first = pieces.findIndex(([, found]) => found);
  if (first > 0 && pieces[first - 1][0].length > 80) {
    pieces = [[`… ${pieces[first - 1][0].slice(-80)}`, false], ...pieces.slice(first)];
  }
  let left = 320;
  return pieces.map(([text, found]) => {
    const shown = text.slice(0, Math.max(left, 0));
    left -= text.length;
    return [shown.replace(/\s+/g, " "), found];
  });
}

async function openHit(hit) {
  const { number } = await ask("/api/open", { topic: page.topic.name, document: hit.document });
  const first = hit.pieces.findIndex(([, found]) => found);
  const before = hit.pieces.slice(0, Math.max(first, 0)).reduce((sum, [text]) => sum + [...text].length, 0);
  if (number === page.current?.id) await jump({ start: hit.start + before, end: hit.start + before + 1 });
  else await openDocument(number, hit.start + before);
  const place = page.text.offsets.toUnits(hit.start + before);
  page.cursor = page.text.unitAt(place, "sentence");
  showCursor();
}

function setNoAnswer() {
  if (byId("no-answer").checked && page.evidence.length) {
    byId("no-answer").checked = false;
    say("This question has evidence; erase that first.");
    return;
  }
  const value = byId("no-answer").checked ? "none" : null;
  page.outbox.add(page.question, { id: newId(), kind: "answer", start: null, end: null, value, client_at: Date.now() / 1000 });
  showAnswered();
}

// Keys

const KEYS = [
  ["→ ←", "next, previous sentence (with Ctrl or Alt: word)"], ["Shift + → ←", "select what the cursor passes"],
  ["H or Enter", "highlight"], ["U or Delete", "erase"], ["E", "set the best entry point here"],
  ["A", "highlight as an alternative of the chosen fact"], ["1 … 9", "alternative of that fact; or grade of the document"],
  ["Z, Y", "undo, redo"], ["V", "done, open the next document"], ["R", "reopen"], ["N", "next document to judge, or next question"],
  ["/", "search; or words to colour"], ["F", "find a document, also outside the pool"], ["S", "show what systems returned"], ["T", "note"], ["D", "back to the document"],
  ["?", "this list"],
];

function act(event) {
  const target = event.target;
  const typing = target.matches("input:not([type=checkbox]), textarea, select") || byId("keys").open;
  if (event.key === "Escape" && typing && !byId("keys").open) { byId("doc").focus(); return; }
  if (typing || !page.study || !byId("organiser").hidden) return;
  const control = event.ctrlKey || event.metaKey;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const inDocument = byId("doc").contains(target) || target === document.body;
  if (control && !["z", "y", "ArrowRight", "ArrowLeft"].includes(key)) return;
  let acted = true;
  const word = control || event.altKey ? "word" : "sentence";
  if (inDocument && (key === "ArrowRight" || key === "ArrowLeft")) move(key === "ArrowRight" ? 1 : -1, word, event.shiftKey);
  else if (key === "h" || (inDocument && key === "Enter")) highlight();
  else if (key === "a" && isQuestions()) highlight(page.fact);
  else if (key === "u" || (inDocument && (key === "Delete" || key === "Backspace"))) unhighlight();
  else if (key === "e") setEntry();
  else if (key === "z" && !event.shiftKey) undo();
  else if (key === "y" || key === "z") redo();
  else if (key === "v" && !isQuestions()) validate();
  else if (key === "r") { if (stroke("reopen")) announce("Reopened."); }
  else if (key === "n") openNext().catch(fail);
  else if (key === "s") toggleSystems();
  else if (key === "t") byId("note").focus();
  else if (key === "d") byId("doc").focus();
  else if (key === "/") { byId("aids").open = true; byId(isQuestions() ? "query" : "words").focus(); }
  else if (key === "f") byId("query").focus();
  else if (key === "?") byId("keys").showModal();
  else if (/^[1-9]$/.test(key) && isQuestions()) {
    if (page.evidence.some((one) => one.fact === key)) highlight(key); else say(`There is no fact ${key} yet; press H for a new one.`);
  }
  else if (/^[0-9]$/.test(key) && page.study.settings.grades.includes(Number(key))) setGrade(key);
  else acted = false;
  if (acted) event.preventDefault();
}

function organise() {
  spend();
  return showOrganiser(page, { openTopic, openDocument });
}

const undo = () => { if (stroke("undo")) { announce("Undone."); noteEvidence(); } };
const redo = () => { if (stroke("redo")) { announce("Redone."); noteEvidence(); } };
const setGrade = (value) => { if (stroke("grade", { value })) announce(`Grade ${value}.`); };

function toggleSystems() {
  page.showSystems = !page.showSystems;
  if (page.showSystems) byId("aids").open = true;
  showSupport();
}

export function fail(error) {
  say(error.status === 401 ? `${error.message}.` : error.status ? error.message : "The server cannot be reached; what you did is kept here.");
}

// The start

function showConnection(waiting, problem) {
  const text = problem ? `${waiting} change${waiting > 1 ? "s" : ""} not saved yet: ${problem} Trying again …` : waiting ? "Saving …" : "Saved";
  byId("connection").textContent = byId("connection").title = text;
  byId("connection").classList.toggle("bad", Boolean(problem));
  document.documentElement.dataset.waiting = String(waiting);
}

async function refused(assignment, why) {
  say(`The server refused a change: ${why}`);
  if (page.current?.id === assignment) await openDocument(assignment).then(() => say(`The server refused a change: ${why}`), listAgain);
}

function listen() {
  const on = (id, what) => byId(id).addEventListener("click", () => Promise.resolve(what()).catch(fail));
  on("highlight", () => highlight());
  on("alternative", () => highlight(page.fact));
  on("unhighlight", () => unhighlight());
  on("entry", setEntry);
  on("extend", () => move(1, "sentence", true));
  on("undo", undo);
  on("redo", redo);
  on("validate", validate);
  on("reopen", () => stroke("reopen"));
  on("next", openNext);
  on("systems", toggleSystems);
  on("help", () => byId("keys").showModal());
  on("organise", organise);
  // a button takes neither the selection nor the place in the text away
  byId("bar").addEventListener("pointerdown", (event) => { if (event.target.closest("button")) event.preventDefault(); });
  byId("note").addEventListener("change", () => stroke("note", { value: byId("note").value }));
  byId("words").addEventListener("input", colourWords);
  byId("topics").addEventListener("change", () => openTopic(byId("topics").value).catch(fail));
  byId("search").addEventListener("submit", (event) => search(event).catch(fail));
  byId("no-answer").addEventListener("change", setNoAnswer);
  document.addEventListener("keydown", act);
  for (const kind of ["keydown", "pointerdown", "scroll"]) {
    addEventListener(kind, () => { page.lastAct = Date.now(); }, { passive: true, capture: true });
  }
  addEventListener("resize", () => page.text && placeFlag());
  addEventListener("pagehide", spend);
  let ticks = 0;
  setInterval(() => {
    if (document.hidden || !page.current || Date.now() - page.lastAct > 60000) return;
    page.seconds += 1;
    ticks += 1;
    if (ticks % 60 === 0) spend();
    if (page.fold) byId("time").textContent = `Time on this document: ${clock(page.fold.seconds + page.seconds)}`;
  }, 1000);
}

export function listTopics() {
  byId("topics").parentElement.hidden = !page.study.topics.length;
  byId("topics").replaceChildren(...page.study.topics.map((topic) => make("option", { value: topic.name }, topicLabel(topic))));
}

async function start() {
  if (!globalThis.Highlight || !CSS.highlights || !Intl.Segmenter) {
    say("This browser cannot mark text without changing it. Please use a current Chrome, Edge, Firefox or Safari.");
    return;
  }
  page.study = await ask("/api/study");
  const { settings, me, topics } = page.study;
  byId("topics-label").textContent = isQuestions() ? "Question" : "Topic";
  listTopics();
  byId("organise").hidden = me.role !== "organiser";
  byId("alternative").hidden = byId("answering").hidden = !isQuestions();
  if (!isQuestions()) {
    byId("query-label").textContent = "Open a document outside the pool";
    byId("query").placeholder = 'id, words, "phrases"';
    byId("query").setAttribute("aria-keyshortcuts", "F");
    byId("list").after(byId("find"));
  }
  byId("time").hidden = isQuestions();
  byId("next").firstChild.data = isQuestions() ? "Next question " : "Next to judge ";
  byId("entry").hidden = !page.study.entry_point;
  byId("marking").hidden = isGrades();
  for (const id of ["highlight", "unhighlight"]) byId(id).hidden = isGrades();
  byId("exhaustivity").hidden = settings.mode !== "exhaustivity";
  byId("grading").hidden = !settings.grades.length;
  byId("grades").replaceChildren(...settings.grades.map((grade) =>
    make("button", { type: "button", value: String(grade), onclick: () => setGrade(String(grade)) }, String(grade))));
  byId("keys-list").replaceChildren(...KEYS.flatMap(([keys, what]) => [make("dt", {}, keys), make("dd", {}, what)]));
  listen();
  // people who share a browser do not send each other's strokes
  page.outbox = new Outbox(`assay-${page.study.id}-${me.name}`, showConnection, refused);
  await page.outbox.open();
  if (!topics.length) {
    byId("judge").hidden = true;
    if (me.role === "organiser") await organise(); else say("Nothing to judge yet: ask the organiser.");
    return;
  }
  const wanted = Number(location.hash.slice(1));
  const known = wanted ? await ask(`/api/document/${wanted}`).catch(() => null) : null;
  await openTopic(known?.topic ?? topics.find((one) => one.done < one.documents)?.name ?? topics[0].name, known ? wanted : null);
}

start().catch(fail).finally(() => { document.documentElement.dataset.ready = "true"; });
// for tests: what the page holds
globalThis.assayPage = page;
