// Buttons that copy the address or the text beside them; shown only where the browser lets a page do that.

for (const button of document.querySelectorAll("[data-copy]")) {
  const source = button.parentElement.querySelector("input, [data-copied]");
  if (source.select) source.addEventListener("focus", () => source.select());
  if (!navigator.clipboard) continue;
  button.hidden = false;
  const label = button.firstChild;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(source.value ?? source.innerText);
    label.data = "Copied";
    setTimeout(() => (label.data = "Copy"), 2000);
  });
}
