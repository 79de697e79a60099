/* Both pictures of a pair in one frame: a curtain between them that the pointer, a finger or the arrows move, or one
   after the other. B opens it, and blinks; nothing here is an answer. */

import { named } from "./named.js";
import { complete } from "./pictures.js";
import { sentence } from "./sentences.js";
import { question, say } from "./show.js";

// How long each picture stands while they blink, in ms: slower than three changes a second.
const STANDS = 700;

const dialog = document.querySelector("#overlay");
const place = dialog?.querySelector(".both");
const curtain = dialog?.querySelector("input");
const names = { left: dialog?.querySelector(".names .left"), right: dialog?.querySelector(".names .right") };
const blink = dialog?.querySelector("[data-blink]");
let blinking = 0;

// The left picture is seen up to this per cent of the frame, the right one from there on: each under its name.
function draw(share) {
  curtain.value = share;
  place.style.setProperty("--curtain", `${share}%`);
  names.left.classList.toggle("away", curtain.value <= 0);
  names.right.classList.toggle("away", curtain.value >= 100);
}

function turn(on) {
  clearInterval(blinking);
  blinking = on ? setInterval(() => draw(curtain.value > 50 ? 0 : 100), STANDS) : 0;
  blink.setAttribute("aria-pressed", String(Boolean(on)));
  draw(on ? 100 : 50);
}

function open() {
  const asked = question();
  const pictures = [...(asked?.querySelectorAll(".side .frame img") ?? [])];
  if (pictures.length !== 2) return;
  if (!complete(asked)) {
    say(sentence("on their way"));
    return;
  }
  place.replaceChildren(...pictures.map(({ src, alt }) => Object.assign(new Image(), { src, alt })));
  // Between both shapes, where they differ.
  const shape = pictures.reduce((product, { naturalWidth, naturalHeight }) => (product * naturalWidth) / naturalHeight, 1);
  dialog.style.setProperty("--shape", Math.sqrt(shape) || 1);
  turn(false);
  dialog.showModal();
}

if (dialog) {
  document.addEventListener("keydown", (event) => {
    if (named(event) !== "b" || event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
    const shown = document.querySelector("dialog[open]");
    if (!shown) open();
    else if (shown === dialog) turn(!blinking);
  });
  document.addEventListener("click", ({ target }) => target.closest("[data-overlay]") && open());
  blink.addEventListener("click", () => turn(!blinking));
  curtain.addEventListener("input", () => {
    const share = curtain.value;
    turn(false);
    draw(share);
  });
  place.addEventListener("pointermove", ({ clientX }) => {
    if (blinking) return;
    const { left: from, width } = place.getBoundingClientRect();
    draw(Math.round(Math.min(1, Math.max(0, (clientX - from) / width)) * 100));
  });
  dialog.addEventListener("close", () => turn(false));
}
