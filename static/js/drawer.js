// The drawer of the page of scores: a topic opens beside the table, and Esc closes it. Its address says which one is
// open, so that it can be sent, and goes back. Without this script its links load the whole page.

const of = (address) => new URL(address, location).searchParams.get("topic");
const link = (topic) => [...document.querySelectorAll("a.opens")].find((a) => of(a.href) === topic);
let wanted = of(location);

async function show(address) {
  const topic = of(address);
  wanted = topic;
  let html = "";
  if (topic) {
    const part = new URL(address, location);
    part.searchParams.set("part", "drawer");
    const answer = await fetch(part).catch(() => null);
    if (!answer?.ok) return location.assign(address);
    html = await answer.text();
    // Another one was opened meanwhile.
    if (wanted !== topic) return;
  }
  const open = document.querySelector(".drawer");
  const before = open && document.activeElement?.closest(".drawer");
  const last = document.querySelector("a.opens[aria-current]");
  open?.remove();
  last?.removeAttribute("aria-current");
  last?.closest("tr").classList.remove("open");
  const here = link(topic);
  if (html) {
    document.querySelector("main").insertAdjacentHTML("beforeend", html);
    here?.setAttribute("aria-current", "true");
    here?.closest("tr").classList.add("open");
    document.querySelector("#drawer-title").focus();
  } else if (before || document.activeElement === document.body) last?.focus();
}

function go(address) {
  history.pushState(null, "", address);
  show(address);
}

document.addEventListener("click", (event) => {
  const pressed = event.target.closest("a.opens, .drawer a.close");
  if (!pressed || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  // A second press closes.
  const again = pressed.matches("a[aria-current]");
  go(again ? document.querySelector(".drawer a.close").href : pressed.href);
});

document.addEventListener("keydown", (event) => {
  const close = document.querySelector(".drawer a.close");
  if (event.key !== "Escape" || !close || event.defaultPrevented) return;
  event.preventDefault();
  document.querySelector(".drawer h2").focus();
  go(close.href);
});

addEventListener("popstate", () => show(location.href));
