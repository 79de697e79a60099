/* Sentences that cite: while one is asked about, what it cites stands beside it, and it is marked in its answer */

import { leapt } from "./seen.js";
import { placeOf } from "./words.js";

const MARK = "claim";
let marked = null;

/** Mark what a row asks about, in view, and nothing else; a row of an aspect marks nothing. */
export function show(asked, row) {
  const claim = row?.dataset.cites ? row : null;
  if (claim === marked) return;
  marked = claim;
  CSS.highlights?.delete(MARK);
  if (!claim) return;
  cite(asked, claim);
  mark(asked, claim);
}

// What a row asks about: its words without their numbers, and all that these numbers cite.
function content(asked, { dataset }, words) {
  const listed = asked.querySelectorAll(`.side.${dataset.place} .cited li`);
  return JSON.stringify([words.replace(/\[[\d, ]+\]/g, ""), dataset.cites.split(" ").map((number) => listed[number - 1].textContent)]);
}

/** The rows that ask the same of the other answer: the same sentence, by the same sources. */
export function alike(asked, row) {
  if (!row.dataset.cites) return [];
  const of = (one) => content(asked, one, one.querySelector(".name").textContent);
  return [...asked.querySelectorAll(".claim")].filter((one) => one.dataset.place !== row.dataset.place && of(one) === of(row));
}

// From the list below its answer; where one side alone is in view, that of the claim comes.
function cite(asked, row) {
  asked.querySelector(`.switch.${row.dataset.place}[aria-selected="false"]`)?.click();
  const beside = row.querySelector(".beside");
  if (beside.childElementCount) return;
  const list = document.createElement("ol");
  const listed = asked.querySelectorAll(`.side.${row.dataset.place} .cited li`);
  for (const number of row.dataset.cites.split(" ")) {
    const one = listed[number - 1].cloneNode(true);
    one.value = number;
    one.tabIndex = 0;
    one.removeAttribute("id");
    list.append(one);
  }
  list.style.setProperty("--number", list.childElementCount);
  beside.append(list);
  beside.hidden = false;
}

function mark(asked, row) {
  const passage = asked.querySelector(`.side.${row.dataset.place} .passage`);
  const range = placeOf(passage.querySelector(".set"), row.querySelector(".name").textContent);
  if (!range) return;
  CSS.highlights?.set(MARK, new Highlight(range));
  const [sentence, box] = [range.getBoundingClientRect(), passage.getBoundingClientRect()];
  if (sentence.top >= box.top && sentence.bottom <= box.bottom) return;
  leapt(passage);
  passage.scrollTop += sentence.top - box.top - Math.max(0, box.height - sentence.height) / 2;
}
