/* Practice: keys and buttons as in a batch, aspects too; each answer loads the page with what is said of it, and nothing is stored */

import * as clock from "./clock.js";
import { details } from "./details.js";
import { listen } from "./keys.js";
import * as kinds from "./kinds.js";
import { awaited, complete } from "./pictures.js";
import "./same.js";
import "./sources.js";
import { sentence } from "./sentences.js";
import { begin, lock, onShow, open, question, say } from "./show.js";

const page = document.body;
const kind = kinds.named();
const told = page.querySelector(".practice.told");

function press(pressed) {
  if (!open() || !question()) return;
  const answered = question();
  const choice = kind.answer(answered, pressed);
  if (choice === null) return;
  if (!complete(answered)) {
    say(sentence(awaited(answered), { seconds: answered.querySelector(".listen")?.dataset.first }));
    return;
  }
  if (!details.hold(answered, choice)) give(answered, choice);
  else if (answered.dataset.pending) kind.mark(answered, choice);
}

function give(answered, choice) {
  const besides = details.take(answered);
  lock();
  kind.mark(answered, choice);
  const { token, answer } = page.dataset;
  const fields = { token, kind: page.dataset.kind, position: answered.dataset.position, choice, ...clock.take(), ...besides };
  const form = document.createElement("form");
  form.method = "post";
  form.action = answer;
  for (const [name, value] of Object.entries(fields)) {
    const field = Object.assign(document.createElement("input"), { type: "hidden", name, value });
    form.append(field);
  }
  page.append(form);
  form.submit();
}

function goOn() {
  const waits = details.waiting(question());
  if (!waits) page.querySelector(".practice [data-next]")?.click();
  else if (open() && details.finished(question())) give(question(), waits);
}

const goBack = () => open() && details.back(question(), (one) => kind.mark(one, ""));

details.hear(goOn);
onShow(details.arrive);
listen(kind, { press, goBack, goOn, cannot() {} });
page.classList.add("heard");
begin();
told?.focus();
