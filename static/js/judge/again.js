/* The list on the last page. Topics may repeat, so each question also shows the first words of what was chosen, or its
   picture, small. */

import { CANNOT } from "./cannot.js";
import { asked, finish, onShow, shown } from "./show.js";

// Letters, and pixels.
const MOST = 120;
const HEIGHT = 48;
const links = finish.querySelectorAll("[data-go]");

// The side of the answer, the item picked as the best, or the only one; none of a tie.
function chosen(question) {
  const { choice } = question.dataset;
  const [side] = /(left|right)$/.exec(choice) ?? [];
  const sides = question.querySelectorAll(".side");
  if (choice === CANNOT || choice === "tie") return null;
  return side ? question.querySelector(`.side.${side}`) : sides.length > 1 ? question.querySelector("[data-picked=best]") : sides[0];
}

function show(link) {
  link.querySelector(".chosen")?.remove();
  const part = chosen(asked(link.dataset.go));
  const words = part?.querySelector(".set")?.textContent.trim().slice(0, MOST);
  const picture = part?.querySelector(".frame img");
  if (!words && !picture) return;
  const one = Object.assign(document.createElement("span"), { className: "about soft chosen", dir: "auto", textContent: words ?? "" });
  if (!words) one.append(Object.assign(new Image(), { src: picture.src, alt: picture.alt, height: HEIGHT }));
  link.append(one);
}

onShow(() => shown() === finish && links.forEach(show));
