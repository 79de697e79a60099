/* While there is nothing to judge: on request the page looks every minute if there is, and then says so, by a notice of
   the browser too where that is allowed. It asks for its own address, and keeps nothing. */

const MINUTE = 60_000;

const line = document.querySelector(".tell-me");
const button = line?.querySelector("button");
const said = line?.querySelector("[role=status]");
const { title } = document;

// A page on which something can be begun has a main button of its own.
const offers = (page) => [...page.querySelectorAll(".main:is(a, button)")].some((one) => !one.closest(".tell-me"));

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

let timer = 0;

function stop() {
  clearInterval(timer);
  timer = 0;
}

button?.addEventListener("click", () => {
  if (timer) stop();
  else {
    timer = setInterval(look, MINUTE);
    if (globalThis.Notification?.permission === "default") Notification.requestPermission();
  }
  button.setAttribute("aria-pressed", String(Boolean(timer)));
  said.textContent = timer ? said.dataset.on : "";
  document.title = title;
});

if (line) line.hidden = false;
