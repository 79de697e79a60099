/* A pick: the best of a grid of items by its number, and where the study asks for it the worst by a second one.

   A digit with Shift would be another sign on every keyboard, so the worst has a stage of its own: each button
   says which of the two it gives now. Arrows go from item to item; O opens one in full, where its number or its
   button answers, and no other. */

import { add } from "./kinds.js";
import { named } from "./named.js";
import { awaited, complete, refresh } from "./pictures.js";
import { sentence } from "./sentences.js";
import { say } from "./show.js";
import { flash } from "./sources.js";

const items = (question) => [...question.querySelectorAll(".item")];
const numbered = (question, number) => question.querySelector(`.item[data-item="${number}"]`);
const jumpTo = (question, number) => question.querySelector(`[data-jump="${number}"]`);
const button = (item) => item.querySelector(".pick");
const inSight = () => document.querySelector(".question.picking:not([hidden])");

// Marks of an answer such as "3" or "3-1", or of the best alone while the worst is still to be picked.
function draw(question, answer, stage = "best") {
  const [best, worst] = answer.split("-");
  question.dataset.stage = stage;
  question.toggleAttribute("data-changed", /^\d/.test(question.dataset.choice) && answer !== question.dataset.choice);
  for (const item of items(question)) {
    const number = item.dataset.item;
    const picked = number === best ? "best" : number === worst ? "worst" : "";
    item.dataset.picked = picked;
    button(item).setAttribute("aria-pressed", String(picked !== ""));
    jumpTo(question, number)?.toggleAttribute("data-picked", picked !== "");
  }
}

const pick = {
  keys: Object.fromEntries([..."123456789"].map((digit) => [digit, digit])),
  buttons: ".pick",

  answer(question, pressed) {
    if (!numbered(question, pressed)) return null;
    if ("unseen" in question.dataset) leadOn(question);
    if (!("worst" in question.dataset)) return pressed;
    if (!complete(question)) {
      say(sentence(awaited(question)));
      return null;
    }
    if (question.dataset.stage !== "worst") {
      question.dataset.best = pressed;
      draw(question, pressed, "worst");
      say(sentence("best, now worst", { best: pressed }));
      return null;
    }
    const { best } = question.dataset;
    if (pressed === best) {
      draw(question, "");
      say(sentence("taken back"));
      return null;
    }
    return `${best}-${pressed}`;
  },

  mark(question, answer) {
    draw(question, answer);
    free(question);
  },

  words(answer) {
    const [best, worst] = answer.split("-");
    return sentence(worst ? "best and worst" : "best", { best, worst });
  },

  label(_question, answer) {
    const named = document.createElement("span");
    const [best, worst] = answer.split("-");
    named.className = "label";
    named.textContent = sentence(worst ? "best and worst label" : "best label", { best, worst });
    return named;
  },
};

/* Looking: where the page scrolls, a pick is taken once the end of each item was in view, with its button, or the item in full */

const unseen = new WeakMap();

const looks = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) if (isIntersecting) look(target);
}, { threshold: 0.9 });

function look(one) {
  const question = one.closest(".question");
  looks.unobserve(one);
  unseen.get(question)?.delete(one);
  jumpTo(question, one.value)?.setAttribute("data-seen", "");
  count(question);
  if (!unseen.get(question)?.size) free(question);
}

function count(question) {
  const [total, left] = [items(question).length, unseen.get(question)?.size];
  question.querySelector(".jump span").textContent = left ? sentence("how many seen", { seen: total - left, total }) : "";
}

// Who picks too early is brought to what was not seen yet, and to the words that ask for it.
function leadOn(question) {
  flash(question.querySelector(".stage"));
  const [first] = unseen.get(question);
  numbered(question, first.value).scrollIntoView();
}

// Where the page scrolls: which items are in the middle of the window.
const middle = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    const jump = jumpTo(target.closest(".question"), target.dataset.item);
    if (isIntersecting) jump.setAttribute("aria-current", "true");
    else jump.removeAttribute("aria-current");
  }
}, { rootMargin: "-50% 0px" });

// An answer that was given before stays one.
function free(question) {
  if (!("unseen" in question.dataset)) return;
  delete question.dataset.unseen;
  refresh(question);
}

function watch(question) {
  if (question.dataset.choice) return;
  unseen.set(question, new Set(items(question).map(button)));
  question.dataset.unseen = "";
  for (const one of unseen.get(question)) looks.observe(one);
  count(question);
  refresh(question);
}

/* One item in full */

const dialog = document.querySelector("#in-full");
const whole = dialog?.querySelector(".whole");
// How far a finger goes sideways, in px, to turn to the next one.
const SWIPE = 60;
let opened = null;

function open(item) {
  opened = item;
  const shown = item.querySelector(".passage .set, .frame img") ?? item.querySelector(".passage");
  const copy = shown.cloneNode(true);
  for (const one of [copy, ...copy.querySelectorAll("[id]")]) one.removeAttribute("id");
  if (copy.matches("img")) {
    copy.removeAttribute("aria-labelledby");
    copy.removeAttribute("style");
    // A cell of the grid has a small copy.
    copy.src = shown.dataset.larger ?? shown.src;
  }
  whole.replaceChildren(copy);
  whole.scrollTop = 0;
  const all = items(item.closest(".question"));
  const where = sentence("where", { number: all.indexOf(item) + 1, total: all.length });
  dialog.querySelector("h2").textContent = `${item.querySelector("h2").firstChild.data.trim()} · ${where}`;
  look(button(item));
  const give = dialog.querySelector("[data-pick]");
  give.replaceChildren(...worded(item));
  give.disabled = button(item).matches("[aria-disabled]");
  if (!dialog.open) dialog.showModal();
  whole.focus({ preventScroll: true });
}

// What its button says now, with the cap of its key.
function worded(item) {
  const stage = item.closest(".question").dataset.stage === "worst" ? ".as-worst" : ".as-best";
  const words = button(item).querySelector(stage).lastChild.cloneNode(true);
  return [words, " ", button(item).querySelector("kbd").cloneNode(true)];
}

// Its own button answers, as if it were pressed in the grid.
function pressed(item) {
  dialog.close();
  button(item).click();
}

// The item where the focus is, or the one under the pointer, or the first.
function current(question) {
  const focused = document.activeElement?.closest(".item");
  return focused ?? question.querySelector(".item:hover") ?? items(question)[0];
}

function step(from, by) {
  const all = items(from.closest(".question"));
  return all[(all.indexOf(from) + by + all.length) % all.length];
}

function onKey(event) {
  const question = inSight();
  if (!question || event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  const key = named(event);
  if (dialog.open) {
    if (by) open(step(opened, by));
    else if (key === "o") dialog.close();
    else if (numbered(question, key) === opened && !event.repeat) pressed(opened);
    else return;
  } else if (document.querySelector("dialog[open]")) {
    return;
  } else if (by) {
    const focused = document.activeElement?.closest(".item");
    const item = focused ? step(focused, by) : items(question).at(by > 0 ? 0 : -1);
    (item.querySelector(".passage[tabindex]") ?? button(item)).focus();
  } else if (key === "o" && !event.repeat) {
    open(current(question));
  } else return;
  event.preventDefault();
}

if (dialog) {
  document.addEventListener("keydown", onKey);
  document.addEventListener("click", ({ target }) => {
    const full = target.closest("[data-full]");
    if (full) open(full.closest(".item"));
    else if (target.matches("[data-jump]")) numbered(inSight(), target.dataset.jump).scrollIntoView();
    else if (target.closest("[data-step]")) open(step(opened, Number(target.closest("[data-step]").dataset.step)));
    else if (target.closest("[data-pick]")) pressed(opened);
  });
  // A swipe turns to the next one; what is wider than the window is scrolled by it.
  let from = null;
  whole.addEventListener("touchstart", ({ touches: [finger, other] }) => {
    from = other || whole.scrollWidth > whole.clientWidth ? null : finger;
  }, { passive: true });
  whole.addEventListener("touchend", ({ changedTouches: [finger] }) => {
    if (!from) return;
    const [x, y] = [finger.clientX - from.clientX, finger.clientY - from.clientY];
    if (Math.abs(x) > SWIPE && Math.abs(x) > 2 * Math.abs(y)) open(step(opened, x < 0 ? 1 : -1));
  });
  dialog.addEventListener("close", () => opened && (opened.querySelector(".passage[tabindex]") ?? button(opened)).focus());
  // Once a question is out of sight, the line that stays says it.
  const asks = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) target.closest(".question").toggleAttribute("data-scrolled", !isIntersecting);
  });
  for (const question of document.querySelectorAll(".question.picking")) {
    draw(question, question.dataset.choice);
    watch(question);
    for (const item of items(question)) middle.observe(item);
    question.querySelector(".stage").dataset.asks = question.querySelector("h1 bdi").textContent;
    asks.observe(question.querySelector("h1"));
  }
  // Before the best was picked all had been seen.
  document.addEventListener("restored", ({ target }) => {
    const { stage, best } = target.dataset;
    if (stage !== "worst") return;
    draw(target, best, stage);
    free(target);
  });
  // A best without its worst is no answer: anyone who comes back to the question finds the one that is stored.
  new MutationObserver((changes) => {
    for (const { target } of changes) if (target.matches(".picking") && target.hidden) draw(target, target.dataset.choice);
  }).observe(document.querySelector("main"), { subtree: true, attributeFilter: ["hidden"] });
}

add("pick", pick);
