/* How far the test set can be trusted: what each check found, and the judgments that would be worth most next. */

const VERDICTS = { ok: "ok", look: "look", "not checked": "unchecked" };

function drawAudit() {
  const { about, findings, proposed, near } = data.audit;
  const row = ([check, verdict, sentence]) => el("tr", {},
    el("th", { scope: "row" }, check), el("td", { class: `verdict ${VERDICTS[verdict]}` }, verdict), el("td", {}, sentence));
  const next = ([topic, document, runs, rank, worth]) => el("tr", {},
    el("th", { scope: "row" }, el("a", { href: link({ topic }) }, bdi(topic))), el("td", {}, bdi(document)),
    number(many(runs)), number(many(rank)), number(worth.toFixed(2)));
  $("audit-list").replaceChildren(
    el("p", { class: "soft" }, about),
    el("div", { class: "wide" }, el("table", { class: "findings" },
      el("caption", { class: "unseen" }, "What each check found"),
      el("thead", {}, el("tr", {}, ["Check", "Verdict", "What was found"].map((name) => col(name)))),
      el("tbody", {}, findings.map(row)))),
    proposed.length ? el("h3", {}, "Judge these next") : "",
    proposed.length ? el("p", { class: "soft" },
      `Unjudged documents among the first ${near} results; documents that more systems rank higher come first.`) : "",
    proposed.length ? el("div", { class: "wide" }, el("table", {},
      el("caption", { class: "unseen" }, "Documents that are worth judging"),
      el("thead", {}, el("tr", {}, col("Topic"), col("Document"),
        ["Systems", "Best rank", "Worth"].map((name) => col(name, true)))),
      el("tbody", {}, proposed.map(next)))) : "");
}
