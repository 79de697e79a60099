/* Pictures that move: each shows its first frame until somebody plays them, all from the beginning and in step.
   Nothing moves by itself. An answer is taken once what moves was played. */

import { named } from "./named.js";
import { refresh } from "./pictures.js";
import { sentence } from "./sentences.js";
import { question, say } from "./show.js";

// Picture -> the address of its first frame; null while it is not known to move.
const stills = new WeakMap();
const looked = new WeakSet();
// The addresses under which what plays now is kept.
let played = [];

const pictures = (asked) => [...asked.querySelectorAll("img[data-may-move]")];
const moving = (asked) => pictures(asked).filter((picture) => stills.get(picture));
const control = (asked) => asked.querySelector(".play");

// The server says of a picture that it moves in a header, which the browser keeps with the picture.
async function look(picture) {
  if (looked.has(picture) || !picture.naturalWidth) return;
  looked.add(picture);
  const reply = await fetch(picture.src, { cache: "force-cache", credentials: "omit" }).catch(() => null);
  reply?.body?.cancel();
  if (!reply?.headers.get("X-Moves")) return;
  stills.set(picture, picture.src);
  const asked = picture.closest("[data-position]");
  control(asked).hidden = false;
  hold(asked);
}

// An answer that was given before stays one. Result pages have a hold of their own.
function hold(asked) {
  const free = asked.matches(".result-pages") || asked.dataset.choice || asked.dataset.played;
  control(asked).querySelector(".unplayed").hidden = Boolean(free);
  if (free) return;
  asked.dataset.hold = "";
  refresh(asked);
}

function stop(asked) {
  for (const picture of moving(asked)) picture.src = stills.get(picture);
  for (const address of played) URL.revokeObjectURL(address);
  played = [];
  tell(asked, false);
}

async function play(asked) {
  const all = moving(asked);
  const ready = await Promise.all(all.map(async (picture) => {
    const reply = await fetch(`${stills.get(picture).split("?")[0]}?moving`, { cache: "force-cache", credentials: "omit" });
    // An address of its own begins at the first frame each time.
    const address = URL.createObjectURL(await reply.blob());
    const copy = new Image();
    copy.src = address;
    await copy.decode();
    return address;
  })).catch(() => null);
  if (!ready || asked !== question()) return;
  played = ready;
  for (const [n, picture] of all.entries()) picture.src = ready[n];
  tell(asked, true);
  asked.dataset.played = "yes";
  if (!asked.matches(".result-pages")) delete asked.dataset.hold;
  control(asked).querySelector(".unplayed").hidden = true;
  refresh(asked);
}

function tell(asked, plays) {
  control(asked).querySelector(".start").hidden = plays;
  control(asked).querySelector(".stop").hidden = !plays;
  say(sentence(plays ? "playing" : "stopped"));
}

const turn = (asked) => (played.length ? stop(asked) : play(asked));

for (const picture of document.querySelectorAll("img[data-may-move]")) {
  picture.addEventListener("load", () => look(picture));
  if (picture.complete) look(picture);
}
document.addEventListener("click", ({ target }) => {
  if (target.closest("[data-play]")) turn(target.closest("[data-position]"));
});
document.addEventListener("keydown", (event) => {
  if (named(event) !== "p" || event.ctrlKey || event.altKey || event.metaKey || event.repeat || event.isComposing) return;
  if (document.querySelector("dialog[open]") || !question() || !moving(question()).length) return;
  turn(question());
});
// What plays stops when its question goes out of sight.
new MutationObserver((changes) => {
  for (const { target } of changes) if (target.matches("[data-position]") && target.hidden && played.length) stop(target);
}).observe(document.querySelector("main"), { subtree: true, attributeFilter: ["hidden"] });
