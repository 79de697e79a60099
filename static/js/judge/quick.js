/* Answers in a run that come sooner than anybody can look: where the study does not ask about each (doubt.js), the page says
   so beside the next question, once in a batch. It asks nothing and holds up nothing. */

import { sentence } from "./sentences.js";

// Nobody looks at two things in so many seconds; once is a slip, or two that are easy to tell apart.
const QUICK = 1;
const RUN = 3;

const note = document.querySelector(".quick");
let run = 0;

/** An answer was given after so many seconds in view; the note goes with the next answer. */
export function tell(seconds) {
  if (!note) return;
  run = seconds < QUICK ? run + 1 : Math.min(run, 0);
  note.hidden = run !== RUN;
  if (note.hidden) return;
  note.textContent = sentence("quick", { number: RUN });
  run = Number.NEGATIVE_INFINITY;
}
