// Dense tables: the cell at the pointer or the focus says what it is of, and its row and column stand out. One stop of
// the Tab key for the whole table; arrow keys go from cell to cell. Without this script cells say their number alone.

// In a narrow window figures would push the cells out of it.
const figures = document.querySelector("#more-figures");
if (figures && matchMedia("(max-width: 40rem)").matches) figures.checked = false;

for (const table of document.querySelectorAll("table:is(.dense, .heat)")) {
  const heads = [...table.tHead.rows[0].cells];
  const said = (cell) => (cell.querySelector(".said-run, a.opens") ?? cell).textContent.trim();
  const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
  let lit = [];
  let stop = null;

  function tell(cell) {
    for (const one of lit) one.classList.remove("lit");
    lit = [];
    if (!cell) return;
    const row = cell.parentElement;
    lit = [row.cells[0], heads[cell.cellIndex]];
    for (const one of lit) one.classList.add("lit");
    const number = cell.querySelector(".number");
    if (!number) return;
    number.dataset.of = `${said(row.cells[0])}, ${said(heads[cell.cellIndex])}: `;
    // It opens towards the middle, so that no edge cuts it off.
    const box = table.parentElement.getBoundingClientRect();
    const at = cell.getBoundingClientRect();
    cell.classList.toggle("leftward", at.left > box.left + box.width / 2);
    cell.classList.toggle("above", at.top > box.top + box.height / 2);
  }

  function stopAt(cell) {
    const target = (one) => one.querySelector("a") ?? one;
    if (stop) target(stop).tabIndex = -1;
    stop = cell;
    target(cell).tabIndex = 0;
    return target(cell);
  }

  for (const cell of table.tBodies[0].querySelectorAll("td")) (cell.querySelector("a") ?? cell).tabIndex = -1;
  const first = table.querySelector("tbody td:has(.number, a)");
  if (first) stopAt(first);
  const cellOf = (event) => event.target.closest("tbody td");
  table.addEventListener("pointerover", (event) => tell(cellOf(event)));
  table.addEventListener("pointerleave", () => tell(null));
  table.addEventListener("focusin", (event) => {
    const cell = cellOf(event);
    tell(cell);
    if (cell && cell !== stop) stopAt(cell);
  });
  table.addEventListener("keydown", (event) => {
    const cell = cellOf(event);
    const step = steps[event.key];
    if (!cell || !step || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const row = table.tBodies[0].rows[cell.parentElement.sectionRowIndex + step[0]];
    const next = row?.cells[cell.cellIndex + step[1]];
    if (next?.matches("td") && next.offsetWidth) stopAt(next).focus();
  });
}
