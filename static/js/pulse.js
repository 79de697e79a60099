// Keeps the pulse of each study on the page up to date: a line that the server renders once for all who watch, and
// answers with 304 while it is the same. Without this script a link leads to the page of progress.

const EVERY = 5000; // ms; as long as the server keeps a pulse
const HIDDEN = 30000; // while nobody looks
const title = document.title;

for (const slot of document.querySelectorAll("[data-pulse]")) {
  if (document.querySelector("main [data-finished]")) slot.dataset.pulse += "?finished"; // the page says so itself
  beat(slot);
}

async function beat(slot, version = "") {
  let next = version;
  try {
    const answer = await fetch(slot.dataset.pulse, {
      headers: { "If-None-Match": version },
      cache: "no-store",
      redirect: "manual", // to the login
      signal: AbortSignal.timeout(10000),
    });
    if (answer.status === 200) {
      slot.innerHTML = await answer.text();
      if (!version && slot.querySelector(":is(.look, .done) .trouble a")) need(slot.closest("tr"));
      next = answer.headers.get("ETag") ?? "";
      const state = slot.querySelector("[data-title]")?.dataset.title;
      if (state && "title" in slot.dataset) document.title = `${state} ${title}`;
    } else if (answer.status !== 304 && answer.status < 500) return; // logged out, or no part in it any more
  } catch {
    // Not connected: the next beat tries again.
  }
  if ("once" in slot.dataset) return; // nothing goes on there
  setTimeout(() => beat(slot, next), document.hidden ? HIDDEN : EVERY);
}

// In the list of studies, one whose first pulse asks for the reader goes to those that need them, in order of activity.
function need(line) {
  const list = document.querySelector("[data-needs]");
  const from = line?.parentElement;
  if (!list || !from || from === list) return;
  const later = [...list.children].find((one) => Number(one.dataset.at) < Number(line.dataset.at));
  list.insertBefore(line, later ?? null);
  for (const one of [list, from]) one.closest("table").hidden = !one.childElementCount;
}
