/* Sources that answers cite, shown by the number that cites them, and descriptions of recordings: C unfolds those of all sides, or folds them */

import { named } from "./named.js";
import { question } from "./show.js";

document.addEventListener("click", (event) => {
  const link = event.target.closest(".cite a");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const source = document.getElementById(link.hash.slice(1));
  source.closest("details").open = true;
  source.scrollIntoView({ block: "nearest" });
});

document.addEventListener("keydown", (event) => {
  if (named(event) !== "c" || event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
  if (document.querySelector("dialog[open]") || event.target.closest("input, textarea, select")) return;
  const folds = [...(question()?.querySelectorAll(".cited, .described") ?? [])];
  if (!folds.length) return;
  event.preventDefault();
  const open = folds.some((fold) => !fold.open);
  for (const fold of folds) fold.open = open;
});
