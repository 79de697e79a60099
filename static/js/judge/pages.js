/* The pictures of two result pages: rows are as high as their width allows; what is in view at first is loaded at
   once and waited for, the rest as it comes into view. */

import { refresh } from "./pictures.js";
import "./sides.js";

// How high a row is at most, by the size of letters that the reader chose, and how flat a picture may be shown.
const HEIGHTS = [96, 140, 200, 280];
const SHAPES = [0.45, 3];
const TEXT = 1.4;
const GAP = 4;
const AHEAD = 2;

const questions = [...document.querySelectorAll(".question.result-pages")];
const part = (question, side) => question.querySelector(`.side.${side} .page`);

// The width of a picture of height 1, as it is shown.
function shape(cell) {
  const picture = cell.querySelector("img");
  const [width, height] = picture ? [picture.getAttribute("width"), picture.getAttribute("height")] : [TEXT, 1];
  const ratio = width && height ? width / height : 1;
  return Math.max(SHAPES[0], Math.min(SHAPES[1], ratio));
}

// The pictures of a row have one height, so that they fill its width, but are no higher than is useful.
function measure(page) {
  const most = HEIGHTS[document.body.dataset.letters ?? 1];
  for (const row of page.querySelectorAll(".row")) {
    const cells = [...row.children];
    const shapes = cells.map(shape);
    const room = row.clientWidth - GAP * (cells.length - 1);
    const height = Math.min(most, room / shapes.reduce((sum, one) => sum + one, 0));
    row.style.setProperty("--height", `${Math.floor(height)}px`);
    for (const [n, cell] of cells.entries()) cell.style.setProperty("--width", `${Math.floor(height * shapes[n])}px`);
  }
}

// Load at once what is in view of a page that is; returns how many pictures from its top these are.
function load(page) {
  const { top, bottom, height } = page.getBoundingClientRect();
  if (!height) return 0;
  let last = 0;
  [...page.querySelectorAll(".frame img")].forEach((picture, n) => {
    const box = picture.closest(".frame").getBoundingClientRect();
    if (box.bottom <= top || box.top >= bottom) return;
    picture.loading = "eager";
    last = n + 1;
  });
  return last;
}

function arrange(question) {
  const number = [];
  for (const side of ["left", "right"]) {
    const page = part(question, side);
    measure(page);
    // Only at first: what is scrolled to later is looked at as it comes.
    if (page.scrollTop === 0) number.push(load(page));
  }
  fetchNext(question, Math.max(0, ...number));
  refresh(question);
}

// As many pictures from the top of the next questions' pages: they will be in view at first there.
function fetchNext(question, number) {
  const at = questions.indexOf(question);
  for (const next of questions.slice(at + 1, at + 1 + AHEAD)) {
    for (const page of next.querySelectorAll(".page")) {
      for (const picture of [...page.querySelectorAll(".frame img")].slice(0, number)) picture.loading = "eager";
    }
  }
}

// sides.js says so as a question comes into view, and where something of it changes.
document.addEventListener("turn", ({ target }) => target.matches(".result-pages") && arrange(target));
const inSight = questions.find((question) => !question.hidden);
if (inSight) arrange(inSight);
