/* The list on the last page: each question shows the first words of what was chosen, or its picture, small; of a tie
   those of both sides. */

import { CANNOT } from "./cannot.js";
import { asked, finish, onShow, shown } from "./show.js";

// Letters, and pixels.
const MOST = 80;
const HEIGHT = 48;
const links = finish.querySelectorAll("[data-go]");

// The side of the answer, the item picked as the best, or the only one; both of a tie.
function chosen(question) {
  const { choice } = question.dataset;
  const [side] = /(left|right)$/.exec(choice) ?? [];
  const sides = [...question.querySelectorAll(".side")];
  if (choice === CANNOT) return [];
  if (side) return sides.filter((one) => one.matches(`.${side}`));
  return choice === "tie" || sides.length === 1 ? sides : sides.filter((one) => one.matches("[data-picked=best]"));
}

function show(link) {
  for (const old of link.querySelectorAll(".chosen")) old.remove();
  for (const part of chosen(asked(link.dataset.go))) {
    const words = part.querySelector(".set")?.textContent.trim().slice(0, MOST);
    const picture = part.querySelector(".frame img");
    if (!words && !picture) continue;
    const one = Object.assign(document.createElement("span"), { className: "about soft chosen", dir: "auto", textContent: words ?? "" });
    if (!words) one.append(Object.assign(new Image(), { src: picture.src, alt: picture.alt, height: HEIGHT }));
    link.append(one);
  }
}

onShow(() => shown() === finish && links.forEach(show));
