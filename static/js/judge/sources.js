/* Sources that answers cite, and descriptions of recordings: C unfolds those of all sides, or folds them */

import { named } from "./named.js";
import { question } from "./show.js";

document.addEventListener("keydown", (event) => {
  if (named(event) !== "c" || event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
  if (document.querySelector("dialog[open]") || event.target.closest("input, textarea, select")) return;
  const folds = [...(question()?.querySelectorAll(".cited, .described") ?? [])];
  if (!folds.length) return;
  event.preventDefault();
  const open = folds.some((fold) => !fold.open);
  for (const fold of folds) fold.open = open;
});
