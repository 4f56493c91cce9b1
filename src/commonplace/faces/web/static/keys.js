// Keys, and the small comforts of the list. Every page also works without this file.

const typing = (target) => target.closest("input:not([type=checkbox]), textarea, select, dialog");
const help = document.getElementById("help");
let waitsForView = false;

function rows() {
  return [...document.querySelectorAll(".rows .row, [data-row]")];
}

function move(step) {
  const all = rows();
  const now = all.findIndex((row) => row.contains(document.activeElement));
  const next = all[Math.min(Math.max(now + step, 0), all.length - 1)];
  next?.querySelector("a, button")?.focus();
}

function press(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
  if (waitsForView) {
    waitsForView = false;
    const link = document.querySelector(`nav a[data-key="${CSS.escape(event.key)}"]`);
    if (link) { event.preventDefault(); link.click(); }
    return;
  }
  const row = document.activeElement?.closest(".row, [data-row]");
  const actions = {
    "?": () => help.showModal(),
    "/": () => document.querySelector("input[type=search]")?.focus(),
    j: () => move(1),
    k: () => move(-1),
    x: () => row?.querySelector("input[type=checkbox]")?.click(),
    e: () => document.getElementById("edit")?.click(),
    u: () => document.getElementById("undo")?.click(),
    g: () => { waitsForView = true; },
  };
  const settle = row?.querySelector(`[data-settle="${CSS.escape(event.key)}"]`);
  if (settle) { event.preventDefault(); settle.click(); return; }
  if (actions[event.key]) { event.preventDefault(); actions[event.key](); }
}

function count() {
  const boxes = [...document.querySelectorAll(".row input[name=id]")];
  const chosen = boxes.filter((box) => box.checked).length;
  const text = document.getElementById("chosen-count");
  if (text) text.textContent = chosen ? `${chosen} chosen` : "Chosen memories";
  document.querySelector(".bar")?.classList.toggle("active", chosen > 0);
}

document.addEventListener("keydown", press);
document.getElementById("help-button")?.addEventListener("click", () => help.showModal());
document.addEventListener("change", (event) => {
  if (event.target.id === "choose-all") {
    for (const box of document.querySelectorAll(".row input[name=id]")) box.checked = event.target.checked;
  }
  count();
});
// On a narrow screen the filters are closed at first; without this file they are open.
if (window.matchMedia("(max-width: 48rem)").matches) {
  for (const one of document.querySelectorAll("details.facets")) one.open = false;
}
count();
