/* Enter presses the one thing that a page is for, and the button says so from when it does */

const main = document.querySelector("[data-enter]");
const key = document.createElement("kbd");
key.textContent = "Enter";
key.ariaHidden = "true";
key.style.display = "none";
main?.append(" ", key);
main?.setAttribute("aria-keyshortcuts", "Enter");

// Fingers that have pressed Enter after every question press it once more when the page is another one.
const HABIT = 1200;
let takes = false;
setTimeout(() => {
  takes = true;
  key.style.display = "";
}, HABIT);

document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.repeat || event.isComposing || !takes) return;
  if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
  // What has the focus has its own Enter.
  if (event.target.closest("a, button, input, summary, textarea")) return;
  main?.click();
});
