/* The tip: what is shown beside the pointer. */

function tip(event, rows) {
  const box = $("tip");
  box.hidden = !rows;
  if (!rows) return;
  box.replaceChildren(...rows.map(([name, text]) => el("div", {}, el("span", {}, name), el("span", {}, text))));
  const { width, height } = box.getBoundingClientRect();
  const right = event.clientX + 14 + width > innerWidth;
  const below = event.clientY + 14 + height > innerHeight;
  box.style.left = `${Math.max(4, right ? event.clientX - width - 10 : event.clientX + 14)}px`;
  box.style.top = `${Math.max(4, below ? event.clientY - height - 10 : event.clientY + 14)}px`;
}
const away = () => tip(null, null);
const tipOfChart = (handler, event, item, given) =>
  tip(event, given ? Object.entries(given).map(([name, text]) => [name, String(text)]) : null);
