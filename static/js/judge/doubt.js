/* An answer that may be a slip: of two that show the same one is preferred, or, where the study wants that, it came sooner
   than anybody can read. The page asks once whether it stands. The panel leaves the question in sight, and its time goes on. */

import * as clock from "./clock.js";
import { named } from "./named.js";
import { seen } from "./seen.js";
import { sentence } from "./sentences.js";

const dialog = document.querySelector("#doubt");
const questions = [...document.querySelectorAll("[data-position]")];
const tie = dialog?.querySelector("[value=tie]");
const least = dialog?.dataset.least?.trim().split(" ").map(Number);
const heard = new WeakSet();
let keep = () => {};

/** Whether an answer, which `words` names, waits until somebody says that it stands; then it is given by `give`, which
 *  takes another answer in its place. */
export function hold(asked, choice, words, give) {
  if (!dialog || heard.has(asked) || asked.dataset.choice) return false;
  const alike = same(asked, choice);
  const said = alike ? [sentence("same")] : hasty(asked);
  if (!said) return false;
  if (tie) {
    tie.hidden = !alike;
    // Of two that are the same it is the answer to expect.
    tie.classList.toggle("main", alike);
    tie.parentElement.firstElementChild.classList.toggle("main", !alike);
  }
  heard.add(asked);
  dialog.querySelector("#why-asked").textContent = [words(), ...said].join(" ");
  keep = give;
  dialog.showModal();
  return true;
}

// Where neither can be called better, nobody is asked to.
const same = (asked, choice) => choice !== "tie" && asked.querySelector(".choice.tie") && asked.querySelector(".same:not([hidden])");

function hasty(asked) {
  const spent = clock.soFar();
  if (!least || spent >= least[questions.indexOf(asked)]) return null;
  const told = seen(asked);
  const shares = told.split(" ").map(Number);
  const share = Math.round(shares.reduce((sum, one) => sum + one, 0) / shares.length);
  const said = [sentence("how fast", { seconds: spent.toFixed(1) })];
  if (told && share < 100) said.push(sentence("how much", { share }));
  return said;
}

function settle(answer) {
  dialog.close();
  if (answer === "keep") keep();
  if (answer === "tie") keep("tie");
}

dialog?.addEventListener("click", ({ target, detail }) => {
  const button = target.closest("button");
  // The second click of a double click was meant for the answer.
  if (button && detail < 2) settle(button.value);
});
dialog?.addEventListener("keydown", (event) => {
  const answer = { Enter: !event.target.closest("button") && "keep", t: tie && !tie.hidden && "tie" }[named(event)];
  if (!answer || event.repeat) return;
  event.preventDefault();
  settle(answer);
});
