// The organiser's page: progress, agreement, disagreements to decide, invitations.

import { ask } from "/page/outbox.js";
import { clock, fail, listTopics, make, say } from "/page/main.js";

const byId = (id) => document.getElementById(id);

function table(caption, heads, rows) {
  // a wide table scrolls by itself on a phone
  return make("div", { className: "scroll" }, make("table", {}, make("caption", {}, caption), make("thead", {}, make("tr", {}, ...heads.map((head) =>
    make("th", { scope: "col" }, head)))), make("tbody", {}, ...rows.map((cells) =>
    make("tr", {}, ...cells.map((cell) => make("td", {}, cell)))))));
}

export async function showOrganiser(page, { openTopic, openDocument }) {
  const { progress, disagreements, agreement } = await ask("/api/organise");
  const again = () => showOrganiser(page, { openTopic, openDocument });
  const back = () => { byId("organiser").hidden = true; byId("judge").hidden = false; };
  const button = (text, what) => make("button", { type: "button", onclick: () => Promise.resolve(what()).catch(fail) }, text);
  const people = progress.map((one) => [
    one.name, one.role, `${one.done} of ${one.documents}`, String(one.relevant), clock(one.seconds),
    one.revoked ? "revoked" : one.name === page.study.me.name ? "you" : one.role === "program" ? "" : button("Revoke", async () => {
      await ask("/api/revoke", { name: one.name });
      await again();
    }),
  ]);
  const decide = disagreements.map((one) => [
    one.topic, one.document, one.people.map((who) => `${who.name}: ${who.passages}${who.grade === null ? "" : `, grade ${who.grade}`}`).join("; "),
    one.f1.toFixed(2), one.decided ? "decided" : button("Decide", async () => {
      const { number } = await ask("/api/adjudicate", { topic: one.topic, document: one.document });
      page.study = await ask("/api/study");
      listTopics();
      back();
      await openTopic(one.topic, number);
    }),
  ]);
  const name = make("input", { id: "invited", required: true, maxLength: 100 });
  const role = make("select", { id: "role" }, make("option", {}, "assessor"), make("option", {}, "organiser"));
  const link = make("output", { id: "link" });
  const invite = make("form", { id: "invite" }, make("label", { htmlFor: "invited" }, "Invite "), name, " as ", role, " ",
    make("button", {}, "Make a link"), make("p", {}, link));
  invite.addEventListener("submit", (event) => {
    event.preventDefault();
    ask("/api/invite", { name: name.value, role: role.value }).then((made) => {
      link.textContent = `${made.link} (works once, for 14 days)`;
    }).catch(fail);
  });
  byId("organiser").replaceChildren(
    make("p", {}, ...(page.study.topics.length ? [button("Back to judging", back), " "] : []), make("a", { href: "/api/export", download: "judgments.jsonl" }, "Export the judgments"), " ",
    make("a", { href: "/api/export?names=1", download: "judgments.jsonl" }, "with names")),
    table("Progress", ["Name", "Role", "Done", "Relevant", "Time", ""], people), invite,
    ...(agreement.length ? [table("Agreement", agreement.map((one) => one.name), [agreement.map((one) => String(one.value))])] : []),
    decide.length ? table("Disagreements", ["Topic", "Document", "Passages", "F1", ""], decide)
      : make("p", { className: "quiet" }, "No disagreements among documents that several people have done."));
  byId("judge").hidden = true;
  byId("organiser").hidden = false;
  say("");
}
