/* A pair: which of two is better, or neither; on four and five levels definitely or slightly. */

import "./drag.js";
import { add } from "./kinds.js";
import { sentence } from "./sentences.js";
import "./sides.js";

const buttons = (question) => [...question.querySelectorAll(".choice")];
const button = (question, side) => buttons(question).find((one) => one.value === side);
const label = (question, side) => button(question, side).querySelector(".label");

const pair = {
  keys: { ArrowLeft: "left", ArrowRight: "right", t: "tie", 0: "tie", 1: 1, 2: 2, 3: 3, 4: 4, 5: 5 },
  buttons: ".choice",

  // Digits count the levels from left to right, where there are levels. A study without ties has no button
  // for one, and then its keys give no answer either.
  answer(question, pressed) {
    const levels = buttons(question);
    if (typeof pressed === "number") return levels.length > 3 ? (levels[pressed - 1]?.value ?? null) : null;
    return button(question, pressed) ? pressed : null;
  },

  mark(question, side) {
    for (const one of buttons(question)) one.setAttribute("aria-pressed", String(one.value === side));
  },

  // As its button calls it here: the upper one where the two are stacked.
  words: (side, question) => sentence("chosen", { answer: label(question, side).innerText.replace(/\s+/g, " ").trim() }),

  label: (question, side) => label(question, side).cloneNode(true),
};

add("pair", pair);
add("pages", pair);
