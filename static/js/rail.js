// The rail of runs: found by name, folded away and remembered. Without this script it is whole, and its pins are links.

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
  find.querySelector("input").addEventListener("input", ({ target }) => {
    const words = target.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const run of rail.querySelectorAll("li"))
      run.hidden = !run.className && !words.every((word) => run.dataset.name.includes(word));
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
