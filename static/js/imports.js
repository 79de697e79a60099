// Keeps the page of an import, or the list of them, up to date while files are loaded.

import { localise } from "./times.js";

const part = document.getElementById("import");
const told = document.getElementById("import-told");

async function look() {
  try {
    const answer = await fetch(part.dataset.from, { credentials: "same-origin" });
    // Logged out, or the study is no longer ours: stop asking.
    if (!answer.ok || answer.redirected) return;
    const text = await answer.text();
    // The end is read out; every second of the way, or all of a list, would be noise.
    const ended = !text.includes("data-running");
    if (ended && !told) part.setAttribute("aria-live", "polite");
    if (ended && told) told.textContent = told.dataset.end;
    part.innerHTML = text;
    localise(part);
  } catch {
    // The server is away for a moment; the next look may find it.
  }
  if (part.querySelector("[data-running]")) setTimeout(look, 1000);
}

setTimeout(look, 1000);
