// Finding, sorting and pinning runs on a leaderboard, in the page alone: the server sends everybody the same.
//
// [data-board-tools] holds the controls, shown by this script in [data-board-slot], with the line of trust. Rows are those of [data-board]; heads with
// data-sort become buttons. live.js says by the event "exchanged" that rows are new, with their order where
// that has changed. What is chosen stands in the address, so that it can be sent to somebody.

import { moveRows } from "./rows.js";

// Runs that take a search field; on a phone more than it shows at first.
const MANY = matchMedia("(max-width: 52rem)").matches ? 11 : 8;
const RACE_SECONDS = 30; // between two pictures of the race
const MOST_PINS = 5; // as in web/shared/view_choices.py
const GLYPHS = "●■▲◆✚";
const part = document.querySelector("[data-board-part]");
const tools = document.querySelector("[data-board-tools]");
const trust = document.querySelector("[data-trust]");
const asked = new URLSearchParams(location.search);
const chosen = {
  find: asked.get("find") ?? "",
  groups: ["best", "first"].find((name) => name === asked.get("groups")) ?? "",
  sort: asked.get("sort") ?? "",
  turned: asked.get("turned") === "1",
  pins: new Set((asked.get("pin") ?? "").split(",").filter(Boolean)),
};
let given = []; // keys of the rows in the order of the server

const rows = () => [...part.querySelectorAll("[data-board] tbody tr")];
const keyOf = (row) => row.dataset.piece.slice("run-".length);
const nameOf = (row) => row.querySelector(".run a").textContent;
const behind = (row) => row.classList.contains("behind");
// A group is what stands before the first - _ . : or / of a name, as teams name the runs that they send in.
const groupOf = (row) => nameOf(row).split(/[-_.:/]/)[0].toLowerCase();

if (tools && part) {
  given = rows().map(keyOf);
  if (given.length >= MANY) tools.hidden = false;
  const { find, groups } = tools.elements;
  find.value = chosen.find;
  groups.value = chosen.groups;
  find.addEventListener("input", () => {
    chosen.find = find.value;
    show();
  });
  groups.addEventListener("change", () => {
    chosen.groups = groups.value;
    show();
  });
  tools.addEventListener("submit", (event) => event.preventDefault());
  part.addEventListener("click", clicked);
  part.addEventListener("exchanged", ({ detail }) => {
    if (detail.order) given = detail.order.filter((name) => name.startsWith("run-")).map((name) => name.slice(4));
    else if (detail.whole) given = rows().map(keyOf);
    show(false);
    race();
  });
  show(false);
}

// The race is drawn anew while the board moves, now and then.
let raced = performance.now();

function race() {
  if (performance.now() - raced < 1000 * RACE_SECONDS) return;
  raced = performance.now();
  for (const source of document.querySelectorAll("[data-race] :is(source, img)")) {
    const name = source.matches("img") ? "src" : "srcset";
    source[name] = `${source[name].split("#")[0]}#${Math.round(raced)}`;
  }
}

function clicked({ target }) {
  const pin = target.closest("button.pin");
  const sort = target.closest("button.sort");
  if (pin) {
    const key = pin.id.slice("pin-".length);
    if (!chosen.pins.delete(key)) chosen.pins.add(key);
    // One more than there may be takes the place of the oldest.
    if (chosen.pins.size > MOST_PINS) chosen.pins.delete([...chosen.pins][0]);
    moveRows(part, show);
    document.getElementById(pin.id)?.focus({ preventScroll: true });
  } else if (sort) {
    const wanted = sort.id.slice("sort-".length);
    chosen.turned = wanted === chosen.sort && !chosen.turned;
    chosen.sort = wanted;
    moveRows(part, show);
    document.getElementById(sort.id)?.focus({ preventScroll: true });
  }
}

/** Show the rows as chosen; told: put it into the address too. */
function show(told = true) {
  const all = rows();
  // Beside the table, below the answer: where the part is new, the place for it is too.
  const slot = part.querySelector("[data-board-slot]");
  if (slot && tools.parentElement !== slot) slot.append(...[trust, tools].filter(Boolean));
  const groups = new Set(all.map(groupOf));
  const { best, first } = Object.fromEntries([...tools.elements.groups.options].map((one) => [one.value, one]));
  best.hidden = groups.size < 2 || groups.size === all.length;
  first.hidden = !all.some(behind);
  tools.elements.groups.closest("p").hidden = best.hidden && first.hidden;
  heads();
  all.forEach(pinned);
  const order = sorted(all);
  const body = order[0]?.parentElement;
  if (order.some((row, place) => row !== all[place])) body?.append(...order);
  const shown = filter(order);
  const plain = !chosen.sort && !chosen.turned && shown === all.length && !chosen.pins.size;
  part.querySelector("[data-board]")?.classList.toggle("chosen", !plain);
  const said = shown === all.length ? "" : `${shown} of ${all.length} runs`;
  if (tools.querySelector("output").textContent !== said) tools.querySelector("output").textContent = said;
  handOn();
  if (told) address();
}

function sorted(all) {
  const place = new Map(given.map((key, at) => [key, at]));
  const way = chosen.turned ? -1 : 1;
  const worth = (row) => {
    if (!chosen.sort) return place.get(keyOf(row)) ?? given.length;
    if (chosen.sort === "name") return nameOf(row);
    const cell = row.querySelector(`[data-key="${CSS.escape(`${keyOf(row)}-${chosen.sort}`)}"]`);
    return cell ? -Number(cell.dataset.value) : null; // the highest first
  };
  const compare = ([a, x], [b, y]) => {
    const pins = chosen.pins.has(keyOf(b)) - chosen.pins.has(keyOf(a));
    if (pins) return pins;
    if (x === null || y === null) return (x === null) - (y === null); // absent ones last, either way
    return way * (typeof x === "string" ? x.localeCompare(y) : x - y);
  };
  return all
    .map((row) => [row, worth(row)])
    .sort(compare)
    .map(([row]) => row);
}

/** Hide what is not looked for; return how many are left. Pinned rows stay. */
function filter(order) {
  const words = chosen.find.toLowerCase().split(/\s+/).filter(Boolean);
  const seen = new Set();
  const best = new Map([...order].sort((a, b) => given.indexOf(keyOf(a)) - given.indexOf(keyOf(b))).map((row) => [row]));
  if (chosen.groups === "first") for (const row of best.keys()) best.set(row, !behind(row));
  if (chosen.groups === "best") {
    for (const row of best.keys()) {
      best.set(row, !seen.has(groupOf(row)));
      seen.add(groupOf(row));
    }
  }
  let shown = 0;
  for (const row of order) {
    const name = nameOf(row).toLowerCase();
    const found = words.every((word) => name.includes(word)) && (!chosen.groups || best.get(row));
    row.hidden = !found && !chosen.pins.has(keyOf(row));
    shown += !row.hidden;
  }
  return shown;
}

/** Make the heads buttons that sort. */
function heads() {
  for (const head of part.querySelectorAll("th[data-sort]")) {
    const { sort } = head.dataset;
    if (!head.querySelector("button")) {
      const button = document.createElement("button");
      button.className = "plain sort";
      button.id = `sort-${sort}`;
      button.type = "button";
      button.append(head.firstChild);
      head.prepend(button, " ");
    }
    if (sort === chosen.sort) {
      const falls = (sort !== "name" && sort !== "") !== chosen.turned;
      head.setAttribute("aria-sort", falls ? "descending" : "ascending");
    } else head.removeAttribute("aria-sort");
  }
}

function pinned(row) {
  const key = keyOf(row);
  let button = row.querySelector("button.pin");
  if (!button) {
    button = document.createElement("button");
    button.className = "plain pin";
    button.id = `pin-${key}`;
    button.type = "button";
    row.querySelector(".run").append(" ", button);
  }
  const on = chosen.pins.has(key);
  button.textContent = on ? "Unpin" : "Pin";
  button.setAttribute("aria-label", `${on ? "Unpin" : "Pin"} ${nameOf(row)}`);
  row.classList.toggle("pinned", on);
  const place = [...chosen.pins].indexOf(key) + 1;
  for (let n = 1; n <= MOST_PINS; n++) row.classList.toggle(`pin-${n}`, n === place);
  let glyph = row.querySelector(".glyph");
  if (on && !glyph) {
    glyph = document.createElement("span");
    glyph.className = "glyph";
    glyph.ariaHidden = "true";
    row.querySelector(".run").prepend(glyph, " ");
  }
  if (on) glyph.textContent = GLYPHS[place - 1];
  else glyph?.remove();
}

// The navigation leads to the other pages with the same pins.
function handOn() {
  const pins = [...chosen.pins].join(",");
  for (const link of document.querySelectorAll("[data-carried] a")) {
    const query = new URLSearchParams(link.search);
    if (pins) query.set("pin", pins);
    else query.delete("pin");
    link.search = query;
  }
}

function address() {
  const query = new URLSearchParams(location.search);
  const put = (name, value) => (value ? query.set(name, value) : query.delete(name));
  put("find", chosen.find.trim());
  put("groups", chosen.groups);
  put("sort", chosen.sort);
  put("turned", chosen.turned ? "1" : "");
  put("pin", [...chosen.pins].join(","));
  history.replaceState(null, "", `${location.pathname}${query.size ? `?${query}` : ""}`);
}
