/* "I cannot judge this": a panel that asks why. Whatever the kind of question, it stores no answer, and withdraws one
   that was given */

import { named } from "./named.js";
import { sentence } from "./sentences.js";

const page = document.body;
const dialog = page.querySelector("#cannot");
const form = dialog.querySelector("form");
const reasons = [...form.querySelectorAll("[name=reason]")];

const unsaid = form.querySelector(".no-reason");

// In place of the question, so that nothing moves.
function demand(missing) {
  unsaid.hidden = !missing;
  unsaid.previousElementSibling.hidden = missing;
}

// What data-choice says of a question that somebody cannot judge; no kind has such an answer.
export const CANNOT = "cannot";

// Questions of which that was said, by their positions, with the reason.
const why = new Map(page.dataset.cannot.split(" ").filter(Boolean).map((one) => one.split(":")));

// Those of which it was said before this page came.
export const positions = [...why.keys()];

// What the page says about the question in view, or null for none.
export function tell(question) {
  page.querySelector(".could-not").hidden = question?.dataset.choice !== CANNOT;
  const reason = reasons.find(({ value }) => value === why.get(question?.dataset.position));
  page.querySelector(".could-not .its-reason").hidden = !reason;
  page.querySelector(".could-not .reason").textContent = reason?.closest("label").querySelector("span").textContent ?? "";
  for (const one of page.querySelectorAll(".cannot-judge")) one.classList.toggle("away", !question);
  const unjudged = page.querySelectorAll(`[data-choice="${CANNOT}"]`).length;
  const said = page.querySelector(".unjudged");
  said.hidden = !unjudged;
  said.textContent = sentence(unjudged === 1 ? "one unjudged" : "unjudged", { number: unjudged });
}

export function label() {
  const named = document.createElement("span");
  named.className = "label";
  named.textContent = sentence("cannot judge");
  return named;
}

export function ask(question, reason = "") {
  if (!question) return;
  const { choice, position } = question.dataset;
  const before = choice === CANNOT ? why.get(position) : "";
  form.reset();
  demand(false);
  form.querySelector(".withdraws").hidden = !choice || choice === CANNOT;
  form.elements.position.value = position;
  for (const one of reasons) one.checked = one.value === (reason || before);
  dialog.close();
  dialog.showModal();
  (reasons.find((one) => one.checked) ?? reasons[0]).focus();
}

// send(reason, note) is called once a reason is chosen.
export function hear(send) {
  // A browser's own bubble would cover the reasons.
  form.noValidate = true;
  form.addEventListener("change", () => demand(false));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const { reason, note } = form.elements;
    demand(!reason.value);
    if (!reason.value) return reasons[0].focus();
    dialog.close();
    why.set(form.elements.position.value, reason.value);
    send(reason.value, note.value);
  });
  form.querySelector(".close").addEventListener("click", (event) => {
    event.preventDefault();
    dialog.close();
  });
  dialog.addEventListener("keydown", (event) => {
    // Closed by Escape, it has the focus a moment longer: keys are the page's again.
    if (!dialog.open || event.ctrlKey || event.altKey || event.metaKey || event.isComposing || event.repeat) return;
    const typing = event.target === form.elements.note;
    const key = named(event);
    if (!typing && key === "x") dialog.close();
    else if (!typing && reasons[key - 1]) choose(reasons[key - 1]);
    else if (event.key === "Enter" && !event.target.closest("a, button")) form.requestSubmit();
    else return;
    event.preventDefault();
  });
  // The page came with the panel open: from an address for browsers without scripts, pressed before this one started.
  if (dialog.open) ask(page.querySelector(".question:not([hidden])"), reasons.find((one) => one.checked)?.value);
}

function choose(radio) {
  radio.checked = true;
  demand(false);
  radio.focus();
}
