// The rail of runs: found by name; folded or unfolded as the reader left it. Its pins are links.
// The list of studies is narrowed by the same function.

const rail = document.querySelector(".rail");
const UNFOLDED = "rail-unfolded";

if (rail) {
  if (matchMedia("(max-width: 60rem)").matches) rail.open = false;
  else {
    rail.open = remembered() ?? (rail.open || matchMedia("(min-width: 100rem)").matches);
    rail.querySelector("summary").addEventListener("click", () => remember(!rail.open));
  }
  const find = rail.querySelector(".find");
  find.hidden = false;
  narrows(find.querySelector("input"), rail.querySelectorAll("li"));
}

// A list elsewhere is narrowed while one types too; its form does the same on Enter.
const finds = document.querySelector("form[data-finds]");
if (finds) narrows(finds.querySelector("[type=search]"), document.querySelectorAll(`${finds.dataset.finds} tbody > tr`));

function narrows(field, lines) {
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const line of lines) {
      line.hidden = !line.className && !words.every((word) => line.dataset.name.includes(word));
      const fold = line.closest("details:not(.rail)");
      if (fold && words.length && !line.hidden) fold.open = true;
    }
    for (const list of new Set([...lines].map((line) => line.parentElement))) {
      const table = list.closest("table");
      if (table) table.hidden = !list.querySelector(":scope > tr:not([hidden])");
    }
  });
}

// A browser may refuse storage: then nothing is remembered.
function remembered() {
  try {
    return { 0: false, 1: true }[localStorage.getItem(UNFOLDED)];
  } catch {}
}

function remember(unfolded) {
  try {
    localStorage.setItem(UNFOLDED, Number(unfolded));
  } catch {}
}
