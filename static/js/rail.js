// The rail of runs: found by name, folded away and remembered. Without this script it is whole, and its pins are links.
// The list of studies is narrowed by the same function.

const rail = document.querySelector(".rail");
const FOLDED = "rail-folded";

if (rail) {
  const narrow = matchMedia("(max-width: 60rem)").matches;
  if (narrow || remembered()) rail.open = false;
  rail.addEventListener("toggle", () => {
    if (!narrow) remember(!rail.open);
  });
  const find = rail.querySelector(".find");
  find.hidden = false;
  narrows(find.querySelector("input"), rail.querySelectorAll("li"));
}

// A list elsewhere is narrowed while one types too; its form does the same on Enter.
const finds = document.querySelector("form[data-finds]");
if (finds) narrows(finds.querySelector("[type=search]"), document.querySelectorAll(`${finds.dataset.finds} > li`));

function narrows(field, lines) {
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const line of lines) {
      line.hidden = !line.className && !words.every((word) => line.dataset.name.includes(word));
      const fold = line.closest("details:not(.rail)");
      if (fold && words.length && !line.hidden) fold.open = true;
    }
    for (const list of new Set([...lines].map((line) => line.parentElement))) {
      const title = list.previousElementSibling;
      if (title?.matches("h2")) title.hidden = !list.querySelector(":scope > li:not([hidden])");
    }
  });
}

// A browser may refuse storage: then nothing is remembered.
function remembered() {
  try {
    return localStorage.getItem(FOLDED) === "1";
  } catch {
    return false;
  }
}

function remember(folded) {
  try {
    localStorage.setItem(FOLDED, folded ? "1" : "");
  } catch {}
}
