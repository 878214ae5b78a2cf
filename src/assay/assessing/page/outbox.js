// Strokes on their way: kept in the browser until the server has them on disk.

/** Ask the server; an Error has the status and what the server says. */
export async function ask(path, body) {
  const options = body === undefined ? {} : {
    method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json", "x-assay": "1" },
  };
  const answer = await fetch(path, { credentials: "same-origin", ...options });
  const type = answer.headers.get("content-type") ?? "";
  const content = type.startsWith("application/json") ? await answer.json() : await answer.text();
  if (!answer.ok) throw Object.assign(new Error(content.error ?? answer.statusText), { status: answer.status });
  return content;
}

const done = (request) => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});
const finished = (transaction) => new Promise((resolve, reject) => {
  transaction.oncomplete = resolve;
  transaction.onerror = transaction.onabort = () => reject(transaction.error);
});

/** All strokes of someone in a study that the server has not acknowledged, in their order. */
export class Outbox {
  /** `onChange(waiting, problem)` says how many wait and why; `onRefused(assignment, why)` that the server refused one. */
  constructor(name, onChange, onRefused) {
    Object.assign(this, { name, onChange, onRefused });
    this.waiting = [];
    this.sending = null;
    this.delay = 500;
    this.problem = "";
    window.addEventListener("online", () => this.send());
    document.addEventListener("visibilitychange", () => this.send());
  }

  async open() {
    try {
      const request = indexedDB.open(this.name, 1);
      request.onupgradeneeded = () => request.result.createObjectStore("strokes", { keyPath: "stroke.id" });
      this.database = await done(request);
      const kept = await done(this.database.transaction("strokes").objectStore("strokes").getAll());
      this.waiting = kept.sort((a, b) => a.order - b.order);
    } catch {
      // a private window may have no database: then strokes wait in memory only
      this.database = null;
    }
    this.changed();
    await this.send();
  }

  /** Keep a stroke and send it; resolves when the browser has it. */
  async add(assignment, stroke) {
    const entry = { assignment, stroke, order: Date.now() + performance.now() / 1e6 };
    this.waiting.push(entry);
    this.changed();
    const kept = this.store((strokes) => strokes.put(entry));
    this.send();
    await kept;
  }

  of(assignment) { return this.waiting.filter((one) => one.assignment === assignment).map((one) => one.stroke); }

  async store(change) {
    if (!this.database) return;
    const transaction = this.database.transaction("strokes", "readwrite", { durability: "strict" });
    change(transaction.objectStore("strokes"));
    await finished(transaction);
  }

  changed() { this.onChange(this.waiting.length, this.problem); }

  /** Send what waits, one document after the other; try again later if that fails. */
  send() {
    this.sending ??= this.sendAll().finally(() => { this.sending = null; });
    return this.sending;
  }

  async sendAll() {
    clearTimeout(this.timer);
    let single = false;
    while (this.waiting.length) {
      const { assignment } = this.waiting[0];
      const next = this.waiting.findIndex((one) => one.assignment !== assignment);
      const batch = this.waiting.slice(0, single ? 1 : Math.min(next < 0 ? Infinity : next, 200));
      try {
        await ask(`/api/strokes/${assignment}`, { strokes: batch.map((one) => one.stroke) });
      } catch (error) {
        // too large is what several strokes are together: they are sent one by one
        const refused = [400, 404, 409].includes(error.status) || (error.status === 413 && batch.length > 1);
        if (!refused) {
          this.problem = error.status ? error.message : "The server cannot be reached.";
          this.changed();
          this.delay = Math.min(this.delay * 1.7, 15000);
          this.timer = setTimeout(() => this.send(), this.delay);
          return;
        }
        if (batch.length > 1) { single = true; continue; }
        await this.forget(batch);
        this.onRefused(assignment, error.message);
        continue;
      }
      single = false;
      this.delay = 500;
      this.problem = "";
      await this.forget(batch);
    }
    this.problem = "";
    this.changed();
  }

  async forget(batch) {
    this.waiting = this.waiting.filter((one) => !batch.includes(one));
    await this.store((strokes) => batch.forEach((one) => strokes.delete(one.stroke.id)));
    this.changed();
  }
}
