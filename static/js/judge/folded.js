/* The line that aspects and sentences with answers fold to: what was said of each aspect, and how often what of sentences */

import { sentence } from "./sentences.js";

const called = (input) => (input.value ? input.closest("label").querySelector("span").cloneNode(true) : sentence("skipped"));

function line(...parts) {
  const one = document.createElement("span");
  one.append(...parts);
  return one;
}

function ofAspects(rows) {
  return rows.map((row) => line(`${row.querySelector(".name").textContent}: `, called(row.querySelector(":checked"))));
}

function ofClaims(rows) {
  const said = rows.map((row) => row.querySelector(":checked"));
  return said.filter((one, n) => said.findIndex(({ value }) => value === one.value) === n)
    .map((one) => line(called(one), ` ${said.filter(({ value }) => value === one.value).length}`));
}

/** Say it on the button that unfolds them. */
export function tell(rows, button) {
  if (!button) return;
  const answered = rows.filter((row) => row.querySelector(":checked"));
  const claims = answered.filter((row) => row.dataset.cites);
  button.hidden = !answered.length;
  button.querySelector(".said-aspects").replaceChildren(...ofAspects(answered.filter((row) => !claims.includes(row))));
  button.querySelector(".said-claims").replaceChildren(...ofClaims(claims));
}

/** Unfold them, or fold them again. */
export function unfold(button, open) {
  button.setAttribute("aria-expanded", String(open));
}
