/* Keys and clicks: what each of them does, and what is left to the browser */

import { load } from "./pictures.js";
import { asked, show } from "./show.js";

const help = document.querySelector("dialog");

export function listen(kind, { press, goBack, goOn }) {
  const actions = {
    Backspace: goBack,
    Enter: goOn,
    "?": () => help.showModal(),
  };
  for (const [key, pressed] of Object.entries(kind.keys)) actions[key] = () => press(pressed);

  document.addEventListener("keydown", (event) => {
    const action = actions[event.key];
    if (!action || event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
    if (event.shiftKey && event.key !== "?") return;
    if (help.open) {
      if (event.key === "?") help.close();
      return;
    }
    // A focused button or link is pressed by Enter as anywhere; a focused long passage scrolls by arrows.
    if (event.key === "Enter" && event.target.closest("a, button")) return;
    if (/^Arrow(Up|Down)$/.test(event.key) && event.target.closest(".passage[tabindex]")) return;
    event.preventDefault();
    // A key held down is one press.
    if (!event.repeat) action();
  });

  document.body.addEventListener("click", (event) => {
    const control = event.target.closest("a, button");
    if (!control || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (control.matches(`${kind.buttons}, .back, .keep, [data-go], .finish button`)) {
      event.preventDefault();
    }
    // The second click of a double click is no answer to whatever stands there now.
    if (event.detail > 1) return;
    if (control.matches(kind.buttons)) press(control.value);
    else if (control.matches(".back")) goBack();
    else if (control.matches(".keep, .finish button")) goOn();
    else if (control.dataset.go) show(asked(control.dataset.go));
    else if (control.matches(".help")) help.showModal();
    else if (control.matches(".missing button")) load(control.closest(".frame"));
  });
}
