/* Sources that answers cite, shown by the number that cites them, and descriptions of recordings: C unfolds those of all sides, or folds them */

import { named } from "./named.js";
import { question } from "./show.js";

/** A colour that fades, under what has just come into view by a press. */
export const flash = (element) => element.animate({ backgroundColor: ["color-mix(in srgb, var(--tie) 45%, transparent)", "transparent"] }, 1200);

document.addEventListener("click", (event) => {
  const link = event.target.closest(".cite a");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const source = document.getElementById(link.hash.slice(1));
  source.closest("details").open = true;
  source.scrollIntoView({ block: "center" });
  flash(source);
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
