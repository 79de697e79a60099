// Keeps every [data-live] part of a page up to date, and shows for a while which numbers moved.
//
// The part names its address in data-live and what it shows in data-version; the server answers 304
// while nothing has changed. Where data-stream names a stream, it is opened, and the server sends the
// pieces that changed ([data-piece] elements); then the page asks only now and then. Such addresses live
// for some minutes, and data-renew gives new ones to anyone who is still logged in and a member.
// Inside it, [data-key][data-value] are the numbers to watch and [data-say] is the sentence that is read
// out, seldom, in [data-live-said]. Without this script the page is whole and has a link to refresh it.

import { moveRows } from "./rows.js";

const EVERY = 1000; // ms between two questions to the server
const HIDDEN = 15000; // while nobody looks
const STREAMED = 30000; // while a stream is open: a message may be lost
const AFTER_FAULT = 5000;
const RENEW = 240000; // half of what an address lives, and some to spare
const SAY_EVERY = 20000; // a voice that speaks at every judgment cannot be listened to
const SHOWN = 4000; // how long a movement stays visible; the fading in components.css takes as long

const state = document.querySelector("[data-live-state]");
const said = document.querySelector("[data-live-said]");
let stopped = false; // a reply that was on its way to another part says nothing any more
const failing = new Set(); // parts whose last question was not answered: one that was does not hide it

for (const part of document.querySelectorAll("[data-live]")) follow(part);

function follow(part) {
  let { live, stream, renew, version } = part.dataset;
  let waiting = null;
  let asking = false;
  let source = null;
  let over = false; // logged out: there is nothing to follow any more
  const every = Number(part.dataset.every) || EVERY; // data-every: a part that changes seldom
  const moves = new Map(); // key -> {text, at}
  const speak = speaker(part);
  const streamed = () => source?.readyState === EventSource.OPEN;

  function well() {
    failing.delete(part);
    if (!failing.size) tell("Updates by itself");
  }

  function ill(why) {
    failing.add(part);
    tell(why);
  }

  function later(pause) {
    clearTimeout(waiting);
    if (!over) waiting = setTimeout(ask, pause);
  }

  async function ask() {
    if (asking || over) return;
    asking = true;
    clearTimeout(waiting);
    let pause = streamed() ? STREAMED : document.hidden ? HIDDEN : every;
    try {
      const answer = await fetch(live, {
        headers: { "If-None-Match": version },
        cache: "no-store",
        redirect: "manual", // to the login
        signal: AbortSignal.timeout(10000),
      });
      if (over) return; // told so by the renewal meanwhile, which has the last word
      if (answer.type === "opaqueredirect") loggedOut();
      else if (answer.status === 200) {
        const html = await answer.text();
        // Somebody is copying from the table: it is exchanged when they are done.
        if (selectsIn(part)) pause = EVERY;
        else {
          exchange(part, moves, () => (part.innerHTML = html), { whole: true });
          version = answer.headers.get("ETag") ?? "";
          speak();
        }
        well();
      } else if (answer.status === 304) {
        well();
      } else if (answer.status === 404) {
        stop("You have no part in this study any more");
      } else if (answer.status === 403 && renew) {
        pause = AFTER_FAULT;
        await renewed();
      } else {
        pause = AFTER_FAULT;
        ill("Cannot be updated just now");
      }
    } catch {
      if (over) return;
      pause = AFTER_FAULT;
      ill("Not connected: trying again");
    }
    asking = false;
    later(pause);
  }

  // A message that does not begin at what is shown, and one that comes while somebody copies, means: ask.
  function hear({ data }) {
    const message = JSON.parse(data);
    well();
    // Not newer: it waited while the whole was fetched.
    if (numberOf(quoted(message.version)) <= numberOf(version)) return;
    if (!message.pieces || quoted(message.base) !== version || selectsIn(part)) {
      // Everybody was told at the same moment, and need not ask in the same one.
      later(Math.random() * EVERY);
      return;
    }
    exchange(part, moves, () => put(part, message), { order: message.order });
    version = quoted(message.version);
    speak();
  }

  function open() {
    source?.close();
    if (!stream || over) return;
    source = new EventSource(stream);
    source.onopen = () => {
      well();
      later(STREAMED);
    };
    source.onmessage = hear;
    source.onerror = () => later(EVERY); // asks, while the browser tries to connect again
  }

  async function renewed() {
    const answer = await fetch(renew, { cache: "no-store", redirect: "manual" });
    if (answer.type === "opaqueredirect") loggedOut();
    else if (answer.status === 404) stop("You have no part in this study any more");
    else if (answer.ok) {
      const found = await answer.json();
      live = found.poll;
      stream = found.stream;
      open();
    }
  }

  function loggedOut() {
    stop("You were logged out: reload the page to log in");
  }

  function stop(why) {
    over = true;
    clearTimeout(waiting);
    source?.close();
    tell(why);
    stopped = true;
  }

  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) ask();
  });
  if (renew) {
    setInterval(() => {
      if (!over) renewed().catch(() => {}); // asking will say that there is no connection
    }, RENEW);
  }
  open();
  later(version ? EVERY : 0); // a part without a version is not there yet
}

const quoted = (version) => `"${version}"`;
// A version begins with a number that rises.
const numberOf = (version) => Number.parseInt(version.slice(1), 10) || 0;

/** Put the pieces that changed in the place of the old ones, and all in their order. */
function put(part, { pieces, order }) {
  for (const [name, html] of Object.entries(pieces)) {
    const holder = document.createElement("template");
    holder.innerHTML = html;
    piece(part, name).replaceWith(holder.content);
  }
  if (!order) return;
  for (const name of order) {
    const element = piece(part, name);
    // Pieces of the table's body change places; what stands by itself stays.
    if (element.matches("tr")) element.parentElement.append(element);
  }
}

const piece = (part, name) => part.querySelector(`[data-piece="${CSS.escape(name)}"]`);

function tell(text) {
  if (!stopped && state && state.textContent !== text) state.textContent = text;
}

function selectsIn(part) {
  const selection = document.getSelection();
  return selection !== null && !selection.isCollapsed && part.contains(selection.anchorNode);
}

/** Change the part's HTML; focus, open details, ticks and running movements stay as they were. Anyone who adds to the
 * part is told by "exchanged" whether it is `whole` new, and the pieces' `order` where that is. */
function exchange(part, moves, change, detail) {
  const before = values(part);
  const focused = part.contains(document.activeElement) ? document.activeElement : null;
  const open = [...part.querySelectorAll("details[open][id]")].map((details) => details.id);
  const ticked = [...part.querySelectorAll("input:checked[id]")].map((box) => box.id);
  moveRows(part, () => {
    change();
    part.dispatchEvent(new CustomEvent("exchanged", { detail }));
  });
  for (const id of open) document.getElementById(id)?.setAttribute("open", "");
  for (const id of ticked) document.getElementById(id).checked = true;
  if (focused && focused !== document.activeElement) again(part, focused)?.focus({ preventScroll: true });
  const now = performance.now();
  for (const [key, value] of values(part)) {
    const old = before.get(key);
    if (old !== undefined && old !== value) moves.set(key, { text: movement(old, value), at: now });
  }
  for (const element of part.querySelectorAll("[data-key]")) {
    const move = moves.get(element.dataset.key);
    if (move === undefined) continue;
    if (now - move.at < SHOWN) mark(element, move.text, now - move.at);
    else moves.delete(element.dataset.key);
  }
}

/** What stands now for an element that was exchanged: by its id, a link without one by its address. */
function again(part, { id, href }) {
  if (id) return document.getElementById(id);
  return href ? [...part.querySelectorAll("a")].find((link) => link.href === href) : undefined;
}

function values(part) {
  return new Map([...part.querySelectorAll("[data-key]")].map((e) => [e.dataset.key, e.dataset.value]));
}

/** What to write beside a number that went from `old` to `value`; nothing beside what is no number. */
function movement(old, value) {
  const difference = Number(value) - Number(old);
  if (old === "" || value === "" || !Number.isFinite(difference) || difference === 0) return "";
  const digits = (value.split(".")[1] ?? "").length;
  return `${difference > 0 ? "▲" : "▼"} ${Math.abs(difference).toFixed(digits)}`;
}

function mark(element, move, elapsed) {
  // Begun a while ago in HTML that is gone: go on from there.
  element.style.setProperty("--begun", `${-elapsed}ms`);
  element.classList.add("moved");
  if (move) element.dataset.moved = move; // drawn by components.css, so that it is never part of the text
  setTimeout(() => {
    element.classList.remove("moved");
    delete element.dataset.moved;
  }, SHOWN - elapsed);
}

/** A function that has the part's sentence read out when it has changed, never twice in SAY_EVERY. */
function speaker(part) {
  const sentence = () => part.querySelector("[data-say]")?.textContent.replace(/\s+/g, " ").trim() ?? "";
  let last = sentence();
  let quiet = false;
  return function speak() {
    if (quiet || said === null || sentence() === last) return;
    last = sentence();
    said.textContent = last;
    quiet = true;
    setTimeout(() => {
      quiet = false;
      speak();
    }, SAY_EVERY);
  };
}
