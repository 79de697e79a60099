/* Keys and clicks: what each of them does, and what is left to the browser */

import { named } from "./named.js";
import { load } from "./pictures.js";
import { scroll, SCROLLS } from "./scroll.js";
import { asked, question, show } from "./show.js";

const more = document.querySelector(".more");
const dialogs = { "?": document.querySelector("#all-keys"), i: document.querySelector("#what-to-do") };

// The aids of a head that has no room for them.
function unfold(open) {
  more.setAttribute("aria-expanded", String(open));
}

export function listen(kind, { press, goBack, goOn, cannot, note = () => {} }) {
  const actions = { Backspace: goBack, Enter: () => goOn("Enter"), x: () => cannot(), u: note };
  for (const [key, dialog] of Object.entries(dialogs)) actions[key] = () => dialog.showModal();
  for (const [key, pressed] of Object.entries(kind.keys)) actions[key] = () => press(pressed);

  // Space would press a choice that has the focus; it is a key that scrolls, wherever the focus is.
  const pressedBySpace = (event) => event.key === " " && event.target.closest(kind.buttons);

  document.addEventListener("keydown", (event) => {
    const key = named(event);
    // A press that has closed a panel has done its work.
    if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
    if (key === "Escape") unfold(false);
    const open = document.querySelector("dialog[open]");
    if (open) {
      if (dialogs[key] === open) open.close();
      return;
    }
    if (SCROLLS[key]) {
      // Another button keeps its Space, and where there is no question the browser scrolls.
      if (key === " " && event.target.closest("a, button, summary") && !pressedBySpace(event)) return;
      if (question()) scroll(event);
      return;
    }
    const action = actions[key];
    // A digit, and "?", may need Shift; with a key that has a name Shift is somebody else's shortcut.
    if (!action || (event.shiftKey && key.length > 1)) return;
    // A focused button or link is pressed by Enter as anywhere.
    if (key === "Enter" && event.target.closest("a, button, summary")) return;
    event.preventDefault();
    // A key held down is one press.
    if (!event.repeat) action();
  });

  // Firefox presses a button when Space is let go, whatever happened to the key going down.
  document.addEventListener("keyup", (event) => pressedBySpace(event) && event.preventDefault());

  document.body.addEventListener("click", (event) => {
    const control = event.target.closest("a, button");
    if (!control || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (control.matches(`${kind.buttons}, .back, .keep, .on, .cannot-judge, [data-cannot], [data-go], .finish button`)) {
      event.preventDefault();
    }
    // The second click of a double click is no answer to whatever stands there now.
    if (event.detail > 1) return;
    unfold(control === more && more.getAttribute("aria-expanded") === "false");
    if (control.matches(kind.buttons)) press(control.value);
    else if (control.matches(".back")) goBack();
    else if (control.matches(".keep, .on, .finish button")) goOn();
    else if (control.matches(".cannot-judge, [data-cannot]")) cannot(control.dataset.cannot);
    else if (control.matches("[data-note]")) note();
    else if (control.dataset.go) show(asked(control.dataset.go));
    else if (control.matches("[data-dialog]")) document.getElementById(control.dataset.dialog).showModal();
    else if (control.matches(".missing button")) load(control.closest(".frame"));
  });
}
