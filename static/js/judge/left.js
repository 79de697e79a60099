/* What is left, in the head: the minutes that the open questions will take, and until when they can be sent. Once that time
   is over, the page takes no answer, and has the way to the receipt in place of the choices */

import { attempt, PACES } from "./kept.js";
import { locale, sentence } from "./sentences.js";

// What was promised counts as so many answers of the person's own, so that a few quick ones change it a little.
const PROMISED = 5;
const LATE = 10;
const FAR = 12 * 60 * 60 * 1000;
// Who was away for long is not slow: an answer counts as so many times what was expected of it at most.
const MOST = 4;

// Where the head is one short line, and where even that is short of room.
const least = matchMedia("(max-width: 359px)");
const narrow = matchMedia("(max-width: 479px), (max-width: 719px) and (orientation: portrait)");
const page = document.body;
const minutes = page.querySelector(".minutes");
// In the head; where that is one short line, in its menu and below the choices.
const by = [...page.querySelectorAll(".by")];
const spoken = page.querySelector("#spoken");
// In practice there is none, and no deadline.
const timeUp = page.querySelector(".time-up");
const deadline = Date.now() + 1000 * page.dataset.secondsLeft;
const minutesToSend = () => Math.ceil((deadline - Date.now()) / 60000);
export const over = () => Boolean(timeUp) && Date.now() >= deadline;
// Seconds that each question is expected to take, by what it shows.
const questions = [...page.querySelectorAll("[data-position]")];
const times = page.dataset.times.trim().split(" ").map(Number);
const expected = new Map(questions.map((question, n) => [question, times[n]]));
// How many times as long as expected each answer took, and how many minutes are said at most; over a reload too. One slow
// answer is no reason to say much more than before: each adds a minute at most.
const { paces = [], most: before } = attempt(() => JSON.parse(sessionStorage.getItem(PACES))) ?? {};
let most = before ?? Infinity;
const keep = () => attempt(() => sessionStorage.setItem(PACES, JSON.stringify({ paces, most })));

// The seconds that an answer took.
export function pace(question, seconds) {
  paces.push(Math.min(Number(seconds) / expected.get(question), MOST));
  most += 1;
  keep();
}

// What the open questions will take.
export function tell() {
  const open = questions.filter((question) => !question.dataset.choice);
  const promised = open.reduce((sum, question) => sum + expected.get(question), 0);
  const own = paces.reduce((sum, one) => sum + one, PROMISED) / (PROMISED + paces.length);
  const left = Math.min(most, Math.max(1, Math.ceil((promised * own) / 60)));
  if (open.length) most = left;
  keep();
  const words = least.matches ? "minutes alone" : narrow.matches ? "minutes in short" : "minutes";
  // Where there is less time to send than to answer, that alone counts.
  const short = minutesToSend() <= LATE && minutesToSend() < left;
  minutes.textContent = open.length && !short ? sentence(words, { minutes: left }) : "";
}

for (const width of [least, narrow]) width.addEventListener("change", tell);

// The time of day in the reader's zone, written as all times of these pages (js/times.js), with the day where it is far: an hour after midnight is no other day.
function moment(time) {
  const format = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
  if (time - Date.now() > FAR) Object.assign(format, { day: "numeric", month: "short" });
  return time.toLocaleString(locale, format);
}

// Near the end the minutes are counted down instead, and some of them said.
function count() {
  if (over()) return end();
  setTimeout(count, Math.min(15000, deadline - Date.now()));
  const left = minutesToSend();
  const words = left > LATE ? sentence("send by", { time: moment(new Date(deadline)) }) : sentence("send within", { minutes: left });
  if (by[0].textContent === words) return;
  for (const one of by) {
    one.classList.toggle("late", left <= LATE);
    one.textContent = words;
  }
  tell();
  if ([10, 5, 2, 1].includes(left)) spoken.textContent = `${words}.`;
}

function end() {
  const [said, way] = timeUp.children;
  if (questions.every(({ dataset }) => ["", "cannot"].includes(dataset.choice))) way.textContent = way.dataset.none;
  for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close();
  timeUp.hidden = false;
  for (const one of by) one.textContent = "";
  page.querySelector(".facts").hidden = true;
  spoken.textContent = said.textContent;
}

if (timeUp) count();
