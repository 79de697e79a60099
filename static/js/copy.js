// Buttons that copy the address or the text beside them, and links that copy their own; the buttons are shown, and
// the links copy, only where the browser lets a page do that. data-done: what a button says once it has copied, on pages
// in the reader's language.

for (const button of document.querySelectorAll("[data-copy]")) {
  const source = button.href ? button : button.parentElement.querySelector("input, [data-copied]");
  if (source.select) source.addEventListener("focus", () => source.select());
  if (!navigator.clipboard) continue;
  button.hidden = false;
  const label = button.firstChild;
  const { done } = button.dataset;
  const said = done ? label.data : button.href ? "Copy link" : "Copy";
  label.data = said;
  button.addEventListener("click", async (event) => {
    event.preventDefault();
    await navigator.clipboard.writeText(source.href ?? source.value ?? source.innerText);
    label.data = done ?? "Copied";
    setTimeout(() => (label.data = said), 2000);
  });
}
