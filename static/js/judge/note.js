/* A mark and a note at the question in view, for people with accounts. Other pages have no such dialog. */

import { tell as warn } from "./post.js";
import { sentence } from "./sentences.js";
import { question, say } from "./show.js";

const dialog = document.querySelector("#note");
const form = dialog?.querySelector("form");
// Position of a question -> [uncertain, text].
const notes = new Map(dialog ? Object.entries(JSON.parse(dialog.dataset.notes)) : []);

/** Ask for a mark of the question in view; one that has none yet is taken to be uncertain. */
export function ask() {
  if (!dialog || !question()) return;
  const [uncertain, text] = notes.get(question().dataset.position) ?? [true, ""];
  form.elements.uncertain.checked = uncertain;
  form.elements.text.value = text;
  dialog.showModal();
  // What is typed now is the note. Where nobody types, the keyboard of the screen would cover the page.
  (matchMedia("(hover: none)").matches ? form.querySelector(".main") : form.elements.text).focus();
}

function save() {
  const { position } = question().dataset;
  const { csrfmiddlewaretoken, batch, uncertain, text } = form.elements;
  const fields = { csrfmiddlewaretoken: csrfmiddlewaretoken.value, batch: batch.value, position, text: text.value };
  if (uncertain.checked) fields.uncertain = "on";
  notes.set(position, [uncertain.checked, text.value]);
  send(fields, sentence(uncertain.checked ? "marked" : text.value.trim() ? "noted" : "mark gone"));
  dialog.close();
  tell();
}

// Apart from answers, which wait for each other: these go by the session, which may be over.
async function send(fields, done) {
  try {
    const headers = { Accept: "application/json" };
    const response = await fetch(dialog.dataset.address, {
      method: "POST",
      headers,
      body: new URLSearchParams(fields),
      redirect: "error",
    });
    if (!response.ok) throw new Error(response.statusText);
    say(done);
  } catch {
    warn(sentence("note not saved"), true);
  }
}

/** Show on the button whether the question in view is marked, and on the last page which are uncertain. */
export function tell() {
  for (const mark of document.querySelectorAll("[data-uncertain]")) {
    mark.hidden = !notes.get(mark.closest("[data-go]").dataset.go)?.[0];
  }
  const [uncertain, text] = notes.get(question()?.dataset.position) ?? [];
  document.querySelector("[data-note]")?.toggleAttribute("data-marked", Boolean(uncertain || text));
}

form?.addEventListener("submit", (event) => {
  event.preventDefault();
  save();
});
form?.querySelector(".close").addEventListener("click", () => dialog.close());
dialog?.addEventListener("keydown", (event) => {
  // In the note Shift and Enter begin a new line.
  if (event.key !== "Enter" || event.shiftKey || event.repeat || event.isComposing || event.target.closest("button")) return;
  event.preventDefault();
  form.requestSubmit();
});
