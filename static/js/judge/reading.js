/* Reading long passages: the words of the question marked in both, and the reader's own; what both say
   alike made paler; both scrolled together; larger letters. Each reader's wishes stay in their browser.

   Nothing here changes the page's elements: marks are highlights that the browser draws over the text, so
   that neither a screen reader nor a selection meets them. Where a browser cannot, its switch is not shown. */

import { named } from "./named.js";
import { mention } from "./post.js";
import { sentence } from "./sentences.js";
import { sentencesIn, stem, wordsIn } from "./words.js";

const NAME = "faceoff-reading";
const page = document.body;
const dialog = document.querySelector("#reading");
const form = dialog?.querySelector("form");
const draws = "highlights" in CSS && "Segmenter" in Intl;
const keys = { b: "shared", m: "marks", d: "alike", l: "together" };

/** What tells the words that only one of two has, where a page compares two (difference.js). */
export const two = { changed: () => null };

const wishes = { shared: false, marks: false, own: "", alike: false, unturned: false, together: false, size: "1", ...kept() };

function kept() {
  try {
    return JSON.parse(localStorage.getItem(NAME)) ?? {};
  } catch {
    return {}; // a browser that keeps nothing, as in a frame of another site
  }
}

function keep() {
  try {
    localStorage.setItem(NAME, JSON.stringify(wishes));
  } catch {
    // Then they hold for this page.
  }
}

const question = () => document.querySelector(".question:not([hidden])");
const texts = (within = question()) => [...(within?.querySelectorAll(".passage .set") ?? [])];

function carryOut() {
  if (page.dataset.letters !== wishes.size) page.dataset.letters = wishes.size;
  page.toggleAttribute("data-shared", wishes.shared);
  page.toggleAttribute("data-unturned", wishes.unturned);
  for (const field of form.elements) {
    if (field.type === "checkbox") field.checked = Boolean(wishes[field.name]);
    else if (field.type === "radio") field.checked = field.value === wishes.size;
    else if (field.name && document.activeElement !== field) field.value = wishes[field.name];
  }
  // Its button names what is on: some aids show nothing where there is nothing to mark, and all stay from batch to batch.
  const on = Object.keys(keys).filter((key) => form.elements[keys[key]] && wishes[keys[key]]);
  page.querySelector("[data-dialog=reading]").dataset.on = on.map((key) => key.toUpperCase()).join(" ");
  if (draws) mark();
}

function mark() {
  const asked = wishes.marks ? stems(question()?.querySelector("h1").lastElementChild.textContent ?? "") : new Set();
  const own = stems(wishes.own, 1);
  const found = { asked: [], own: [] };
  for (const text of texts()) {
    for (const { word, range } of wordsIn(text)) {
      if (own.has(word)) found.own.push(range());
      else if (asked.has(word)) found.asked.push(range());
    }
  }
  CSS.highlights.set("asked", new Highlight(...found.asked));
  CSS.highlights.set("own", new Highlight(...found.own));
  CSS.highlights.set("alike", new Highlight(...(wishes.alike ? alike() : [])));
  CSS.highlights.set("changed", new Highlight(...(wishes.alike ? differing() : [])));
}

// Languages that write a word with one or two letters.
const DENSE = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u;

/** The stems of a text's words; words shorter than this are left out, as are those that say nothing. */
function stems(text, shortest = 3) {
  const parts = [...new Intl.Segmenter(undefined, { granularity: "word" }).segment(text)].filter((part) => part.isWordLike);
  const words = parts.map((part) => part.segment.toLocaleLowerCase());
  const empty = shortest > 1 ? emptyIn(words) : new Set(); // a word of the reader's own always counts
  return new Set(words.filter((word) => (word.length >= shortest || DENSE.test(word)) && !empty.has(word)).map(stem));
}

// Words of questions that mark nothing of use, in the languages of the pages.
const EMPTY = [
  "the and for are was were what which who whom whose when where why how does did doe can could should would will " +
    "has have had with from that this these those there their they them its you your about into than then not",
  "der die das den dem des ein eine einen einem einer eines und oder für sind war waren was welche welcher welches " +
    "welchen welchem wer wen wem wessen wann wo warum wieso wie kann können konnte soll sollte sollten würde wird " +
    "werden hat haben hatte mit von vom zum zur bei aus auf dass diese dieser dieses man sich sie ihr ihre als nicht auch",
  "的 了 吗 呢 吧 在 是 有 和 与 或 能 会 要 也 都 就 不 中 上 下 里 对 为 被 把 从 到 什么 怎么 怎样 怎么样 如何 为什么 哪些 哪个 哪里 谁 多少 几 " +
    "可以 能够 应该 这 那 这个 那个 这些 那些 一个",
].map((list) => new Set(list.split(" ")));

/** Those of the language of which most stand among the words: "die" is an article in one, and a verb in another. */
function emptyIn(words) {
  const counts = EMPTY.map((empty) => words.filter((word) => empty.has(word)).length);
  return EMPTY[counts.indexOf(Math.max(...counts))];
}

/** Ranges of the sentences that both passages, or pages of them, hold, but for letters' case and signs. */
function alike() {
  const sides = [...(question()?.querySelectorAll(".passage") ?? [])];
  const [one, other] = sides.map((side) => texts(side).flatMap((text) => [...sentencesIn(text)]));
  if (!other) return [];
  const shared = new Set(one.map((each) => each.plain));
  const both = new Set(other.map((each) => each.plain).filter((plain) => shared.has(plain)));
  return [...one, ...other].filter((each) => both.has(each.plain)).map((each) => each.range());
}

/** Ranges of the words that only one of two nearly equal passages has. */
function differing() {
  const sides = [...(question()?.querySelectorAll(".passage") ?? [])].slice(0, 2);
  const [one, other] = sides.map((side) => texts(side).flatMap((text) => [...wordsIn(text)]));
  const found = other && two.changed(one.map((each) => each.plain), other.map((each) => each.plain));
  return found ? [...found[0].map((at) => one[at]), ...found[1].map((at) => other[at])].map((each) => each.range()) : [];
}

/* Together: by the share of the way, since the two are of different length. */

let led = null; // the passage that the script moves, whose own event is not a wish

document.addEventListener(
  "scroll",
  ({ target }) => {
    if (!wishes.together || !target.matches?.(".passage")) return;
    if (target === led) {
      led = null;
      return;
    }
    const [other] = [...(question()?.querySelectorAll(".passage") ?? [])].filter((one) => one !== target);
    const way = (one) => one.scrollHeight - one.clientHeight;
    if (!other || way(target) <= 0 || way(other) <= 0) return;
    const top = Math.round((target.scrollTop / way(target)) * way(other));
    if (Math.abs(other.scrollTop - top) < 1) return;
    led = other;
    other.scrollTop = top;
  },
  { capture: true, passive: true },
);

function wish(changes) {
  Object.assign(wishes, changes);
  keep();
  carryOut();
  const drawn = ["alike", "changed"].some((name) => CSS.highlights?.get(name)?.size);
  if ("alike" in changes) mention(wishes.alike && !drawn ? sentence("nothing alike") : "");
}

function resize(by) {
  const sizes = [...form.elements.size].map((field) => field.value);
  const at = sizes.indexOf(wishes.size) + by;
  if (sizes[at]) wish({ size: sizes[at] });
}

if (form) {
  for (const part of dialog.querySelectorAll("[data-draws]")) part.hidden = !draws;
  dialog.querySelector("[data-code]").hidden = !page.querySelector(".passage pre");
  form.addEventListener("input", ({ target }) => {
    if (target.name) wish({ [target.name]: target.type === "checkbox" ? target.checked : target.value });
  });
  document.addEventListener("keydown", (event) => {
    const key = named(event);
    if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing || event.repeat) return;
    const open = document.querySelector("dialog[open]");
    // What the panel names as keys works in it too, but where words are typed.
    if ((open && open !== dialog) || event.target.matches("[name=own]")) return;
    if (key === "f" && draws && form.elements.own) {
      event.preventDefault();
      if (!open) dialog.showModal();
      form.elements.own.select();
    } else if (key === "r" && open) dialog.close();
    else if (key === "r") dialog.showModal();
    else if (key === "+" || key === "-") resize(key === "+" ? 1 : -1);
    else if (form.elements[keys[key]] && (draws || key === "l" || key === "b")) wish({ [keys[key]]: !wishes[keys[key]] });
  });
  new MutationObserver(() => {
    mention("");
    if (draws) mark();
  }).observe(document.querySelector("main"), {
    subtree: true,
    attributeFilter: ["hidden"],
  });
  carryOut();
}
