/* A grade of one item: five buttons from 0 to 4, or a slider from 0 to 100 with a field to type in.
   The slider stands for no grade until it is moved or a number is typed. */

import { add } from "./kinds.js";
import { sentence } from "./sentences.js";

const STEP = 10;
const MOST_DIGITS = 3;
const touched = matchMedia("(pointer: coarse)");

const part = (question, selector) => question.querySelector(selector);
const field = (question) => part(question, ".number input");
const slider = (question) => part(question, ".slider");
const inSight = () => document.querySelector(".question.grading:not([hidden])");

// Whether an arrow has set what stands in the field: then a digit begins another number.
let stepped = false;

// The grade that stands in the field, as text; null while it is none.
function standing(question) {
  const input = field(question);
  return input.value !== "" && input.checkValidity() ? String(Number(input.value)) : null;
}

// The line that tells of the grade nearest to the one that stands there; of two as near, the lower one.
function light(question, grade) {
  const lines = [...question.querySelectorAll("[data-grade]")];
  const far = (line) => Math.abs(line.dataset.grade - grade);
  const nearest = Math.min(...lines.map(far));
  const lit = grade !== null && lines.findLast((line) => far(line) === nearest);
  for (const line of lines) line.toggleAttribute("data-lit", line === lit);
}

function follow(question) {
  const range = slider(question);
  const grade = standing(question);
  range.classList.toggle("unset", grade === null);
  question.toggleAttribute("data-changed", /^\d/.test(question.dataset.choice) && grade !== question.dataset.choice);
  if (grade !== null) part(question, ".no-grade").hidden = true;
  light(question, grade);
  if (grade === null) {
    range.setAttribute("aria-valuetext", sentence("not chosen"));
  } else {
    range.value = grade;
    range.removeAttribute("aria-valuetext");
  }
}

function set(question, text) {
  field(question).value = text;
  follow(question);
}

// A digit begins a number in the field, where the next one is typed as anywhere; the arrows go by ten.
function adjust(question, pressed) {
  if (typeof pressed === "number") {
    const from = Number(standing(question) ?? slider(question).value);
    set(question, String(Math.max(0, Math.min(100, from + pressed))));
    stepped = true;
  } else {
    field(question).focus({ preventScroll: true });
    stepped = false;
    set(question, pressed);
  }
}

const digits = Object.fromEntries([..."0123456789"].map((digit) => [digit, digit]));

const grade = {
  keys: { ...digits, ArrowLeft: -STEP, ArrowRight: STEP },
  buttons: ".choice",

  answer(question, pressed) {
    if (!field(question)) return part(question, `button[value="${pressed}"]`) ? pressed : null;
    if (pressed !== "give") {
      adjust(question, pressed);
      return null;
    }
    const given = standing(question);
    part(question, ".no-grade").hidden = given !== null;
    // By touch the keyboard of the screen would cover the line that says what to do.
    if (given === null && !touched.matches) field(question).focus({ preventScroll: true });
    return given;
  },

  mark(question, given) {
    if (field(question)) return set(question, given);
    for (const button of question.querySelectorAll(".choice")) {
      button.setAttribute("aria-pressed", String(button.value === given));
    }
  },

  words: (given) => sentence("grade", { grade: given }),

  label(_question, given) {
    const named = document.createElement("span");
    named.className = "label";
    named.textContent = sentence("grade label", { grade: given });
    return named;
  },
};

// In the smallest windows the meanings wait folded; what is done with those of one question holds for all.
const meanings = [...document.querySelectorAll(".guidelines details")];
for (const one of meanings) {
  one.open = !matchMedia("(max-width: 359px)").matches;
  one.addEventListener("toggle", () => {
    for (const other of meanings) other.open = one.open;
  });
}

// A picture whose shape is known wants no more height than it fills.
for (const picture of document.querySelectorAll(".grading .frame img[width][height]")) {
  picture.parentElement.style.setProperty("--shape", picture.getAttribute("width") / picture.getAttribute("height"));
}

// The guidelines scroll by themselves while they have the focus.
for (const told of document.querySelectorAll(".guidelines")) {
  told.addEventListener("keydown", (event) => /^(Arrow|Page|Home|End| )/.test(event.key) && event.stopPropagation());
}

function hear(question) {
  const number = field(question);
  light(question, standing(question));
  // What is typed into the field is the field's: Backspace there is not the way back.
  number.addEventListener("keydown", (event) => {
    if (/^[0-9]$|^(Backspace|Delete)$/.test(event.key)) event.stopPropagation();
    if (stepped && /^[0-9]$/.test(event.key)) number.select();
    stepped = false;
  });
  number.addEventListener("input", () => {
    // No grade has more digits.
    if (number.value.length > MOST_DIGITS) number.value = number.value.slice(0, MOST_DIGITS);
    follow(question);
  });
  question.addEventListener("restored", () => follow(question));
  // What is typed takes the place of the grade that stands there, as where the field is reached by Tab.
  number.addEventListener("click", () => number.select());
  // A line that tells of one grade sets it.
  part(question, ".guidelines").addEventListener("click", ({ target }) => {
    const line = target.closest("[data-grade]");
    if (line) set(question, line.dataset.grade);
  });
  // With the focus the slider's own arrows go by one.
  slider(question).addEventListener("keydown", (event) => {
    if (/^Arrow(Left|Right)$/.test(event.key)) event.stopPropagation();
  });
  // Pressed where it stands, it is moved to there, though its value does not change.
  for (const moved of ["input", "click"]) {
    slider(question).addEventListener(moved, () => set(question, slider(question).value));
  }
  // So does a number under it, by the place nearest to the finger.
  part(question, ".ticks").addEventListener("click", ({ clientX, currentTarget }) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    set(question, String(25 * Math.round((4 * (clientX - left)) / width)));
  });
  question.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
  // A grade that was not given is no answer: anyone who comes back to the question finds the one that is stored.
  new MutationObserver(() => question.hidden && set(question, question.dataset.choice)).observe(question, { attributeFilter: ["hidden"] });
}

// Enter gives the grade that stands there, wherever the focus is but on another control.
function enter(event) {
  const question = inSight();
  if (event.key !== "Enter" || !question || document.querySelector("dialog[open]")) return;
  if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
  if (event.target.closest("a, button")) return;
  event.preventDefault();
  event.stopPropagation();
  if (!event.repeat) part(question, ".choice").click();
}

if (document.querySelector(".bar.hundred")) {
  for (const question of document.querySelectorAll(".question.grading")) hear(question);
  document.addEventListener("keydown", enter, true);
}

add("grade", grade);
