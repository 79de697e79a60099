/* Views: one in sight, either a question, the page that sends the batch, or word that an answer was
   not taken; how far the batch is; and from when on the view takes an answer */

import * as clock from "./clock.js";
import { unpack } from "./pictures.js";

// How long a new question takes no answer: nobody judges it in that time, but a double press
// or double click of the last one falls into it.
const SETTLE = 250;

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

export const shown = () => views[at];
export const question = () => questions[at];
export const open = () => !locked;

// Where to go from here: the first question without an answer, the view before, the question at a position.
export const next = () => questions.find((question) => !question.dataset.choice) ?? finish;
export const previous = () => (shown() === refused ? undefined : views[at - 1]);
export const asked = (position) => questions[position - 1];

export function say(words) {
  spoken.textContent = words;
}

export function show(view, words = "") {
  clock.turnTo(view);
  at = views.indexOf(view);
  for (const other of views) other.hidden = other !== view;
  const number = Math.min(at + 1, total);
  page.querySelector(".where").textContent = `${number} of ${total}`;
  page.querySelector(".line").value = questions.filter((question) => question.dataset.choice).length;
  document.title = `${number} of ${total} · ${study}`;
  back.classList.toggle("away", !previous());
  say(`${words} ${question() ? `Question ${number} of ${total}.` : ""}`);
  question()?.toggleAttribute("data-answered", Boolean(question().dataset.choice));
  arrange();
  view.querySelector("h1").focus({ preventScroll: true });
  ready();
}

// The view that the page came with.
export function begin() {
  clock.turnTo(shown());
  arrange();
  ready();
}

export function lock() {
  locked = true;
  delete page.dataset.ready;
}

// A view takes an answer once it is painted and a double press has passed.
function ready() {
  lock();
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      clock.painted();
      setTimeout(() => {
        locked = false;
        page.dataset.ready = at + 1;
      }, SETTLE);
    }),
  );
}

const passages = () => question()?.querySelectorAll(".passage") ?? [];

function arrange() {
  for (const passage of passages()) passage.scrollTop = 0;
  reach();
  if (questions[at + 1]) unpack(questions[at + 1]);
}

// Only a passage that scrolls needs to be reached by Tab.
function reach() {
  for (const passage of passages()) {
    if (passage.scrollHeight > passage.clientHeight) passage.tabIndex = 0;
    else passage.removeAttribute("tabindex");
  }
}

addEventListener("resize", reach);
