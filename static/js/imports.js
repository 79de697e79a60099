// Keeps an import's page up to date while the file is read. Without it the page reloads by itself.

import { localise } from "./times.js";

const part = document.getElementById("import");

async function look() {
  try {
    const answer = await fetch(part.dataset.from, { credentials: "same-origin" });
    // Logged out, or the study is no longer ours: stop asking.
    if (!answer.ok || answer.redirected) return;
    const text = await answer.text();
    // The end is read out; every second of the way would be noise.
    if (!text.includes("data-running")) part.setAttribute("aria-live", "polite");
    part.innerHTML = text;
    localise(part);
  } catch {
    // The server is away for a moment; the next look may find it.
  }
  if (part.querySelector("[data-running]")) setTimeout(look, 1000);
}

setTimeout(look, 1000);
