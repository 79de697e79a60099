// The drawer of the page of scores: a topic opens beside the table, by its name or by a run's cell, and Esc closes it.
// Its address says which one is open, so that it can be sent, and goes back. Without this script its links load the
// whole page.

const of = (address) => new URL(address, location).searchParams.get("topic");
const by = (head) => head.querySelector("a") && new URL(head.querySelector("a").href).searchParams.get("by");
const link = (topic) => [...document.querySelectorAll("a.opens")].find((a) => of(a.href) === topic);
// Which request is the last: what an earlier one brings is not shown.
let turn = 0;
// The cell that was pressed last.
let from = null;

/** Mark the cell of the run and the topic that an address names. */
function mark(address) {
  for (const cell of document.querySelectorAll(".dense td[aria-current]")) cell.removeAttribute("aria-current");
  const run = new URL(address, location).searchParams.get("of");
  const row = run && link(of(address))?.closest("tr");
  const column = row && [...row.closest("table").tHead.rows[0].cells].find((head) => by(head) === run);
  if (column) row.cells[column.cellIndex].setAttribute("aria-current", "true");
}

async function show(address) {
  const topic = of(address);
  mark(address);
  turn += 1;
  const mine = turn;
  const inside = document.activeElement?.closest(".drawer");
  const last = document.querySelector("a.opens[aria-current]");
  last?.removeAttribute("aria-current");
  last?.closest("tr").classList.remove("open");
  if (!topic) {
    document.querySelector(".drawer")?.remove();
    const back = from?.parentElement === last?.closest("tr") ? from : last;
    if (inside || document.activeElement === document.body) back?.focus();
    return;
  }
  const here = link(topic);
  here?.setAttribute("aria-current", "true");
  here?.closest("tr").classList.add("open");
  put(begun(address, here));
  document.querySelector("#drawer-title").focus();
  const part = new URL(address, location);
  part.searchParams.set("part", "drawer");
  const answer = await fetch(part).catch(() => null);
  const html = answer?.ok ? await answer.text() : "";
  // Another one was opened meanwhile, or this one closed.
  if (mine !== turn) return;
  if (!html) return location.assign(address);
  const stays = document.activeElement?.closest(".drawer");
  put(document.createRange().createContextualFragment(html));
  if (stays) document.querySelector("#drawer-title").focus();
}

function put(drawer) {
  document.querySelector(".drawer")?.remove();
  document.querySelector("main").append(drawer);
}

/** The drawer before its topic has come: it stands where it will, with the title, and says that it loads. */
function begun(address, here) {
  const closed = new URL(address, location);
  for (const name of ["topic", "of"]) closed.searchParams.delete(name);
  const drawer = document.createElement("aside");
  drawer.className = "drawer";
  drawer.id = "drawer";
  drawer.ariaBusy = "true";
  drawer.setAttribute("aria-labelledby", "drawer-title");
  drawer.innerHTML = `<p class="drawer-bar small"><span>Loading</span> <a class="close">Close</a></p>
    <h2 id="drawer-title" tabindex="-1" dir="auto"></h2>`;
  drawer.querySelector("a").href = closed;
  drawer.querySelector("h2").textContent = (here?.parentElement.querySelector(".said-text") ?? here)?.textContent ?? "";
  return drawer;
}

function go(address) {
  history.pushState(null, "", address);
  show(address);
}

const CELL = ".dense td:has(.number)";

// A cell leads to its topic with its run, by which the head of its column orders.
function open(cell) {
  const head = cell.closest("table").tHead.rows[0].cells[cell.cellIndex];
  const address = new URL(cell.parentElement.querySelector("a.opens").href);
  address.searchParams.set("of", by(head));
  from = cell;
  go(address.href === location.href ? document.querySelector(".drawer a.close").href : address.href);
}

document.addEventListener("click", (event) => {
  const pressed = event.target.closest(`a.opens, .drawer a.close, ${CELL}`);
  if (!pressed || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  if (pressed.matches(CELL)) return open(pressed);
  // A second press closes.
  const again = pressed.matches("a[aria-current]");
  go(again ? document.querySelector(".drawer a.close").href : pressed.href);
});

document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && event.target.matches(CELL)) return open(event.target);
  const close = document.querySelector(".drawer a.close");
  if (event.key !== "Escape" || !close || event.defaultPrevented) return;
  event.preventDefault();
  document.querySelector(".drawer h2").focus();
  go(close.href);
});

addEventListener("popstate", () => show(location.href));
mark(location.href);
