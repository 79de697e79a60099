/* What was seen: of each passage, picture or result page of a question the share, from its beginning, that came into
   view. Of a text that the page itself scrolled on, as its tab does, what was passed over does not count. */

import { ends, onShow, question } from "./show.js";

const shares = new WeakMap();
// Of a result page one share is told, whatever stands in it.
const parts = (asked) => [...asked.querySelectorAll(".passage, .frame")].filter((part) => !part.closest(".page .frame"));

// Of texts that were scrolled by the page: the stretches that came into view, as shares from and to.
const stretches = new WeakMap();

export function leapt(part) {
  lookAll();
  if (!stretches.has(part)) stretches.set(part, [[0, shares.get(part) ?? 0]]);
}

// How far down an element the reader has been: what its own scrolling, the window and the bar leave in view.
function look(part, bottom) {
  const box = part.getBoundingClientRect();
  const shown = Math.max(0, Math.min(box.bottom, bottom) - box.top);
  const height = ends(part);
  const share = Math.min(1, (part.scrollTop + shown) / height);
  const seen = stretches.has(part) ? joined(part, part.scrollTop / height, share) : share;
  shares.set(part, Math.max(shares.get(part) ?? 0, seen));
  // One that waits behind its tab has no height.
  if (part.matches(".side > .passage")) tell(part, !part.clientHeight || height > part.clientHeight + 1);
}

// The line over a text that goes on fills as it is read, on its side and on the tab that stands for it.
function tell(passage, goesOn) {
  const side = passage.parentElement;
  for (const one of [side, document.querySelector(`[aria-controls="${side.id}"]`)]) {
    if (goesOn) one?.style.setProperty("--read", `${Math.round(100 * shares.get(passage))}%`);
    else one?.style.removeProperty("--read");
  }
}

// All that was seen of it, with a stretch more.
function joined(part, from, to) {
  const apart = stretches.get(part).filter(([start, end]) => start > to || end < from);
  const met = stretches.get(part).filter((one) => !apart.includes(one));
  const whole = [Math.min(from, ...met.map(([start]) => start)), Math.max(to, ...met.map(([, end]) => end))];
  stretches.set(part, [...apart, whole]);
  return stretches.get(part).reduce((sum, [start, end]) => sum + end - start, 0);
}

function lookAll() {
  const asked = question();
  if (!asked || document.hidden) return;
  const bar = asked.querySelector(".bar")?.getBoundingClientRect().top ?? innerHeight;
  for (const part of parts(asked)) look(part, Math.min(innerHeight, bar));
}

// Percent for each, in the order of the page, with spaces between.
export function seen(asked) {
  lookAll();
  return parts(asked).map((part) => Math.round(100 * (shares.get(part) ?? 0))).join(" ");
}

// Seconds that each recording was played since they were last told, with spaces between: players.js counts them.
export function heard(asked) {
  const all = [...asked.querySelectorAll(".player")];
  for (const one of all) one.dispatchEvent(new Event("telling"));
  const told = all.map((one) => Number(one.dataset.heard ?? 0).toFixed(2)).join(" ");
  for (const one of all) delete one.dataset.heard;
  return told;
}

// Scrolling is told of many times in a frame; once is enough.
let waiting = false;
function soon() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    lookAll();
  });
}

document.addEventListener("scroll", soon, { capture: true, passive: true });
addEventListener("resize", soon);
// On a narrow window a key or a button turns to the other result page.
for (const event of ["keyup", "click"]) document.addEventListener(event, soon);
onShow(soon);
