/* A choice by drag: from the middle of a scale the finger or the pointer goes to a part, which fills, and lets go there.
   One that begins elsewhere is a swipe, and no answer; one that leaves the bar is taken back. */

// How much of the bar's width is its middle, and how far one may slip above or below it, in px.
const MIDDLE = 1 / 3;
const SLACK = 24;

let drag = null;

function begin({ clientX, button, isPrimary, target }) {
  const bar = target.closest(".scale");
  if (!bar || button || !isPrimary || !target.closest(".choice")) return;
  const { left, width } = bar.getBoundingClientRect();
  const middle = Math.abs(clientX - left - width / 2) <= (width * MIDDLE) / 2;
  if (middle) drag = { bar, from: target.closest(".choice"), under: null };
}

function move({ clientX, clientY }) {
  if (!drag) return;
  const { top, bottom } = drag.bar.getBoundingClientRect();
  const inside = clientY >= top - SLACK && clientY <= bottom + SLACK;
  const parts = [...drag.bar.querySelectorAll(".choice")];
  const over = parts.find((part) => part.getBoundingClientRect().right >= clientX && part.getBoundingClientRect().left <= clientX);
  turnTo(inside && over && over !== drag.from ? over : null);
}

function turnTo(part) {
  if (drag.under === part) return;
  drag.under?.removeAttribute("data-under");
  part?.setAttribute("data-under", "");
  drag.under = part;
}

function end(event) {
  if (!drag) return;
  move(event);
  const { under } = drag;
  turnTo(null);
  drag = null;
  if (event.type === "pointerup") under?.click();
}

document.addEventListener("pointerdown", begin);
document.addEventListener("pointermove", move);
document.addEventListener("pointerup", end);
document.addEventListener("pointercancel", end);
