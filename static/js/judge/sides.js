/* One side at a time where the window has no room for both: their heads are tabs then, and an answer is taken once
   both were in view. Result pages do so on every narrow window, pairs where their texts do not fit. */

import { named } from "./named.js";
import { refresh } from "./pictures.js";
import { leapt } from "./seen.js";
import { sentence } from "./sentences.js";
import { reach, say } from "./show.js";

const narrow = matchMedia("(max-width: 479px), (max-width: 719px) and (orientation: portrait)");
const low = matchMedia("(max-height: 499px) and (min-width: 480px)");
// How far a finger goes for the other side, and how much of the text's beginning its tab shows.
const SWIPE = 50;
const BEGINS = 120;

const questions = [...document.querySelectorAll(".question:has(.which)")];
const inSight = () => questions.find((question) => !question.hidden);
const tabs = (question) => [...question.querySelectorAll(".switch")];
const side = (question, name) => question.querySelector(`.side.${name}`);
const passage = (question, name) => side(question, name).querySelector(".passage");
const way = (element) => element.scrollHeight - element.clientHeight;
const other = (question) => (question.dataset.side === "left" ? "right" : "left");

// Where each text was left, and where the one in view was taken up.
const places = new WeakMap();
let taken = 0;

function folds(question) {
  if (question.matches(".result-pages")) return narrow.matches;
  delete question.dataset.tight;
  if (!narrow.matches && !low.matches) return false;
  delete question.dataset.folded;
  const over = () => [...question.querySelectorAll(".passage")].some((one) => way(one) > 1);
  if (!over()) return false;
  // Texts that miss the room by little are set closer, and stay in view both.
  question.dataset.tight = "";
  if (!over()) return false;
  delete question.dataset.tight;
  return true;
}

// How a text begins, its blocks with a blank between them: not who speaks, and no formula, whose signs are no words.
function beginning(text) {
  if (!text) return "";
  const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
  let [said, block] = ["", null];
  while (said.length < BEGINS && walker.nextNode()) {
    const { parentElement: parent, data } = walker.currentNode;
    if (parent.closest(".speaker")) continue;
    const formula = parent.closest("math");
    const own = formula ?? parent.closest("p, li, td, th, pre, h1, h2, h3, h4, h5, h6, div");
    if (formula && own === block) continue;
    const apart = block && own !== block && !formula && !block.matches("math");
    said += (apart ? " " : "") + (formula ? "…" : data);
    block = own;
  }
  return said.replace(/\s+/g, " ").trim().slice(0, BEGINS);
}

function fold(question) {
  question.toggleAttribute("data-folded", folds(question));
  for (const tab of tabs(question)) {
    const part = side(question, tab.dataset.turn);
    part.setAttribute("role", "folded" in question.dataset ? "tabpanel" : "article");
    tab.querySelector(".begins").textContent = beginning(part.querySelector(".passage .set"));
  }
}

// An answer that was given before, or that waits for what is asked after it, stays one. What was in view stays so in a
// window of another shape: of both at once that is known once they are set in their own letters.
function hold(question) {
  const folded = "folded" in question.dataset;
  if (!folded && document.fonts.status === "loaded") Object.assign(question.dataset, { left: "seen", right: "seen" });
  const { choice, pending, left, right } = question.dataset;
  // Of two that show the same one is enough.
  const free = !folded || choice || pending || question.querySelector(".same:not([hidden])") || (left && right);
  question.toggleAttribute("data-hold", !free);
  question.querySelector(".hold").hidden = Boolean(free);
}

// A text is taken up at its beginning, later where it was left, or as far down as the other was scrolled meanwhile.
function place(question, from, to) {
  if (way(to) <= 0) return;
  const moved = from && from.top !== taken && !question.matches(".result-pages");
  if (moved && places.has(to)) {
    leapt(to);
    to.scrollTop = from.share * way(to);
  } else to.scrollTop = places.get(to) ?? 0;
  taken = to.scrollTop;
}

function turn(question, name) {
  const before = passage(question, question.dataset.side ?? name);
  const from = question.dataset.side && { top: before.scrollTop, share: before.scrollTop / Math.max(1, way(before)) };
  if (from) places.set(before, from.top);
  question.dataset.side = name;
  question.dataset[name] = "seen";
  for (const tab of tabs(question)) {
    const chosen = tab.dataset.turn === name;
    tab.setAttribute("aria-selected", String(chosen));
    tab.tabIndex = chosen ? 0 : -1;
  }
  place(question, from, passage(question, name));
  hold(question);
  reach();
  refresh(question);
  question.dispatchEvent(new Event("turn", { bubbles: true }));
}

function swap(question, name = other(question)) {
  if (!("folded" in question.dataset) || name === question.dataset.side) return;
  turn(question, name);
  const tab = tabs(question).find((one) => one.dataset.turn === name);
  say(sentence("in view", { side: tab.querySelector(".name").innerText.trim() }));
}

function come() {
  const question = inSight();
  if (!question) return;
  fold(question);
  if (!("folded" in question.dataset) || question.dataset.side) {
    hold(question);
    reach();
    refresh(question);
    question.dispatchEvent(new Event("turn", { bubbles: true }));
  } else turn(question, better(question) ? "right" : "left");
}

// Whether the right one is better, as it is said of a practice answer.
const better = (question) => question.querySelector(".side.right .better-one");

// A question that comes back begins anew.
function leave(question) {
  for (const one of question.querySelectorAll(".passage")) places.delete(one);
  delete question.dataset.side;
}

/* Keys and fingers */

function onKey(event) {
  const question = inSight();
  if (!question || event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
  if (document.querySelector("dialog[open]") || !("folded" in question.dataset)) return;
  // Arrows go from tab to tab as anywhere: while the focus is there they answer nothing.
  const tab = event.target.closest(".switch:focus-visible");
  const to = { ArrowLeft: "left", ArrowUp: "left", ArrowRight: "right", ArrowDown: "right" }[event.key];
  if (tab && to) {
    event.preventDefault();
    event.stopPropagation();
    swap(question, to);
    tabs(question).find((one) => one.dataset.turn === to).focus();
  } else if (named(event) === "s") swap(question);
}

// What scrolls sideways under the finger keeps its own movement.
function scrollsSideways(target) {
  for (let one = target; one && !one.matches(".side"); one = one.parentElement) {
    if (one.scrollWidth > one.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(one).overflowX)) return true;
  }
  return false;
}

let finger = null;

function touched({ touches, target }) {
  const begins = touches.length === 1 && target.closest(".pair") && !scrollsSideways(target);
  finger = begins ? { x: touches[0].clientX, y: touches[0].clientY } : null;
}

function lifted({ changedTouches }) {
  const question = inSight();
  if (!finger || !question || !getSelection().isCollapsed) return;
  const [x, y] = [changedTouches[0].clientX - finger.x, changedTouches[0].clientY - finger.y];
  finger = null;
  if (Math.abs(x) > SWIPE && Math.abs(x) > 2 * Math.abs(y)) swap(question, x < 0 ? "right" : "left");
}

if (questions.length) {
  document.addEventListener("click", ({ target }) => {
    const tab = target.closest(".switch");
    if (tab) swap(tab.closest(".question"), tab.dataset.turn);
  });
  document.addEventListener("keydown", onKey, true);
  document.addEventListener("touchstart", touched, { passive: true });
  document.addEventListener("touchend", lifted, { passive: true });
  new MutationObserver((changes) => {
    const turned = changes.map(({ target }) => target).filter((one) => questions.includes(one));
    for (const one of turned) if (one.hidden) leave(one);
    if (turned.length) come();
  }).observe(document.querySelector("main"), { subtree: true, attributeFilter: ["hidden"] });
  new MutationObserver(come).observe(document.body, { attributeFilter: ["data-letters"] });
  addEventListener("resize", come);
  document.addEventListener("restored", come);
  // Whether both texts fit is measured anew in the letters that have come for them.
  document.fonts.addEventListener("loadingdone", come);
  come();
}
