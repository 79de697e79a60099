/* A pair: which of two is better, or neither. */

const WORDS = { left: "Left chosen.", right: "Right chosen.", tie: "Tie chosen." };

export const pair = {
  keys: { ArrowLeft: "left", ArrowRight: "right", ArrowDown: "tie" },
  buttons: ".choice",

  // A study without ties has no button for one, and then its key gives no answer either.
  answer(question, pressed) {
    return question.querySelector(`button[value="${pressed}"]`) ? pressed : null;
  },

  mark(question, side) {
    for (const button of question.querySelectorAll(".choice")) {
      button.setAttribute("aria-pressed", String(button.value === side));
    }
  },

  words: (side) => WORDS[side],
};
