// Rows of a table that change places move there in a breath, unless less motion is asked for.

const BREATH = 150; // ms, as --breath in tokens.css
const still = matchMedia("(prefers-reduced-motion: reduce)");

/** Make a change within a part, then let the rows of its tables that stand elsewhere move there. */
export function moveRows(part, change) {
  const before = tops(part);
  change();
  if (still.matches) return;
  for (const [name, [row, top]] of tops(part)) {
    const from = before.get(name)?.[1] ?? top;
    if (from !== top) row.animate([{ translate: `0 ${from - top}px` }, { translate: "none" }], { duration: BREATH, easing: "ease-out" });
  }
}

const tops = (part) =>
  new Map([...part.querySelectorAll("tbody tr[data-piece]")].map((row) => [row.dataset.piece, [row, row.offsetTop]]));
