/* Items that show the same: said under the question, with the tie in reach. The server says it of texts; pictures
   are compared here, once they are loaded: those of one size in bytes byte by byte, out of the browser's cache */

import { complete } from "./pictures.js";
import { onShow, question, say } from "./show.js";

const line = (asked) => asked.querySelector(".same");
const spoken = document.querySelector("#spoken");
const compared = new WeakSet();

// More than a browser keeps by itself: a batch may show some hundreds of pictures.
performance.setResourceTimingBufferSize?.(2000);

// Undefined where the browser has not noted it yet: a picture may be shown before.
const size = (picture) => performance.getEntriesByName(picture.src).at(-1)?.encodedBodySize;

async function bytes(picture) {
  const read = (address) => fetch(address, { cache: "force-cache", credentials: "omit" });
  const shown = await read(picture.src);
  // Two that move may begin alike.
  const whole = shown.headers.get("X-Moves") ? await read(`${picture.src.split("?")[0]}?moving`) : shown;
  return new Uint8Array(await whole.arrayBuffer());
}

const equal = (one, other) => one.length === other.length && one.every((byte, n) => byte === other[n]);

// Pictures in groups of those that are the same, by the names of their places.
async function groups(pictures) {
  const sizes = pictures.map(size);
  const unsure = sizes.includes(undefined);
  const twice = (own) => sizes.indexOf(own) !== sizes.lastIndexOf(own);
  const found = [];
  for (const picture of pictures.filter((_, n) => sizes[n] !== 0 && (unsure || twice(sizes[n])))) {
    const read = await bytes(picture);
    const group = found.find((one) => equal(one.read, read));
    if (group) group.pictures.push(picture);
    else found.push({ read, pictures: [picture] });
  }
  return found.map((one) => one.pictures).filter((same) => same.length > 1);
}

async function compare(asked) {
  const pictures = [...asked.querySelectorAll(".frame img")];
  if (!line(asked) || compared.has(asked) || pictures.length < 2 || !complete(asked)) return;
  compared.add(asked);
  const same = await groups(pictures).catch(() => []); // offline: nothing is said
  if (!same.length) return;
  const names = same.map((group) => group.map((one) => one.closest("[data-item]")?.dataset.item ?? "").join(", "));
  const list = line(asked).querySelector("span");
  if (list) list.textContent = names.join("; ");
  line(asked).hidden = false;
  if (asked === question()) announce();
}

// Said aloud, and where the scale has a tie it has the focus: Enter gives it.
function announce() {
  const asked = question();
  const told = asked && line(asked);
  if (!told || told.hidden) return;
  say(`${spoken.textContent} ${told.textContent}`);
  const idle = document.activeElement === document.body || document.activeElement?.matches("h1");
  if (idle && !asked.dataset.choice) asked.querySelector(".choice.tie")?.focus({ preventScroll: true });
}

document.body.addEventListener("seen", ({ target }) => {
  const asked = target.closest("[data-position]");
  if (asked) compare(asked);
});
onShow(() => {
  if (question()) compare(question());
  announce();
});
