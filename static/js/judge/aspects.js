/* Aspects, claims and reasons of a pair: rows answered by the keys that answer the pair, one after another, and chips.
   A claim is a sentence that cites (claims.js).
   After the answer, which then waits until they are sent; or before it. A page that asks none does without (details.js). */

import * as cannot from "./cannot.js";
import * as claims from "./claims.js";
import { details } from "./details.js";
import * as folded from "./folded.js";
import { named } from "./named.js";
import { awaited, complete } from "./pictures.js";
import { sentence } from "./sentences.js";
import { open, question, say } from "./show.js";
import { flash } from "./sources.js";

const SIDES = { ArrowLeft: "left", t: "tie", 0: "tie", ArrowRight: "right", n: "" };

const panelOf = (asked) => asked?.querySelector("[data-details]");
const rowsOf = (panel) => [...panel.querySelectorAll(".aspect")];
const chipsOf = (panel) => [...panel.querySelectorAll("[name=reason]")];
const chosen = (row) => row.querySelector(":checked");
const foldOf = (panel) => panel.querySelector(".fold");
const isFirst = (panel) => panel.classList.contains("first");
const nameOf = (row) => row.querySelector(".name").textContent;
const asks = (row) => (row.dataset.cites ? sentence("claim next", { claim: nameOf(row) }) : sentence("aspect next", { aspect: nameOf(row) }));

// The row that keys answer: the one with the focus, or the next one. None where the pair itself is asked, and none of
// an answered pair until one is opened: there keys mean what they mean at every answered question.
function current(asked, panel) {
  const rows = rowsOf(panel);
  const focused = document.activeElement?.closest?.(".aspect");
  if (rows.includes(focused)) return focused;
  const { pending, choice } = asked.dataset;
  if (choice && !pending) return rows[panel.dataset.row];
  if (isFirst(panel) === Boolean(pending)) return undefined;
  return rows[Number(panel.dataset.row ?? 0)];
}

// Which of the two reasons are about.
function wordReasons(asked, panel) {
  const answer = asked.dataset.pending ?? asked.dataset.choice;
  const line = panel.querySelector(".because");
  if (line && answer) line.textContent = sentence(answer === "tie" ? "why tie" : "why side");
}

function point(asked) {
  const panel = panelOf(asked);
  if (!panel) return;
  wordReasons(asked, panel);
  const row = current(asked, panel);
  // In a small window the next one takes the place of the last.
  if (row && !row.matches("[data-current]")) flash(row.querySelector(".name"));
  for (const one of rowsOf(panel)) one.toggleAttribute("data-current", one === row);
  claims.show(asked, row);
  folded.tell(rowsOf(panel), foldOf(panel));
  const next = row ?? (asked.dataset.pending && panel.querySelector(".why"));
  if (next) next.scrollIntoView({ block: "nearest" });
}

function skip(row) {
  const none = row.querySelector("input[value='']");
  if (none) none.checked = true;
}

function turnTo(asked, panel, number) {
  panel.dataset.row = number;
  delete panel.dataset.told;
  // Enter would press again what has the focus.
  if (document.activeElement?.closest?.(".aspect, .chips, .choice")) document.activeElement.blur();
  point(asked);
}

// Where the mark goes from a row: to the next one without an answer. Where all are answered and the pair is not yet sent
// again, keys walk from one that was corrected to the one below.
function after(asked, panel, row, corrected) {
  const rows = rowsOf(panel);
  const at = rows.indexOf(row);
  const open = [...rows.slice(at + 1), ...rows.slice(0, at)].find((one) => !chosen(one));
  if (open) return rows.indexOf(open);
  return corrected && asked.dataset.pending ? at + 1 : rows.length;
}

function missing(panel) {
  return "needed" in panel.dataset ? rowsOf(panel).findIndex((row) => !chosen(row)) : -1;
}

function whole(asked) {
  const panel = panelOf(asked);
  const at = missing(panel);
  if (at < 0) return true;
  turnTo(asked, panel, at);
  say(sentence("aspects needed"));
  return false;
}

// Panel -> what was said of each answer, while its question is open.
const said = new WeakMap();

// Reasons, chips and words alike, are of one answer: another has none yet, and the page says that they went. Back at the
// answer that they are of, they are back too.
function unsay(asked, panel, choice) {
  const [now, before] = [choice, panel.dataset.of ?? asked.dataset.choice].map((one) => one.replace("definitely-", ""));
  panel.dataset.of = choice;
  if (now === before) return;
  const [chips, remark] = [chipsOf(panel), panel.querySelector("[name=remark]")];
  if (!chips.length && !remark) return;
  const reasons = { chips: chips.map((chip) => chip.checked), remark: remark?.value ?? "" };
  if (!said.has(panel)) said.set(panel, new Map());
  said.get(panel).set(before, reasons);
  const theirs = said.get(panel).get(now);
  for (const [n, chip] of chips.entries()) chip.checked = Boolean(theirs?.chips[n]);
  if (remark) remark.value = theirs?.remark ?? "";
  const went = reasons.chips.includes(true) || reasons.remark;
  panel.querySelector(".went").hidden = !went || Boolean(theirs);
}

// Who can judge after all is asked like anybody else; until the answer is sent, a way back leaves it unjudged.
function judgeAfterAll(asked, panel) {
  if (asked.dataset.choice !== cannot.CANNOT) return;
  asked.dataset.choice = "";
  panel.dataset.unjudged = "";
  cannot.tell(asked);
}

function leaveUnjudged(asked, panel) {
  if (!("unjudged" in panel.dataset)) return;
  delete panel.dataset.unjudged;
  asked.dataset.choice = cannot.CANNOT;
  cannot.tell(asked);
}

/** Whether a choice waits for what is asked after it, or cannot be given yet. */
function hold(asked, choice) {
  const panel = panelOf(asked);
  if (!panel?.querySelector(".aspect, .chips, .remark")) return false;
  judgeAfterAll(asked, panel);
  if (isFirst(panel) && !whole(asked)) return true;
  if (isFirst(panel) && !panel.querySelector(".chips, .remark")) return false;
  const from = isFirst(panel) ? rowsOf(panel).length : 0;
  const at = asked.dataset.pending ? panel.dataset.row : from;
  unsay(asked, panel, choice);
  asked.dataset.pending = choice;
  turnTo(asked, panel, at);
  const row = current(asked, panel);
  const went = panel.querySelector(".went:not([hidden])");
  say(`${went?.textContent ?? ""} ${row ? asks(row) : sentence("why next")}`.trim());
  return true;
}

/** The choice to send now: one that waits, or an earlier one whose details changed. */
function waiting(asked) {
  const panel = panelOf(asked);
  if (!panel || asked.dataset.choice === cannot.CANNOT) return undefined;
  return asked.dataset.pending ?? ("changed" in panel.dataset ? asked.dataset.choice : undefined);
}

const finished = (asked) => !panelOf(asked) || whole(asked);

/** What a letter says of aspects and reasons; from then on nothing waits. */
function take(asked) {
  const panel = panelOf(asked);
  if (!panel) return {};
  delete asked.dataset.pending;
  delete panel.dataset.changed;
  delete panel.dataset.row;
  delete panel.dataset.of;
  delete panel.dataset.unjudged;
  said.delete(panel);
  const fields = { rules: panel.querySelector("[name=rules]").value };
  for (const one of panel.querySelectorAll(".aspect :checked")) fields[one.name] = one.value;
  fields.reason = chipsOf(panel).filter((chip) => chip.checked).map((chip) => chip.value).join(" ");
  fields.remark = panel.querySelector("[name=remark]")?.value ?? "";
  return fields;
}

function changed(asked, panel) {
  if (asked.dataset.choice) panel.dataset.changed = "";
}

function answer(asked, panel, row, side) {
  const input = row.querySelector(`[value="${side}"], [data-key="${side}"]`);
  if (!input) return;
  const corrected = chosen(row);
  input.checked = true;
  // The same sentence of the other answer, by the same sources, is not asked for a second time.
  for (const one of claims.alike(asked, row)) if (!chosen(one)) one.querySelector(`[value="${input.value}"]`).checked = true;
  changed(asked, panel);
  const at = after(asked, panel, row, corrected);
  turnTo(asked, panel, at);
  const label = input.closest("label");
  const said = label.innerText.replace(label.querySelector("kbd")?.innerText ?? "", "").replace(/\s+/g, " ").trim();
  const next = !asked.dataset.choice && rowsOf(panel)[at];
  say(`${sentence("aspect chosen", { aspect: nameOf(row), answer: said })} ${next ? asks(next) : ""}`);
}

/** One row back; from the first one to the pair. False where there is none, and the question is left as anywhere. */
function back(asked, unmark) {
  const panel = panelOf(asked);
  const { pending, choice } = asked?.dataset ?? {};
  if (!panel || (!pending && (choice || !isFirst(panel)))) return false;
  const row = current(asked, panel);
  const rows = rowsOf(panel);
  const at = row ? rows.indexOf(row) : rows.length;
  if (pending && (at === 0 || isFirst(panel))) {
    delete asked.dataset.pending;
    unsay(asked, panel, choice);
    unmark(asked);
    leaveUnjudged(asked, panel);
    turnTo(asked, panel, rows.length);
    return true;
  }
  if (at === 0) return false;
  turnTo(asked, panel, at - 1);
  return true;
}

/** Keys and clicks. goOn sends. */
function hear(goOn) {
  if (!document.querySelector("[data-details]")) return;

  // Before all others: they answer the pair by the same keys, and in a sentence letters are letters.
  addEventListener(
    "keydown",
    (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
      const asked = question();
      const panel = panelOf(asked);
      if (!panel || document.querySelector("dialog[open]")) return;
      const key = named(event);
      if (event.target.name === "remark") {
        if (key === "Escape") event.target.blur();
        // Enter goes on, as anywhere.
        if (key !== "Enter") event.stopImmediatePropagation();
      } else if (key === " " && event.target.closest(".details")) event.stopImmediatePropagation();
      else if (does(event, asked, panel, key)) {
        event.preventDefault();
        event.stopImmediatePropagation();
      }
    },
    true,
  );

  function does(event, asked, panel, key) {
    // As anywhere: with a key that has a name Shift is somebody else's shortcut.
    if (event.shiftKey && key.length > 1) return false;
    const row = current(asked, panel);
    const chosen = asked.dataset.pending || asked.dataset.choice;
    const chip = (row || asked.dataset.pending) && chosen && !(row && key in SIDES) && chipsOf(panel)[key - 1];
    const field = key === "w" && chosen && panel.querySelector("[name=remark]");
    // What waits is answered no other way.
    if (!chip && !field && !((row || asked.dataset.pending) && key in SIDES)) return false;
    if (event.repeat || !open() || waits(asked)) return true;
    if (chip) chip.click();
    else if (field) field.focus();
    else if (row) answer(asked, panel, row, SIDES[key]);
    else tellWhy(panel);
    return true;
  }

  // All are answered, so that these keys do nothing: the line below says so.
  function tellWhy(panel) {
    panel.dataset.told = "";
    say(panel.querySelector(".steps .done").textContent);
  }

  // Nothing is answered unseen.
  function waits(asked) {
    if (complete(asked)) return false;
    say(sentence(awaited(asked)));
    return true;
  }

  document.addEventListener("input", (event) => {
    if (event.target.name === "remark") changed(question(), event.target.closest("[data-details]"));
  });
  // A mark folds and unfolds what is around it: under a finger or pointer that is down the target would move away.
  document.addEventListener("focusin", ({ target }) => target.matches(":focus-visible") && point(question()));
  document.addEventListener("click", (event) => {
    const { target } = event;
    const panel = target.closest("[data-details]");
    if (!panel) return;
    if (waits(question())) event.preventDefault();
    else if (target.closest(".send")) event.detail < 2 && goOn();
    else if (target.closest(".fold")) folded.unfold(foldOf(panel), foldOf(panel).getAttribute("aria-expanded") === "false");
    else if (target.closest(".rest")) {
      const row = target.closest(".aspect");
      // Of aspects, or of sentences.
      for (const one of rowsOf(panel)) if (!chosen(one) && one.matches(".claim") === row.matches(".claim")) skip(one);
      changed(question(), panel);
      turnTo(question(), panel, after(question(), panel, row));
    } else if (target.matches("[type=radio], [type=checkbox]")) {
      changed(question(), panel);
      const row = target.closest(".aspect");
      if (row) turnTo(question(), panel, after(question(), panel, row));
      else target.blur();
    } else if (target.closest(".claim") && !target.closest("label, .beside")) {
      turnTo(question(), panel, rowsOf(panel).indexOf(target.closest(".claim")));
    }
  });
  // A plain form would send what has been typed so far.
  for (const form of document.querySelectorAll("form.bar")) form.addEventListener("submit", (event) => event.preventDefault());
}

/** Mark the row that is asked first, of a question that has come into view; of one that is answered, none, and what it
 *  left out is skipped, as it is once the page is loaded again. */
function arrive() {
  const { pending, choice } = question()?.dataset ?? {};
  const panel = panelOf(question());
  if (panel) panel.scrollTop = 0;
  const went = panel?.querySelector(".went");
  if (went) went.hidden = true;
  if (panel && foldOf(panel)) folded.unfold(foldOf(panel), false);
  if (panel && choice && !pending) {
    delete panel.dataset.row;
    if (choice !== cannot.CANNOT) for (const row of rowsOf(panel)) if (!chosen(row)) skip(row);
  }
  point(question());
}

Object.assign(details, { hold, take, back, waiting, finished, hear, arrive });
