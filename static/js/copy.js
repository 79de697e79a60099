// Buttons that copy the address beside them; shown only where the browser lets a page do that.

for (const button of document.querySelectorAll("[data-copy]")) {
  const address = button.parentElement.querySelector("input");
  address.addEventListener("focus", () => address.select());
  if (!navigator.clipboard) continue;
  button.hidden = false;
  const label = button.firstChild;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(address.value);
    label.data = "Copied";
    setTimeout(() => (label.data = "Copy"), 2000);
  });
}
