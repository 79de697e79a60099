// Keeps every [data-live] part of a page up to date, and shows for a while which numbers moved.
//
// The part names its address in data-live and what it shows in data-version; the server answers 304
// while nothing has changed. Inside it, [data-key][data-value] are the numbers to watch and [data-say]
// is the sentence that is read out, seldom, in [data-live-said]. Without this script the page is whole
// and has a link to refresh it.

const EVERY = 1000; // ms between two questions to the server
const HIDDEN = 15000; // while nobody looks
const AFTER_FAULT = 5000;
const SAY_EVERY = 20000; // a voice that speaks at every judgment cannot be listened to
const SHOWN = 4000; // how long a movement stays visible; the fading in live.css takes as long

const state = document.querySelector("[data-live-state]");
const said = document.querySelector("[data-live-said]");

for (const part of document.querySelectorAll("[data-live]")) follow(part);

function follow(part) {
  let version = part.dataset.version;
  let waiting = null;
  let asking = false;
  const moves = new Map(); // key -> {text, at}
  const speak = speaker(part);

  async function ask() {
    if (asking) return;
    asking = true;
    clearTimeout(waiting);
    let pause = document.hidden ? HIDDEN : EVERY;
    try {
      const answer = await fetch(part.dataset.live, {
        headers: { "If-None-Match": version },
        cache: "no-store",
        redirect: "manual", // to the login: there is nothing to follow any more
        signal: AbortSignal.timeout(10000),
      });
      if (answer.type === "opaqueredirect") {
        tell("You were logged out: reload the page to log in");
        return;
      }
      if (answer.status === 200) {
        const html = await answer.text();
        // Somebody is copying from the table: it is exchanged when they are done.
        if (selectsIn(part)) pause = EVERY;
        else {
          exchange(part, html, moves);
          version = answer.headers.get("ETag") ?? "";
          speak();
        }
        tell("Updates by itself");
      } else if (answer.status === 304) {
        tell("Updates by itself");
      } else {
        pause = AFTER_FAULT;
        tell("Cannot be updated just now");
      }
    } catch {
      pause = AFTER_FAULT;
      tell("Not connected: trying again");
    }
    asking = false;
    waiting = setTimeout(ask, pause);
  }

  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) ask();
  });
  waiting = setTimeout(ask, EVERY);
}

function tell(text) {
  if (state && state.textContent !== text) state.textContent = text;
}

function selectsIn(part) {
  const selection = document.getSelection();
  return selection !== null && !selection.isCollapsed && part.contains(selection.anchorNode);
}

/** Put new HTML into the part; focus, open details and running movements stay as they were. */
function exchange(part, html, moves) {
  const before = values(part);
  const focused = part.contains(document.activeElement) ? document.activeElement.id : "";
  const open = [...part.querySelectorAll("details[open][id]")].map((details) => details.id);
  part.innerHTML = html;
  for (const id of open) document.getElementById(id)?.setAttribute("open", "");
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
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
  if (move) element.dataset.moved = move; // drawn by live.css, so that it is never part of the text
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
