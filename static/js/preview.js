// Preview: marks what is shown, and shows it as the settings beside it say, a short moment after they change;
// nothing is saved.

const WAIT = 400;

const form = document.querySelector("#settings");
const buttons = [...document.querySelectorAll(".preview :is([formtarget=preview], [target=preview])")];
let frame = document.querySelector("iframe[name=preview]");
let shown = buttons[0];
let timer;

// A new frame for each page: in the old one every change would be a step of the browser's back button.
function fresh() {
  const next = frame.cloneNode();
  next.removeAttribute("src");
  frame.replaceWith(next);
  frame = next;
}

for (const button of buttons) {
  button.addEventListener("click", () => {
    shown.removeAttribute("aria-current");
    shown = button;
    shown.setAttribute("aria-current", "true");
    clearTimeout(timer);
    fresh();
  });
}

form?.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(() => shown?.click(), WAIT);
});
