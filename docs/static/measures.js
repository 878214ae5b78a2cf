// A box on the page of measures that hides those whose name or family does not match what is typed.
document.addEventListener("DOMContentLoaded", () => {
  const page = document.querySelector("section#measures");
  const families = [...(page?.querySelectorAll(":scope > section") ?? [])].filter((family) => family.querySelector("section"));
  // another page may have a section on measures
  if (!families.length) return;
  const box = Object.assign(document.createElement("input"), {
    type: "search", className: "measure-filter", placeholder: "Filter by name or family, for example ndcg or highlighted",
  });
  box.setAttribute("aria-label", "Filter measures by name or family");
  families[0].before(box);
  const title = (section) => section.querySelector("h2, h3").textContent.toLowerCase();
  box.addEventListener("input", () => {
    const asked = box.value.trim().toLowerCase();
    for (const family of families) {
      const whole = title(family).includes(asked);
      let some = whole;
      for (const measure of family.querySelectorAll(":scope > section")) {
        const also = [...measure.querySelectorAll("code")].some((code) => code.textContent.toLowerCase() === asked);
        const matches = whole || also || title(measure).includes(asked);
        measure.hidden = !matches;
        some ||= matches;
      }
      family.hidden = !some;
    }
  });
});
