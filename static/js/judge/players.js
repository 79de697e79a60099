/* Sound and film: A and B play a side or stop it, one at a time; S goes over to the other side at the same place; P plays
   both films in step where they are equally long. An answer is taken once each was played for as long as the study asks. */

import { power, volumes } from "./loudness.js";
import { named } from "./named.js";
import { refresh } from "./pictures.js";
import { sentence } from "./sentences.js";
import { onShow, question, say } from "./show.js";

// Files up to so many bytes, of so many seconds, are loaded and measured before they are played.
const MOST_BYTES = 25e6;
const MOST_SECONDS = 300;
// Of a shorter recording so much is all of it: browsers tell of its end a little early or late.
const WHOLE = 0.9;
// Seconds by which two that are equally long may differ, and by which two in step may part.
const ALIKE = 0.25;
const APART = 0.15;

const players = (asked) => [...(asked?.querySelectorAll(".player") ?? [])];
const media = (player) => player.querySelector("audio, video");
const asks = (asked) => asked.querySelector(".listen");
const length = (player) => {
  const { duration } = media(player);
  return Number.isFinite(duration) ? duration : Number(player.dataset.length ?? 0);
};
// Player -> seconds that it was played, and from which place on it plays now.
const heard = new WeakMap();
const from = new WeakMap();
// Question -> its loading; and the player that was last in use.
const loaded = new WeakMap();
let last;

/* How much was played */

function count(player) {
  const { currentTime, seeking } = media(player);
  if (seeking || !from.has(player)) return;
  const more = Math.max(0, currentTime - from.get(player));
  from.set(player, currentTime);
  heard.set(player, (heard.get(player) ?? 0) + more);
  player.dataset.heard = Number(player.dataset.heard ?? 0) + more;
  if (more) release(player.closest("[data-position]"));
}

const enough = (player, least) => (heard.get(player) ?? 0) >= Math.min(least, WHOLE * (length(player) || least));

// An answer that was given before stays one.
function release(asked) {
  const least = Number(asks(asked).dataset.first);
  const free = Boolean(asked.dataset.choice) || players(asked).every((player) => enough(player, least));
  const told = asks(asked).querySelector(".unplayed");
  if (told) told.hidden = free;
  if (free === !("hold" in asked.dataset)) return;
  asked.toggleAttribute("data-hold", !free);
  refresh(asked);
  if (free && asked === question()) say(sentence("choose now"));
}

/* Playing */

function stop(asked) {
  for (const player of players(asked)) media(player).pause();
}

function play(player) {
  last = player;
  media(player).muted = false;
  media(player).play().catch((error) => error.name === "NotSupportedError" && fail(player));
}

async function turn(player) {
  const asked = player.closest("[data-position]");
  const stops = !media(player).paused;
  if ("loading" in asked.dataset) say(sentence("sound on its way"));
  await loaded.get(asked);
  if (asked !== question()) return;
  stop(asked);
  if (!stops) play(player);
}

const place = (player, seconds) => {
  media(player).currentTime = Math.min(seconds, length(player));
};

// To the other side, at the same place; of two in step the other one is heard.
async function over(asked) {
  const [left, right] = players(asked);
  await loaded.get(asked);
  if (asked !== question() || !right) return;
  const own = last && players(asked).includes(last) ? last : left;
  const other = own === left ? right : left;
  const plays = !media(own).paused;
  if (plays && !media(other).paused) media(own).muted = true;
  else {
    place(other, media(own).currentTime);
    media(own).pause();
  }
  if (plays) play(other);
  else last = other;
  say(other.closest(".side").querySelector("h2").innerText);
}

const inStep = (asked) => !asks(asked).querySelector("[data-together]")?.hidden;

async function together(asked) {
  await loaded.get(asked);
  const all = players(asked);
  if (asked !== question() || !inStep(asked)) return;
  if (all.some((player) => !media(player).paused)) return stop(asked);
  const own = all.includes(last) ? last : all[0];
  for (const player of all) {
    if (player === own) continue;
    place(player, media(own).ended ? 0 : media(own).currentTime);
    play(player);
    media(player).muted = true;
  }
  play(own);
}

// The one that is not heard follows the other.
function follow(player) {
  const asked = player.closest("[data-position]");
  if (player !== last) return;
  for (const other of players(asked)) {
    const parted = Math.abs(media(other).currentTime - media(player).currentTime);
    if (other !== player && !media(other).paused && parted > APART) place(other, media(player).currentTime);
  }
}

/* What the page shows of it */

const clock = (seconds) => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;

function tell(player) {
  const { currentTime, paused } = media(player);
  const slider = player.querySelector("input");
  slider.max = length(player);
  slider.value = currentTime;
  const [time, whole] = [clock(currentTime), clock(length(player))];
  slider.setAttribute("aria-valuetext", sentence("place", { time, whole }));
  player.querySelector(".time").textContent = `${time} / ${whole}`;
  press(player.querySelector("[data-play-one]"), !paused);
  const asked = player.closest("[data-position]");
  const both = asks(asked).querySelector("[data-together]");
  if (both) press(both, players(asked).every((one) => !media(one).paused));
}

function press(button, plays) {
  button.querySelector(".start").hidden = plays;
  button.querySelector(".stop").hidden = !plays;
}

function fail(player) {
  player.querySelector(".unplayable").hidden = false;
}

/* Loading: what is small is fetched whole, so that it can be measured, and plays out of the browser's cache */

async function measure(player) {
  const reply = await fetch(media(player).src, { credentials: "omit" });
  if (!reply.ok) throw new Error(reply.statusText);
  if (Number(reply.headers.get("Content-Length")) > MOST_BYTES || length(player) > MOST_SECONDS) {
    reply.body?.cancel();
    return null;
  }
  const bytes = await reply.arrayBuffer();
  return "levelled" in asks(player.closest("[data-position]")).dataset ? power(bytes) : null;
}

async function load(asked) {
  const all = players(asked);
  asked.dataset.loading = "";
  const found = await Promise.all(all.map((player) => measure(player).catch(() => null)));
  const wanted = volumes(found);
  for (const [n, player] of all.entries()) {
    media(player).volume = wanted[n];
    media(player).preload = "auto";
  }
  delete asked.dataset.loading;
  refresh(asked);
}

function want(asked) {
  if (asked && asks(asked) && !loaded.has(asked)) loaded.set(asked, load(asked));
  return loaded.get(asked);
}

async function arrive() {
  const asked = question();
  if (!asked || !asks(asked)) return;
  await want(asked);
  const all = [...document.querySelectorAll("[data-position]")];
  want(all[all.indexOf(asked) + 1]);
}

function hear(player) {
  const own = media(player);
  own.controls = false;
  own.addEventListener("playing", () => from.set(player, own.currentTime));
  own.addEventListener("seeking", () => from.delete(player));
  own.addEventListener("seeked", () => !own.paused && from.set(player, own.currentTime));
  for (const event of ["timeupdate", "pause", "ended"]) own.addEventListener(event, () => count(player));
  for (const event of ["pause", "ended"]) own.addEventListener(event, () => from.delete(player));
  for (const event of ["timeupdate", "pause", "play", "durationchange", "seeked"]) own.addEventListener(event, () => tell(player));
  own.addEventListener("timeupdate", () => follow(player));
  own.addEventListener("durationchange", () => offer(player.closest("[data-position]")));
  own.addEventListener("error", () => fail(player));
  // An answer ends what plays; a correction has seconds of its own.
  player.addEventListener("telling", () => {
    count(player);
    from.delete(player);
    own.pause();
  });
  const slider = player.querySelector("input");
  slider.addEventListener("input", () => place(player, slider.value));
  // With the focus the slider's keys are its own.
  slider.addEventListener("keydown", (event) => {
    if (/^(Arrow|Page|Home|End)/.test(event.key)) event.stopPropagation();
  });
  tell(player);
}

// Two films that are equally long can be played in step.
function offer(asked) {
  const both = asks(asked).querySelector("[data-together]");
  const [left, right] = players(asked);
  if (both) both.hidden = !left?.matches(".film") || !right || Math.abs(length(left) - length(right)) > ALIKE;
}

function again(player) {
  player.querySelector(".unplayable").hidden = true;
  media(player).load();
}

for (const asked of document.querySelectorAll("[data-position]:has(.player)")) {
  for (const player of players(asked)) hear(player);
  offer(asked);
  release(asked);
  refresh(asked);
}
onShow(arrive);
arrive();

document.addEventListener("click", ({ target }) => {
  const button = target.closest("button");
  if (!button) return;
  const player = button.closest(".player");
  if (button.matches("[data-play-one]")) turn(player);
  else if (button.matches("[data-again]")) again(player);
  else if (button.matches("[data-over]")) over(question());
  else if (button.matches("[data-together]")) together(question());
});
const keys = { a: (all) => turn(all[0]), b: (all) => turn(all[1]), s: () => over(question()), p: () => together(question()) };
document.addEventListener("keydown", (event) => {
  const all = players(question());
  const act = keys[named(event)];
  if (!act || event.ctrlKey || event.altKey || event.metaKey || event.repeat || event.isComposing) return;
  if (document.querySelector("dialog[open]") || !all.length || (named(event) !== "a" && all.length < 2)) return;
  if (event.target.matches("textarea, input:not([type=range])")) return;
  act(all);
});
// What plays stops when its question goes out of sight.
new MutationObserver((changes) => {
  for (const { target } of changes) if (target.matches("[data-position]") && target.hidden) stop(target);
}).observe(document.querySelector("main"), { subtree: true, attributeFilter: ["hidden"] });
