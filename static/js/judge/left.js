/* What is left, in the head: the minutes that the open questions will take, and until when they can be sent */

import { locale, sentence } from "./sentences.js";

// So many answers show a person's own pace; until then it is what people usually take.
const SHOWN_BY = 3;
const LATE = 10;
const FAR = 12 * 60 * 60 * 1000;
// Who was away for long is not slow: one answer counts for so many usual ones at most.
const MOST = 4;

const page = document.body;
const minutes = page.querySelector(".minutes");
const by = page.querySelector(".by");
const spoken = page.querySelector("#spoken");
const deadline = Date.now() + 1000 * page.dataset.secondsLeft;
const taken = [];
let open = 0;

// The seconds that an answer took.
export function pace(seconds) {
  taken.push(Math.min(Number(seconds), MOST * page.dataset.usualSeconds));
}

// So many questions are open.
export function tell(questions) {
  open = questions;
  const each = taken.length < SHOWN_BY ? Number(page.dataset.usualSeconds) : median(taken);
  const left = Math.max(1, Math.ceil((open * each) / 60));
  minutes.textContent = open ? sentence("minutes", { minutes: left }) : "";
}

function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

// The time of day in the reader's zone, with the day where it is far: an hour after midnight is no other day.
function moment(time) {
  const format = { hour: "numeric", minute: "2-digit", timeZoneName: "short" };
  if (time - Date.now() > FAR) Object.assign(format, { day: "numeric", month: "short" });
  return time.toLocaleString(locale, format);
}

// Near the end the minutes are counted down instead, and some of them said.
function count() {
  const left = Math.ceil((deadline - Date.now()) / 60000);
  by.classList.toggle("late", left <= LATE);
  if (left > LATE) {
    by.textContent = sentence("send by", { time: moment(new Date(deadline)) });
    return;
  }
  const words = left > 0 ? sentence("left", { minutes: left }) : sentence("too late");
  if (by.textContent === words) return;
  by.textContent = words;
  if ([10, 5, 2, 1, 0].includes(left)) spoken.textContent = `${words}.`;
}

count();
setInterval(count, 15000);
