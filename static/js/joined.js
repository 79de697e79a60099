/* The open link and the same browser: it remembers the personal address that it was given, and offers to go on
   there before anybody joins once more. Kept in the browser alone; where it keeps nothing, all is as without. */

const JOINING = "faceoff:joining";
const JOINED = "faceoff:joined:";
// How far the batch there is: js/judge/kept.js says it.
const AT = "faceoff:at:";
const here = location.pathname;

// Storage may be missing, full or forbidden, as in some frames: then nothing is remembered.
function attempt(act) {
  try {
    return act();
  } catch {
    return null;
  }
}

// A path of this server, and no other's address, whatever was stored.
const isPath = (address) => /^\/[^/\\]/.test(address ?? "");

const offer = document.querySelector("[data-go-on]");
if (offer) {
  const home = attempt(() => localStorage.getItem(JOINED + here));
  const begin = document.querySelector("form.begin");
  if (isPath(home)) {
    offer.querySelector("a").href = home;
    const where = attempt(() => localStorage.getItem(AT + home));
    const told = offer.querySelector("[data-at]");
    if (where) told.textContent = told.dataset.at.replace("{where}", where);
    offer.hidden = false;
    const button = begin?.querySelector("button[data-other]");
    if (button) {
      button.textContent = button.dataset.other;
      button.classList.remove("main");
    }
  }
  // Enter begins, or goes on, without a look for the button; nothing scrolls.
  if (matchMedia("(hover: hover)").matches) document.querySelector("[data-go-on]:not([hidden]) a, form.begin button")?.focus({ preventScroll: true });
  begin?.addEventListener("submit", () => attempt(() => sessionStorage.setItem(JOINING, here)));
} else {
  // The first page after joining is the personal one: its address belongs to the link that led here.
  attempt(() => {
    const link = sessionStorage.getItem(JOINING);
    if (!link) return;
    localStorage.setItem(JOINED + link, here);
    sessionStorage.removeItem(JOINING);
  });
}
