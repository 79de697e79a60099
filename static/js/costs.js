// The button that publishes says how many places, and what they cost, as the number beside it changes.

for (const button of document.querySelectorAll("[data-each]")) {
  const { places } = button.form.elements;
  const plain = button.textContent;
  const say = () => {
    const wanted = Number(places.value);
    const sum = (wanted * button.dataset.each).toLocaleString("en", {
      minimumFractionDigits: 2,
      maximumFractionDigits: 2,
    });
    const counts = Number.isInteger(wanted) && wanted > 0;
    const what = `${wanted.toLocaleString("en")} ${wanted === 1 ? "place" : "places"}`;
    button.textContent = counts ? `${plain} ${what} for ${sum} ${button.dataset.currency}` : plain;
  };
  places.addEventListener("input", say);
  say();
}
