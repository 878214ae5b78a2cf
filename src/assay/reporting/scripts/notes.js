/* Notes: what was noticed and decided, which files were read, and by which versions. */

function drawNotes() {
  const list = (entries) => el("dl", {}, entries.map(([name, text]) => [el("dt", {}, name), el("dd", {}, text)]));
  const table = (caption, head, rows) => el("div", { class: "wide" }, el("table", {},
    el("caption", { class: "unseen" }, caption),
    el("thead", {}, el("tr", {}, head.map((name, i) => col(name, typeof rows[0]?.[i] === "number")))),
    el("tbody", {}, rows.map((row) => el("tr", {},
      row.map((cell) => (typeof cell === "number" ? number(many(cell)) : el("td", {}, cell))))))));
  const share = (part, whole) => el("span", { class: "number" }, percent(part, whole, 1));
  const coverage = data.coverage.map((of) =>
    [bdi(of.run), of.topics, of.results, share(of.judged, of.results), share(of.first_judged, of.first)]);
  const files = data.files.map(([role, name, path, hash]) => [role, bdi(name), path, el("code", {}, hash)]);
  const noticed = data.notes.length
    ? el("ul", {}, data.notes.map((note) => el("li", {}, note))) : el("p", {}, "No notes.");
  $("notes-list").replaceChildren(
    el("h3", {}, "Notes"), noticed,
    el("h3", {}, "Coverage"),
    el("p", {}, "How many results have a judgment for their topic. The shares pool the results of all topics, so topics with " +
      "more results weigh more. The last column counts only the first ten results of each topic."),
    table("Coverage", ["System", "Judged topics", "Results", "Judged, all results", "Judged, first 10 of each topic"],
      coverage),
    el("h3", {}, "Decisions"), list(data.rules),
    el("h3", {}, "Files"), table("Files", ["", "Name", "Read from", "SHA-256"], files),
    ...(data.command ? [el("h3", {}, "Command"), el("p", {}, el("code", {}, data.command)), el("p", {},
      "Files are named without their folders. To repeat it, run it in a folder that holds all files listed above.")] : []),
    el("h3", {}, "Versions"), list(data.versions));
}
