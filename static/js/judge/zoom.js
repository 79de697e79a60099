/* Zoom: the pictures of a question are looked at closely together, at the same place of each.

   By wheel or pinch at the pointer, by drag, by the buttons, and by keys: Z to and fro, + and - a step, A to their own
   size, W to the width of their frames, as the next questions then begin, R back to the whole; while zoomed, the arrows up and down, and with Shift those to the sides, move all. L holds a
   loupe over the same place of each. F fills the screen with the question, its choices too. Nothing of this is an answer. */

import { attempt } from "./kept.js";
import { named } from "./named.js";
import { locale, sentence } from "./sentences.js";

const MOST = 12;
const CLOSE = 3; // what Z goes to
const STEP = 1.5;
const ENLARGED = 1.5; // times its own size: so far a small picture is shown by itself
const MOVE = 0.12; // of the frame, by a key
const LEAST = 0.1; // of a picture that is looked at in its own size
const LOUPE = 2; // times its own size
const KEPT = "faceoff:as-wide"; // in the tab

const bar = document.querySelector(".zoom");
const level = bar?.querySelector("output");
const spoken = document.querySelector("#spoken");
const question = () => document.querySelector(".question:not([hidden])");
const frames = () => [...(question()?.querySelectorAll(".frame") ?? [])];

// Where all are looked at: the scale; by what, their fitted size (""), their own, or the width of the frame; and which
// point of each picture (shares of the frame, from its middle) lies in the middle of its frame. top: at its upper edge.
let at = whole();
// The loupe: over which point of each picture, in shares of the picture; null while there is none.
let loupe = null;

function whole() {
  return { scale: 1, x: 0, y: 0, by: "", top: false };
}

// As a question begins: as somebody chose before, else whole, or as wide as the frame where that would be a thin line.
function begun() {
  const kept = attempt(() => sessionStorage.getItem(KEPT));
  if (kept === "wide") return { ...whole(), by: "width", top: true };
  const thin = !kept && frames().some((frame) => isThin(frame.querySelector("img"), 5));
  return thin ? { ...whole(), by: "width", top: true, most: ENLARGED } : whole();
}

const keep = (wide) => attempt(() => sessionStorage.setItem(KEPT, wide ? "wide" : "whole"));

// Pixels of the picture, whatever copy of it is shown.
const widthOf = (picture) => Number(picture.getAttribute("width")) || picture.naturalWidth || 1;
const heightOf = (picture) => Number(picture.getAttribute("height")) || picture.naturalHeight || 1;

// What a frame has for its picture, inside its edge.
function room(frame) {
  const [{ left, top, width, height }, edge] = [frame.getBoundingClientRect(), frame.clientLeft];
  return { left: left + edge, top: top + edge, width: width - 2 * edge, height: height - 2 * edge };
}

// How large it is painted while whole, of its own size: as the style sheet fits it.
function fitted(picture) {
  const { width, height, scale } = getComputedStyle(picture);
  const [most, sides] = [Number.parseFloat(scale) || 1, [Number.parseFloat(width), Number.parseFloat(height)]];
  const { naturalWidth, naturalHeight } = picture;
  if (!naturalWidth) return 1;
  const fits = Math.min(1, sides[0] / naturalWidth, sides[1] / naturalHeight);
  return (most * fits * naturalWidth) / widthOf(picture);
}

// How many times its fitted size a picture has at the scale 1.
function base(picture) {
  if (!at.by) return 1;
  const wide = Math.min(at.most ?? Number.POSITIVE_INFINITY, room(picture.parentElement).width / widthOf(picture));
  return (at.by === "own" ? 1 : wide) / fitted(picture);
}

const scaleOf = (picture) => at.scale * base(picture);
const close = () => Boolean(at.by) || at.scale > 1;

// Which point lies in the middle of a picture's frame: as wide as their frames, no picture leaves its own.
function middle(picture) {
  if (at.by !== "width") return at;
  const { width, height } = room(picture.parentElement);
  const size = fitted(picture) * scaleOf(picture);
  const inside = (value, painted, side) => {
    const reach = Math.max(0, (painted - side) / (2 * side * scaleOf(picture)));
    return Math.min(reach, Math.max(-reach, value));
  };
  const y = at.top ? -1 : at.y;
  return { x: inside(at.x, widthOf(picture) * size, width), y: inside(y, heightOf(picture) * size, height) };
}
// Per cent of each picture's own size, said once where they are the same.
const percents = () => {
  const all = frames().map((frame) => frame.querySelector("img"));
  const format = new Intl.NumberFormat(locale, { style: "percent" });
  return [...new Set(all.map((picture) => format.format(fitted(picture) * scaleOf(picture))))];
};

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

const limited = (scale, by) => Math.min(MOST, Math.max(by ? LEAST : 1, scale));

function look(place) {
  const pictures = frames().map((frame) => frame.querySelector("img"));
  at = { ...place, scale: limited(place.scale, place.by) };
  // Further there is nothing: of those that are looked at at several scales, of the largest.
  const largest = Math.max(1, ...pictures.map(scaleOf));
  const reach = (largest - 1) / (2 * largest);
  const within = (value) => Math.min(reach, Math.max(-reach, value));
  at = { ...at, x: within(place.x), y: at.top ? -reach : within(place.y) };
  for (const picture of pictures) {
    picture.parentElement.classList.toggle("close", close());
    if (close() && (at.by !== "width" || scaleOf(picture) > 1)) sharpen(picture);
    const { x, y } = middle(picture);
    picture.style.transform = close() ? `scale(${scaleOf(picture)}) translate(${-100 * x}%, ${-100 * y}%)` : "";
  }
  bar.hidden = frames().length === 0;
  bar.toggleAttribute("data-strips", pictures.some((picture) => isThin(picture, 4)));
  tellSize();
  for (const button of document.querySelectorAll("[data-zoom]")) {
    const off = { in: at.scale >= MOST, own: at.by === "own" && at.scale === 1, width: false, loupe: false, screen: false };
    button.setAttribute("aria-disabled", String(off[button.dataset.zoom] ?? !close()));
    if (button.dataset.zoom === "width") button.setAttribute("aria-pressed", String(at.by === "width"));
  }
  hold(loupe);
}

// So high that while whole it takes less than such a part of its frame's width.
function isThin(picture, part) {
  const { width, height } = room(picture.parentElement);
  return heightOf(picture) > 2 * widthOf(picture) && (height * widthOf(picture)) / heightOf(picture) < width / part;
}

function tellSize() {
  const words = percents().join(" · ");
  if (level.textContent !== words) level.textContent = words;
}

// Where a picture is painted, as it is looked at now.
function painted(picture) {
  const [frame, size] = [room(picture.parentElement), fitted(picture) * scaleOf(picture)];
  const [width, height] = [widthOf(picture) * size, heightOf(picture) * size];
  const moved = (share, side) => side / 2 - (close() ? share * side * scaleOf(picture) : 0);
  const { x, y } = middle(picture);
  return { width, height, left: moved(x, frame.width) - width / 2, top: moved(y, frame.height) - height / 2 };
}

/** Hold the loupe over a point, given in shares of each picture; null puts it away. */
function hold(point) {
  loupe = point;
  for (const frame of frames()) {
    const picture = frame.querySelector("img");
    let glass = frame.querySelector(".loupe");
    if (!point) {
      glass?.remove();
      continue;
    }
    if (!glass) {
      glass = document.createElement("div");
      glass.className = "loupe";
      frame.append(glass);
    }
    sharpen(picture);
    const [width, height] = [LOUPE * widthOf(picture), LOUPE * heightOf(picture)];
    const box = painted(picture);
    glass.style.left = `${box.left + point.x * box.width}px`;
    glass.style.top = `${box.top + point.y * box.height}px`;
    glass.style.backgroundImage = `url("${picture.src}")`;
    glass.style.backgroundSize = `${width}px ${height}px`;
    const [x, y] = [glass.clientWidth / 2 - point.x * width, glass.clientHeight / 2 - point.y * height];
    glass.style.backgroundPosition = `${x}px ${y}px`;
  }
  bar.querySelector('[data-zoom="loupe"]')?.setAttribute("aria-pressed", String(Boolean(point)));
}

// The point of a picture under the pointer.
function under(frame, { clientX, clientY }) {
  const [edge, box] = [room(frame), painted(frame.querySelector("img"))];
  const inside = (value) => Math.min(1, Math.max(0, value));
  return { x: inside((clientX - edge.left - box.left) / box.width), y: inside((clientY - edge.top - box.top) / box.height) };
}

/** Zoom by a factor so that the point of the frame at (px, py), shares from its middle, stays where it is. */
function zoom(factor, px = 0, py = 0) {
  const scale = limited(at.scale * factor, at.by);
  const first = frames()[0]?.querySelector("img");
  const stays = (1 / at.scale - 1 / scale) / (first ? base(first) : 1);
  look({ ...at, top: false, scale, x: at.x + px * stays, y: at.y + py * stays });
}

function pan(dx, dy) {
  const first = frames()[0]?.querySelector("img");
  const scale = first ? scaleOf(first) : 1;
  look({ ...at, top: false, x: at.x + dx / scale, y: at.y + dy / scale });
}

// Of the loupe, by a key.
const step = (value, move) => Math.min(1, Math.max(0, value + move / 3));

const share = (frame, { clientX, clientY }) => {
  const box = room(frame);
  return [(clientX - box.left) / box.width - 0.5, (clientY - box.top) / box.height - 0.5];
};

function tell() {
  const shown = { 1: "picture", 2: "both" }[frames().length] ?? "all";
  const share = new Intl.ListFormat(locale).format(percents());
  spoken.textContent = close() ? sentence("close", { share }) : sentence(`${shown} whole`);
}

const doings = {
  in: () => zoom(STEP),
  out: () => zoom(1 / STEP),
  whole: () => {
    keep(false);
    look(whole());
  },
  own: () => look({ ...at, scale: 1, by: "own", top: false }),
  width: () => {
    const wide = at.by !== "width";
    keep(wide);
    look({ ...whole(), ...(wide && { by: "width", top: true }) });
  },
  loupe: () => hold(loupe ? null : { x: 0.5, y: 0.5 }),
  screen: () => (document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen?.()),
};
const keys = {
  z: () => (close() ? look(whole()) : zoom(CLOSE)),
  a: doings.own,
  w: doings.width,
  l: doings.loupe,
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
      if (move && (close() || loupe) && sideways === event.shiftKey) {
        event.preventDefault();
        event.stopImmediatePropagation(); // with Shift it is no answer, and up and down scroll nothing else
        if (loupe) hold({ x: step(loupe.x, move[0]), y: step(loupe.y, move[1]) });
        else pan(...move);
        return;
      }
      const act = keys[named(event)];
      if (!act || (event.repeat && act !== doings.in && act !== doings.out)) return;
      event.preventDefault();
      act();
      if (act !== doings.loupe) tell();
    },
    { capture: true },
  );

  // Those of the bar, and in the head's menu where the bar has no room for all.
  document.addEventListener("click", ({ target }) => {
    const act = doings[target.closest("[data-zoom]")?.dataset.zoom];
    if (!act) return;
    act();
    if (act !== doings.loupe) tell();
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
    if (close() || pointers.size > 1) frame.setPointerCapture(event.pointerId);
  });
  document.addEventListener("pointermove", (event) => {
    const one = pointers.get(event.pointerId);
    const over = event.target.closest?.(".frame");
    if (loupe && over) hold(under(over, event));
    if (!one) return;
    const other = [...pointers].find(([id, { frame }]) => id !== event.pointerId && frame === one.frame)?.[1];
    const box = room(one.frame);
    if (other) {
      const apart = ({ clientX, clientY }) => Math.hypot(clientX - other.clientX, clientY - other.clientY);
      const middle = { clientX: (event.clientX + other.clientX) / 2, clientY: (event.clientY + other.clientY) / 2 };
      if (apart(one) > 0) zoom(apart(event) / apart(one), ...share(one.frame, middle));
    } else if (close()) {
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
    if (close()) look(whole());
    else zoom(CLOSE, ...share(frame, event));
  });
  // A browser's own drag of a picture would end the pointer's.
  document.addEventListener("dragstart", (event) => event.target.closest(".frame") && event.preventDefault());

  // A whole picture that has come in place of its copy, or another size of its frame, changes what is fitted.
  document.addEventListener("load", ({ target }) => frames().includes(target.parentElement) && look(at), { capture: true });
  const sizes = new ResizeObserver(() => look(at));
  for (const frame of document.querySelectorAll(".question .frame")) sizes.observe(frame);
  // The next question is looked at as it begins.
  new MutationObserver((changes) => {
    if (!changes.some(({ target }) => target.matches("[data-position]"))) return;
    for (const glass of document.querySelectorAll(".loupe")) glass.remove();
    loupe = null;
    look(begun());
  }).observe(document.querySelector("main"), {
    subtree: true,
    attributeFilter: ["hidden"],
  });
  look(begun());
}
