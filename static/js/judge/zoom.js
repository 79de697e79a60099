/* Zoom: the pictures of a question are looked at closely together, at the same place of each.

   By wheel or pinch at the pointer, by drag, by the buttons, and by keys: Z to and fro, + and - a step, R back
   to the whole; while zoomed, the arrows up and down, and with Shift those to the sides, move both. F fills the
   screen with the question, its choices too. Nothing of this is an answer. */

import { named } from "./named.js";
import { sentence } from "./sentences.js";

const MOST = 12;
const CLOSE = 3; // what Z goes to
const STEP = 1.5;
const MOVE = 0.12; // of the frame, by a key

const bar = document.querySelector(".zoom");
const level = bar?.querySelector("output");
const spoken = document.querySelector("#spoken");
const question = () => document.querySelector(".question:not([hidden])");
const frames = () => [...(question()?.querySelectorAll(".frame") ?? [])];

// Where both are looked at: the scale, and which point of each picture (shares of the frame, from its
// middle) lies in the middle of its frame.
let at = whole();

function whole() {
  return { scale: 1, x: 0, y: 0 };
}

// A large picture is shown by a reduced copy, until somebody looks closely; if the whole one does not come,
// by its copy further on.
function sharpen(picture) {
  const address = picture.dataset.whole;
  if (!address) return;
  delete picture.dataset.whole;
  const fetched = new Image();
  fetched.onload = () => {
    if (!picture.src.startsWith("blob:")) picture.src = address; // what plays goes on
  };
  fetched.onerror = () => (picture.dataset.whole = address);
  fetched.src = address;
}

function look(place) {
  const scale = Math.min(MOST, Math.max(1, place.scale));
  const reach = (scale - 1) / (2 * scale); // further there is nothing
  const within = (value) => Math.min(reach, Math.max(-reach, value));
  at = { scale, x: within(place.x), y: within(place.y) };
  for (const frame of frames()) {
    frame.classList.toggle("close", at.scale > 1);
    const picture = frame.querySelector("img");
    if (at.scale > 1) sharpen(picture);
    picture.style.transform = at.scale > 1 ? `scale(${at.scale}) translate(${-100 * at.x}%, ${-100 * at.y}%)` : "";
  }
  bar.hidden = frames().length === 0;
  const words = `${at.scale.toFixed(1)}×`;
  if (level.textContent !== words) level.textContent = words;
  for (const button of bar.querySelectorAll("[data-zoom]")) {
    const off = button.dataset.zoom === "in" ? at.scale >= MOST : at.scale <= 1;
    if (button.dataset.zoom !== "screen") button.setAttribute("aria-disabled", String(off));
  }
}

/** Zoom by a factor so that the point of the frame at (px, py), shares from its middle, stays where it is. */
function zoom(factor, px = 0, py = 0) {
  const scale = Math.min(MOST, Math.max(1, at.scale * factor));
  const stays = 1 / at.scale - 1 / scale;
  look({ scale, x: at.x + px * stays, y: at.y + py * stays });
}

function pan(dx, dy) {
  look({ ...at, x: at.x + dx / at.scale, y: at.y + dy / at.scale });
}

const share = (frame, { clientX, clientY }) => {
  const box = frame.getBoundingClientRect();
  return [(clientX - box.left) / box.width - 0.5, (clientY - box.top) / box.height - 0.5];
};

function tell() {
  const shown = { 1: "picture", 2: "both" }[frames().length] ?? "all";
  spoken.textContent = at.scale > 1 ? sentence(`${shown} close`, { scale: at.scale.toFixed(1) }) : sentence(`${shown} whole`);
}

const doings = {
  in: () => zoom(STEP),
  out: () => zoom(1 / STEP),
  whole: () => look(whole()),
  screen: () => (document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen?.()),
};
const keys = {
  z: () => (at.scale > 1 ? look(whole()) : zoom(CLOSE)),
  "+": doings.in,
  "-": doings.out,
  r: doings.whole,
  f: doings.screen,
};
const moves = { ArrowUp: [0, -MOVE], ArrowDown: [0, MOVE], ArrowLeft: [-MOVE, 0], ArrowRight: [MOVE, 0] };

if (bar) {
  document.addEventListener(
    "keydown",
    (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
      if (document.querySelector("dialog[open]") || !frames().length) return;
      const move = moves[event.key];
      const sideways = move && move[0] !== 0;
      if (move && at.scale > 1 && sideways === event.shiftKey) {
        event.preventDefault();
        event.stopImmediatePropagation(); // with Shift it is no answer, and up and down scroll nothing else
        pan(...move);
        return;
      }
      const act = keys[named(event)];
      if (!act || (event.repeat && act !== doings.in && act !== doings.out)) return;
      event.preventDefault();
      act();
      tell();
    },
    { capture: true },
  );

  bar.addEventListener("click", ({ target }) => {
    const act = doings[target.closest("[data-zoom]")?.dataset.zoom];
    if (!act) return;
    act();
    tell();
  });

  document.addEventListener(
    "wheel",
    (event) => {
      const frame = event.target.closest?.(".frame");
      if (!frame) return;
      event.preventDefault(); // nor does the page zoom or scroll
      zoom(Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.002)), ...share(frame, event));
    },
    { passive: false },
  );

  // Drag by one pointer, pinch by two.
  const pointers = new Map();
  document.addEventListener("pointerdown", (event) => {
    const frame = event.target.closest?.(".frame");
    if (!frame || event.target.closest("button") || event.button > 0) return;
    pointers.set(event.pointerId, { frame, clientX: event.clientX, clientY: event.clientY });
    if (at.scale > 1 || pointers.size > 1) frame.setPointerCapture(event.pointerId);
  });
  document.addEventListener("pointermove", (event) => {
    const one = pointers.get(event.pointerId);
    if (!one) return;
    const other = [...pointers].find(([id, { frame }]) => id !== event.pointerId && frame === one.frame)?.[1];
    const box = one.frame.getBoundingClientRect();
    if (other) {
      const apart = ({ clientX, clientY }) => Math.hypot(clientX - other.clientX, clientY - other.clientY);
      const middle = { clientX: (event.clientX + other.clientX) / 2, clientY: (event.clientY + other.clientY) / 2 };
      if (apart(one) > 0) zoom(apart(event) / apart(one), ...share(one.frame, middle));
    } else if (at.scale > 1) {
      pan((one.clientX - event.clientX) / box.width, (one.clientY - event.clientY) / box.height);
    }
    one.clientX = event.clientX;
    one.clientY = event.clientY;
  });
  for (const end of ["pointerup", "pointercancel"]) {
    document.addEventListener(end, (event) => pointers.delete(event.pointerId));
  }
  document.addEventListener("dblclick", (event) => {
    const frame = event.target.closest(".frame");
    if (!frame) return;
    if (at.scale > 1) look(whole());
    else zoom(CLOSE, ...share(frame, event));
  });
  // A browser's own drag of a picture would end the pointer's.
  document.addEventListener("dragstart", (event) => event.target.closest(".frame") && event.preventDefault());

  // The next question is looked at whole.
  new MutationObserver(() => look(whole())).observe(document.querySelector("main"), {
    subtree: true,
    attributeFilter: ["hidden"],
  });
  look(whole());
}
