/* An answer that came sooner than anybody can read: where the study wants it, the page asks once whether it stands.
   The panel leaves the question in sight, and its time goes on. */

import * as clock from "./clock.js";
import { named } from "./named.js";
import { seen } from "./seen.js";
import { sentence } from "./sentences.js";

const dialog = document.querySelector("#hasty");
const questions = [...document.querySelectorAll("[data-position]")];
const least = dialog?.dataset.least.trim().split(" ").map(Number);
const heard = new WeakSet();
let keep = () => {};

/** Whether an answer, which `words` names, waits until somebody says that it stands; then it is given by `give`. */
export function hold(asked, words, give) {
  if (!dialog || heard.has(asked) || asked.dataset.choice) return false;
  const spent = clock.soFar();
  if (spent >= least[questions.indexOf(asked)]) return false;
  heard.add(asked);
  const told = seen(asked);
  const shares = told.split(" ").map(Number);
  const share = Math.round(shares.reduce((sum, one) => sum + one, 0) / shares.length);
  const said = [words(), sentence("how fast", { seconds: spent.toFixed(1) })];
  if (told && share < 100) said.push(sentence("how much", { share }));
  dialog.querySelector("#how-fast").textContent = said.join(" ");
  keep = give;
  dialog.showModal();
  return true;
}

function settle(kept) {
  dialog.close();
  if (kept) keep();
}

dialog?.addEventListener("click", ({ target, detail }) => {
  const button = target.closest("button");
  // The second click of a double click was meant for the answer.
  if (button && detail < 2) settle(button.value === "keep");
});
dialog?.addEventListener("keydown", (event) => {
  if (named(event) !== "Enter" || event.repeat || event.target.closest("button")) return;
  event.preventDefault();
  settle(true);
});
