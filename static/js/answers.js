/* Past answers: a note is saved in its place */

for (const form of document.querySelectorAll(".own-note form")) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const said = form.querySelector("[role=status]");
    try {
      const body = new URLSearchParams(new FormData(form));
      const response = await fetch(form.action, { method: "POST", headers: { Accept: "application/json" }, body, redirect: "error" });
      if (!response.ok) throw new Error(response.statusText);
      const { uncertain, text } = form.elements;
      const note = text.value.trim();
      said.textContent = note ? said.dataset.noted : uncertain.checked ? said.dataset.marked : said.dataset.gone;
      if (note) form.closest("details").querySelector("summary").textContent = note;
    } catch {
      // The page that the form leads to says why.
      form.submit();
    }
  });
}
