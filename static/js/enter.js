/* Enter presses the one thing that a page is for, and the button says so */

const main = document.querySelector("[data-enter]");
const key = document.createElement("kbd");
key.textContent = "Enter";
key.ariaHidden = "true";
main?.append(" ", key);
main?.setAttribute("aria-keyshortcuts", "Enter");

// The press that led here may be the first of two.
const DOUBLE = 250;

document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.repeat || event.isComposing || performance.now() < DOUBLE) return;
  if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
  // What has the focus has its own Enter.
  if (event.target.closest("a, button, input, summary, textarea")) return;
  main?.click();
});
