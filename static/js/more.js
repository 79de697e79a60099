/* While there is nothing to judge: on request the page looks every minute if there is, and then says so, by a notice of
   the browser too where that is allowed. It asks for its own address. That it was asked to look is kept in the tab, so that
   loading the page again, or coming back to it, does not end it. */

const MINUTE = 60_000;

const line = document.querySelector(".tell-me");
const button = line?.querySelector("button");
const said = line?.querySelector("[role=status]");
const { title } = document;

// A page on which something can be begun has a main button of its own, which does not merely look.
const offers = (page) => [...page.querySelectorAll(".main:is(a, button):not([data-looks])")].some((one) => !one.closest(".tell-me"));

async function look() {
  try {
    const response = await fetch(location.href, { headers: { Accept: "text/html" } });
    const page = response.ok && new DOMParser().parseFromString(await response.text(), "text/html");
    if (page && offers(page)) tell();
  } catch {
    // Without a connection: the next minute.
  }
}

function tell() {
  stop();
  button.hidden = true;
  line.querySelector("a").hidden = false;
  said.textContent = said.dataset.found;
  document.title = `● ${line.dataset.title}`;
  if (globalThis.Notification?.permission !== "granted") return;
  const notice = new Notification(line.dataset.title, { body: line.dataset.study, tag: location.pathname });
  notice.onclick = () => globalThis.focus();
}

const ASKED = `faceoff:tell:${location.pathname}`;
let timer = 0;

// Storage may be forbidden, as in some frames.
function kept(act) {
  try {
    return act(sessionStorage);
  } catch {
    return null;
  }
}

function start() {
  timer = setInterval(look, MINUTE);
  kept((tab) => tab.setItem(ASKED, "on"));
  show();
}

function stop() {
  clearInterval(timer);
  timer = 0;
  kept((tab) => tab.removeItem(ASKED));
  show();
}

function show() {
  button.setAttribute("aria-pressed", String(Boolean(timer)));
  said.textContent = timer ? said.dataset.on : "";
  document.title = title;
}

button?.addEventListener("click", () => {
  if (timer) return stop();
  start();
  if (globalThis.Notification?.permission === "default") Notification.requestPermission();
});

// Browsers slow down or stop what is not in view.
document.addEventListener("visibilitychange", () => timer && !document.hidden && look());

if (line) {
  line.hidden = false;
  if (kept((tab) => tab.getItem(ASKED))) start();
}
