/* Elements: how they are made, headings that sort a table, and the order in which they put it. */

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
const options = (select, names) =>
  select.replaceChildren(...names.map((label, i) => el("option", { value: i }, label)));

const hue = (s) => data.hues[theme()][s % data.hues[theme()].length];
const swatch = (s) => svg("svg", { class: "swatch", "aria-hidden": "true", "data-system": s }, svg("line", {
  x1: 0, x2: "100%", y1: "50%", y2: "50%", stroke: hue(s),
  "stroke-dasharray": data.dashes[s % data.dashes.length].join(" "),
}));
const named = (s) => el("span", { class: "name" }, swatch(s), bdi(systems[s]));

function heading(label, key, sort, click, more = {}) {
  const sorted = sort.by === key ? (sort.down ? "descending" : "ascending") : null;
  /* the click draws the table anew: the new button gets the focus that the old one had */
  const act = () => { click(key); $(sort.home).querySelector(`[data-sort="${key}"]`).focus(); };
  const button = el("button", { type: "button", "data-sort": key, click: act }, label);
  return el("th", { scope: "col", ...more, "aria-sort": sorted }, button);
}
const resort = (sort, key, down) => Object.assign(sort, sort.by === key ? { down: !sort.down } : { by: key, down });
/* Items by their key, those without a key last, whichever way they are ordered. */
const collator = new Intl.Collator("en", { numeric: true });
function inOrder(items, key, down) {
  const compare = (a, b) => (typeof a === "string" ? collator.compare(a, b) : a === b ? 0 : a - b);
  const keyed = items.map((item) => [key(item), item]), sign = down ? -1 : 1;
  keyed.sort(([a], [b]) => (a === null || b === null ? (a === null) - (b === null) : sign * compare(a, b)));
  return keyed.map(([, item]) => item);
}
