/* Views: one in sight, either a question, the page that sends the batch, or word that an answer was
   not taken; how far the batch is; from when on the view takes an answer; and whether the pointer moves in it */

import * as cannot from "./cannot.js";
import * as clock from "./clock.js";
import { over, tell } from "./left.js";
import { complete, want } from "./pictures.js";
import { sentence } from "./sentences.js";

// How long a new question takes no answer, in ms: nobody judges it in that time, but a double press
// or double click of the last one falls into it.
const SETTLE = 250;
// How long after the press that led to the page a second one can still come: a page that took longer has let it pass.
const DOUBLE = 500;
// The page that sends the batch takes longer: nobody takes a batch back, and fingers that have pressed Enter after every
// question press it once more. A click before is kept until then, Enter is not.
const SETTLE_BEFORE_SENDING = 1200;

const page = document.body;
const questions = [...page.querySelectorAll("[data-position]")];
export const finish = page.querySelector("[data-finish]");
export const refused = page.querySelector("[data-refused]");
const views = [...questions, finish, refused];
const back = page.querySelector(".back");
const spoken = page.querySelector("#spoken");
const { study } = page.dataset;
const total = questions.length;

let at = views.findIndex((view) => !view.hidden);
let locked = true;
// Which view is waited for to be seen: a later one begins its own wait.
let turn = 0;
let coming = false;
// Of the page that sends the batch: what is kept, once a double press has passed; and whether something is.
let early = null;
let kept = false;

export const shown = () => views[at];
export const question = () => questions[at];
export const open = () => !locked && !over();
// A view that has just come takes no answer yet; one can leave it again.
export const leaves = () => !locked || coming;

/** Act now, or as soon as the view takes it; tell whether that will be. Leaving the view forgets it. */
export function soon(act) {
  if (over() || (locked && !early)) return false;
  if (locked) [early, kept] = [act, true];
  else act();
  return true;
}

/** A run of Enter ends before it sends: each one that comes too early is waited after anew. A click is kept. */
export function putOff() {
  if (!kept) ready();
}

// Where to go from here: the first question without an answer, the view before, the question at a position.
export const next = () => questions.find((question) => !question.dataset.choice) ?? finish;
export const previous = () => (shown() === refused ? undefined : views[at - 1]);
export const asked = (position) => questions.find((question) => question.dataset.position === position);

// What is to be done when a view has been painted.
const shows = [];

export function onShow(act) {
  shows.push(act);
}

export function say(words) {
  spoken.textContent = words;
}

export function show(view, words = "") {
  clock.turnTo(view);
  at = views.indexOf(view);
  for (const other of views) other.hidden = other !== view;
  const number = Math.min(at + 1, total);
  // What was not taken is not counted, and what was is said on the next page.
  const where = view === refused ? "" : sentence("where", { number, total });
  page.querySelector(".where").textContent = where;
  page.querySelector(".facts").hidden = view === refused || over();
  page.querySelector(".line").value = questions.filter(({ dataset }) => dataset.choice).length;
  tell();
  document.title = [where, study].filter(Boolean).join(" · ");
  back.classList.toggle("away", !previous());
  say(`${words} ${question() ? sentence("question", { number, total }) : ""}`);
  question()?.toggleAttribute("data-answered", Boolean(question().dataset.choice));
  cannot.tell(question());
  // The button that was clicked lies under the pointer still, and shall not look chosen for this question.
  delete page.dataset.pointing;
  arrange();
  view.querySelector("h1").focus({ preventScroll: true });
  ready();
}

// The view that the page came with.
export function begin() {
  tell();
  clock.turnTo(shown());
  arrange();
  ready(Math.min(SETTLE, Math.max(0, DOUBLE - performance.now())));
}

export function lock() {
  locked = true;
  coming = false;
  early = null;
  kept = false;
  turn += 1;
  delete page.dataset.ready;
}

// A view takes an answer once it is painted and a double press has passed.
function ready(settle = SETTLE) {
  lock();
  const mine = turn;
  coming = true;
  finish.toggleAttribute("data-coming", shown() === finish);
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      if (mine !== turn) return;
      clock.painted();
      for (const act of shows) act();
      setTimeout(() => {
        if (mine !== turn) return;
        if (shown() !== finish) return opens();
        finish.removeAttribute("data-coming");
        early = () => {};
        setTimeout(() => mine === turn && opens(), SETTLE_BEFORE_SENDING - settle);
      }, settle);
    }),
  );
}

function opens() {
  const act = early;
  locked = coming = kept = false;
  early = null;
  takes();
  act?.();
}

// data-ready of the page: the view takes an answer, all that it is about being seen.
function takes() {
  if (!locked && (!question() || complete(question()))) page.dataset.ready = at + 1;
}

page.addEventListener("seen", takes);

/* The pointer: moved by somebody, or merely lying where something new appears under it */

const acts = [];
let lying = "";

export function onMove(act) {
  acts.push(act);
}

document.addEventListener("pointermove", (event) => {
  const here = `${event.screenX} ${event.screenY}`;
  // Browsers report a move as well when the page changes under a pointer that lies still.
  if (here === lying) return;
  lying = here;
  page.dataset.pointing = "";
  for (const act of acts) act(event.target);
});

const passages = () => question()?.querySelectorAll(".passage") ?? [];

// A view begins at its top, wherever the last one was left.
function arrange() {
  scrollTo(0, 0);
  for (const passage of passages()) passage.scrollTop = 0;
  reach();
  want(questions, questions.indexOf(question()));
}

/** How far down an element what it shows ends, without the room below it. */
export const ends = (part) => Math.max(1, part.scrollHeight - Number.parseFloat(getComputedStyle(part).paddingBottom));

// Only a passage that scrolls needs to be reached by Tab.
export function reach() {
  for (const passage of passages()) {
    if (ends(passage) > passage.clientHeight) passage.tabIndex = 0;
    else passage.removeAttribute("tabindex");
  }
}

addEventListener("resize", reach);
