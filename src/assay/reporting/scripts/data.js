/* The data of the page, what the reader has chosen, and how numbers are written.
   All data stands in elements of JSON, and reaches the page as text, never as markup. */

const $ = (id) => document.getElementById(id);
const block = (id) => JSON.parse($(id).textContent);
const data = block("data");
/* JSON has no infinity */
data.measures.forEach(({ infinite }, m) => {
  if (!infinite) return;
  for (const row of data.means) if (row[m] === "inf") row[m] = Infinity;
  for (const rows of data.values) rows[m] = rows[m].map((x) => (x === "inf" ? Infinity : x));
});
const { systems, measures, topics, labels } = data;
const CHARACTERS = data.unit === "characters";
/* The most values that are drawn as a point or a bar each. */
const POINTS = 4000;
/* The place of each text among the elements of the page, by the name of its document. */
const texts = new Map(data.texts?.map((name, number) => [name, number]));

/* What the reader has chosen: a measure, and the systems that are switched off; how tables are sorted; the topic that
   is open, and the system whose value is worked out in it; the cut-off at which is counted what was found, and the cause that topics are restricted to. Charts are
   stale that could not be seen when they had to be drawn anew. */
const state = {
  measure: 0,
  off: new Set(),
  summary: { by: "m0", down: true, home: "summary-table" },
  topics: { by: "mean", down: false, home: "topics-table" },
  topic: null,
  tab: null,
  cut: 0,
  only: null,
  stale: false,
};

/* Numbers, and how they are written. A system is always told by its number s, a measure by m, a topic by t. */
const range = (number) => Array.from({ length: number }, (_, i) => i);
const on = () => range(systems.length).filter((s) => !state.off.has(s));
const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
const many = (number) => number.toLocaleString("en");
const counted = (number, noun) => `${many(number)} ${noun}${number === 1 ? "" : "s"}`;
/* Four digits behind the point, as the command line prints them. Only odd multiples of 1/32 lie halfway between two of
   these: toFixed takes the one farther from 0, and the command line the even one. */
function digits(x) {
  const halfway = Math.abs(x * 32) % 2 === 1, evenBelow = Math.floor(Math.abs(x) * 1e4) % 2 === 0;
  return (halfway && evenBelow ? x - Math.sign(x) * 1e-6 : x).toFixed(4);
}
const value = (x, m = state.measure) =>
  (x === null ? "" : x === Infinity ? "inf" : measures[m].count && Number.isInteger(x) ? String(x) : digits(x));
const percent = (part, whole, digits = 0) => (whole ? `${((100 * part) / whole).toFixed(digits)}%` : "");
const theme = () => document.documentElement.dataset.theme;
