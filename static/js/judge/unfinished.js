/* Questions that are not finished: what was chosen, marked and typed in each is kept in this browser at every press
   (kept.js), and stands there again when the page is opened anew. */

import { keepUnfinished, unfinished } from "./kept.js";
import { asked, question } from "./show.js";

// Position -> what stands there; the one that was changed last is the last.
const kept = new Map(unfinished());

// The slider has no name: it follows its field.
const fields = (question) => question.querySelectorAll("form :is([type=radio], [type=checkbox], [type=number], [name=remark])[name]");
const changes = ({ dataset }, panel) => dataset.pending || "changed" in dataset || "changed" in (panel?.dataset ?? {});
const panelOf = (question) => question.querySelector("[data-details]");

/** Keep how far the question in view is; one that is answered, and not about to change, has nothing to keep. */
export function keep() {
  const now = question();
  if (!now) return;
  const { position, choice, pending, left, right, best, stage } = now.dataset;
  const panel = panelOf(now);
  kept.delete(position);
  if (!choice || changes(now, panel)) {
    const values = [...fields(now)].map(({ type, checked, value }) => (/radio|checkbox/.test(type) ? checked : value));
    kept.set(position, { values, choice, about: { pending, left, right, best, stage }, panel: { ...panel?.dataset } });
  }
  keepUnfinished([...kept]);
}

/** Put it back in its place, and return the question that was changed last. Each is told of it by an event "restored". */
export function restore() {
  for (const [position, { values, choice, about, panel }] of kept) {
    const one = asked(position);
    const all = one ? [...fields(one)] : [];
    // It may have been answered meanwhile, and organizers may have changed what is asked.
    if (one?.dataset.choice !== choice || all.length !== values.length) {
      kept.delete(position);
      continue;
    }
    for (const [n, field] of all.entries()) field[typeof values[n] === "boolean" ? "checked" : "value"] = values[n];
    Object.assign(one.dataset, about);
    Object.assign(panelOf(one)?.dataset ?? {}, panel);
    one.dispatchEvent(new Event("restored", { bubbles: true }));
  }
  return asked([...kept.keys()].at(-1));
}

// Before all others, some of which keep an event from those after them; what they do with it has happened then.
for (const name of ["keydown", "click", "input", "turn"]) addEventListener(name, () => setTimeout(keep), true);
// And before the page goes: what came last may not have been kept yet.
addEventListener("pagehide", keep);
document.addEventListener("visibilitychange", keep);
