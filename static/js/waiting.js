// What a page waits for arrives by itself. The page is asked for again, at first every second: a part [data-waits] shows how
// far it is, and where one is gone, the element whose id it names is exchanged. A page without such a part is
// reloaded, as every page is without this script, or left for the next one that it names.

import { localise } from "./times.js";

const SOON = 1000; // ms, in the first half minute
const EVERY = 3000; // after it; as `AGAIN_SECONDS` of web.shared.waiting_pages
const HIDDEN = 15000; // while nobody looks
const parts = () => [...document.querySelectorAll("[data-waits]")];

later();

function later() {
  setTimeout(look, document.hidden ? HIDDEN : performance.now() < 30000 ? SOON : EVERY);
}

async function look() {
  const next = document.querySelector("link[rel=next]");
  if (!parts().length) return next ? location.replace(next.href) : location.reload();
  try {
    const answer = await fetch(location.href, {
      cache: "no-store",
      redirect: "manual", // to the login
      signal: AbortSignal.timeout(10000),
    });
    if (answer.type === "opaqueredirect" || answer.status === 404) return location.reload();
    if (answer.ok) show(new DOMParser().parseFromString(await answer.text(), "text/html"));
  } catch {
    // Not connected: the next look tries again.
  }
  if (parts().length) later();
}

function show(page) {
  for (const id of new Set(parts().map((part) => part.dataset.waits))) {
    const [before, now] = [document, page].map((one) => [...one.querySelectorAll(`[data-waits="${id}"]`)]);
    if (now.length < before.length) {
      arrive(document.getElementById(id), page.getElementById(id));
      continue;
    }
    for (const [place, part] of before.entries()) {
      if (part.innerHTML !== now[place].innerHTML) part.replaceWith(now[place]);
    }
  }
}

function arrive(before, after) {
  if (!before || !after) return location.reload();
  const focused = before.contains(document.activeElement);
  before.replaceWith(after);
  localise(after);
  document.querySelector("[data-arrived]").textContent = "The figures are here.";
  if (!focused) return;
  after.tabIndex = -1;
  after.focus({ preventScroll: true });
}
