// The stepper of a leaderboard's history: moving the slider shows the standing there, without leaving it.
// Without this a button and the links do the same.

import { localise } from "./times.js";

const section = document.querySelector("[data-replay]");
const slider = section?.querySelector("[data-step]");
// ms that a slider rests before it is answered: a drag passes many standings.
const REST = 80;
let last = 0;
let resting = 0;

async function show(address) {
  const turn = ++last;
  const response = await fetch(address, { headers: { Accept: "text/html" } });
  if (!response.ok || response.redirected) {
    location.assign(address);
    return;
  }
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const shown = page.querySelectorAll("[data-replay] [data-shown]");
  // A later move has overtaken this one.
  if (turn !== last) return;
  if (!shown.length) {
    location.assign(address);
    return;
  }
  section.querySelectorAll("[data-shown]").forEach((part, place) => {
    part.replaceWith(shown[place]);
  });
  localise(section);
  history.replaceState(null, "", address);
}

if (slider) {
  const form = slider.form;
  const ask = () => {
    const query = new URLSearchParams(new FormData(form));
    slider.setAttribute("aria-valuetext", `standing ${slider.value} of ${slider.max}`);
    show(`?${query}#replay`).catch(() => form.submit());
  };
  slider.addEventListener("input", () => {
    clearTimeout(resting);
    resting = setTimeout(ask, REST);
  });
}
