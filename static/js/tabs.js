// Brings the tab of the page shown into sight where a row of tabs is wider than the window.

for (const link of document.querySelectorAll(":is(.tabs, .subtabs) [aria-current]")) {
  const row = link.closest(".tabs, .subtabs");
  const from = link.getBoundingClientRect().left - row.getBoundingClientRect().left;
  row.scrollLeft += from - (row.clientWidth - link.clientWidth) / 2;
}
