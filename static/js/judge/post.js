/* Posting: one letter at a time, in order, again and again until the server has answered */

import * as kept from "./kept.js";
import { sentence } from "./sentences.js";

// A pause this short between a post and its reply is not worth a word.
const QUIET = 1500;
const LONGEST_WAIT = 15000;

const saving = document.querySelector(".saving");
const letters = [];
let busy = false;
let saved;
// What stands in the line that is not about saving.
let passing = "";
let wake = () => {};

export const posting = () => busy;

// Letters stay in the tab until they have arrived: a reload sends them again.
function save() {
  const waiting = letters.map(({ address, fields }) => ({ address, fields }));
  saved = waiting.length && kept.attempt(() => sessionStorage.setItem(kept.LETTERS, JSON.stringify(waiting)) ?? true);
  if (!saved) kept.attempt(() => sessionStorage.removeItem(kept.LETTERS));
}

/** Send what was on its way when the page was left. */
export function resume(then) {
  for (const { address, fields } of kept.attempt(() => JSON.parse(sessionStorage.getItem(kept.LETTERS))) ?? []) post(address, fields, then);
}

export async function post(address, fields, then) {
  letters.push({ address, fields, then });
  save();
  addEventListener("beforeunload", warn);
  if (busy) return;
  busy = true;
  let tries = 0;
  const slow = setTimeout(() => tell(sentence("saving")), QUIET);
  while (letters.length) {
    const reply = await attempt(letters[0]);
    if (reply) {
      tries = 0;
      const { then } = letters.shift();
      save();
      then(reply);
    } else {
      tell(sentence(saved && !navigator.onLine ? "no network" : "not saved"), true);
      await pause(Math.min(LONGEST_WAIT, 500 * 2 ** tries++) * (0.75 + Math.random() / 2));
    }
  }
  clearTimeout(slow);
  tell("");
  busy = false;
  removeEventListener("beforeunload", warn);
}

// The server's reply, or null where there was none and the letter must go again.
async function attempt({ address, fields }) {
  try {
    const response = await fetch(address, {
      method: "POST",
      headers: { Accept: "application/json" },
      body: new URLSearchParams(fields),
      credentials: "omit",
      redirect: "error",
      keepalive: true,
      signal: AbortSignal.timeout?.(20000),
    });
    if (response.status >= 500 || response.status === 408 || response.status === 429) return null;
    return await response.json();
  } catch {
    return null;
  }
}

const pause = (milliseconds) =>
  new Promise((done) => {
    const timer = setTimeout(done, milliseconds);
    wake = () => {
      clearTimeout(timer);
      done();
    };
  });

const warn = (event) => event.preventDefault();

export function forget() {
  letters.length = 0;
  save();
}

export function tell(words, trouble = false) {
  // "Saving" never takes back that there is trouble; only success does.
  if (words === sentence("saving") && saving.textContent) return;
  passing = "";
  saving.classList.toggle("trouble", trouble);
  if (saving.textContent !== words) saving.textContent = words;
}

/** Say something else in the line, or take it back with ""; what is said of saving goes first. */
export function mention(words) {
  if (saving.textContent !== passing) return;
  tell(words);
  passing = words;
}

addEventListener("online", () => wake());

// An answer that arrives twice is known by it and stored once.
// Not randomUUID: it is missing where the page came over plain HTTP.
export const nonce = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
