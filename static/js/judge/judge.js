/* Judging a batch: one question in view, answered by key or button; answers are posted behind it.
   Everything works without these scripts too, one page a question. What they keep in the browser, until the batch is sent, is said by kept.js.

   What every kind of question shares is here: the way of an answer from the press to the letter, back
   and on, the end of the batch. What differs is said by each kind: see kinds.js. */

import "./again.js";
import * as cannot from "./cannot.js";
import * as clock from "./clock.js";
import { details } from "./details.js";
import * as doubt from "./doubt.js";
import * as kept from "./kept.js";
import { listen } from "./keys.js";
import * as kinds from "./kinds.js";
import { over, pace } from "./left.js";
import { awaited, complete } from "./pictures.js";
import { forget, nonce, post, resume } from "./post.js";
import { heard, seen } from "./seen.js";
import * as note from "./note.js";
import * as paradata from "./paradata.js";
import * as quick from "./quick.js";
import "./same.js";
import "./sources.js";
import { sentence } from "./sentences.js";
import { asked, begin, finish, leaves, lock, next, onShow, open, previous, putOff, question, refused, say, show, shown, soon } from "./show.js";
import { restore } from "./unfinished.js";

const page = document.body;
const { token, answer, submit, home } = page.dataset;
// Nothing has been taken over yet: where there is no such kind, the page stays the one that works without a script.
const kind = kinds.named();

// How long a mark stands before the next question, in ms: seen, but not waited for. A finger or a mouse has to come back to
// the bar anyway, and it is the bar that it covers.
const HOLD = 140;
const HOLD_POINTER = 320;
let byPointer = false;
addEventListener("keydown", () => (byPointer = false), true);
addEventListener("pointerdown", () => (byPointer = true), true);

/* Answering */

function press(pressed) {
  if (!open() || !question()) return;
  const answered = question();
  const choice = kind.answer(answered, pressed);
  if (choice === null) return;
  if (!complete(answered)) {
    say(sentence(awaited(answered), { seconds: answered.querySelector(".listen")?.dataset.first }));
    return;
  }
  if (!doubt.hold(answered, choice, () => kind.words(choice, answered), (said = choice) => decide(answered, said))) decide(answered, choice);
}

// Aspects and reasons may come before it is given.
function decide(answered, choice) {
  if (!details.hold(answered, choice)) give(answered, choice);
  else if (answered.dataset.pending) kind.mark(answered, choice);
}

// What waits with an answer goes with it.
function give(answered, choice) {
  const besides = details.take(answered);
  lock();
  answered.dataset.choice = choice;
  kind.mark(answered, choice);
  const kindOfForm = answered.querySelector("[name=kind]").value;
  const times = clock.take();
  const about = { token, kind: kindOfForm, position: answered.dataset.position };
  const fields = { ...about, choice, ...times, ...besides, seen: seen(answered), heard: heard(answered), paradata: paradata.take(), nonce: nonce() };
  kept.remember(answered.dataset.position, choice);
  post(answer, fields, taken);
  pace(answered, times.seconds);
  quick.tell(Number(times.seconds));
  listed(answered, choice);
  setTimeout(() => shown() !== refused && show(next(), kind.words(choice, answered)), byPointer ? HOLD_POINTER : HOLD);
}

function taken(reply) {
  if (reply.submitted || reply.code === "unfinished") leave();
  else if (!reply.stored) refuse(reply);
}

// What was given on this page before it was loaded again, without a network or while letters were on their way: the
// questions of which the page does not know it.
function recall() {
  const unknown = kept.given().filter(([position]) => asked(position) && !asked(position).dataset.choice);
  for (const [position, choice] of unknown) {
    const recalled = asked(position);
    recalled.dataset.choice = choice;
    if (choice !== cannot.CANNOT) kind.mark(recalled, choice);
    listed(recalled, choice);
  }
  resume(taken);
  return unknown.map(([position]) => asked(position));
}

// The answer as the list on the last page names it.
function listed(answered, choice) {
  const named = choice === cannot.CANNOT ? cannot.label() : kind.label?.(answered, choice);
  if (named) page.querySelector(`[data-go="${answered.dataset.position}"] .label`)?.replaceWith(named);
}

// A question that somebody cannot judge needs no answer; one that it has is withdrawn.
function decline(reason, note) {
  if (!open() || !question()) return;
  const declined = question();
  lock();
  clock.stop();
  details.take(declined);
  kind.mark(declined, "");
  declined.dataset.choice = cannot.CANNOT;
  kept.remember(declined.dataset.position, cannot.CANNOT);
  post(page.dataset.decline, { token, position: declined.dataset.position, reason, note }, taken);
  listed(declined, cannot.CANNOT);
  show(next(), sentence("cannot judge it"));
}

function goBack() {
  if (open() && details.back(question(), (one) => kind.mark(one, one.dataset.choice))) return;
  if (leaves() && previous()) show(previous());
}

function goOn(key) {
  if (over()) return page.querySelector(".time-up a").click();
  if (shown() === finish) return open() || !key ? send() : putOff();
  if (!open()) return;
  if (details.waiting(question())) details.finished(question()) && give(question(), details.waiting(question()));
  else if (question()?.dataset.choice && !("changed" in question().dataset)) show(next());
}

/* The end */

const button = finish.querySelector("button").firstChild;
const { data: unsent } = button;

// Answers still on their way go first: letters are posted in order.
function send() {
  const sends = soon(() => {
    lock();
    post(submit, { token }, taken);
  });
  if (sends) button.data = `${sentence("sending")} `;
}

async function leave() {
  await kept.forget();
  location.replace(home);
}

// An answer that is no longer taken: say why, and how to go on. What waits would be refused as well.
function refuse(reply) {
  forget();
  kept.forget();
  if (reply.code === "over") refused.querySelector("h1").textContent = sentence("over");
  refused.querySelector("p").textContent = reply.error ?? sentence("no reason");
  show(refused);
}

// A reload continues at the first question without an answer, not at the one that was looked up; at that one only while
// its answer was about to change.
history.replaceState(null, "", home);
for (const position of cannot.positions) asked(position).dataset.choice = cannot.CANNOT;
details.hear(goOn);
onShow(details.arrive);
onShow(note.tell);
onShow(() => shown() !== refused && kept.reach(question() ? page.querySelector(".where").textContent : "sends"));
// One can go back while a press is kept.
onShow(() => {
  button.data = unsent;
});
listen(kind, { press, goBack, goOn, note: note.ask, cannot: (reason) => open() && cannot.ask(question(), reason) });
cannot.hear(decline);
document.addEventListener("restored", ({ target }) => target.dataset.pending && kind.mark(target, target.dataset.pending));
const recalled = recall();
const unfinished = restore();
page.classList.add("heard");
begin();
if (unfinished?.dataset.choice) show(unfinished);
else if (recalled.includes(question())) show(next());
kept.keep();
