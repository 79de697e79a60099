/* Pictures: tried again and then said where they did not load, unpacked before they are wanted */

const pictures = (question) => [...question.querySelectorAll("img")];

export const complete = (question) => pictures(question).every((picture) => picture.complete);

export function unpack(question) {
  for (const picture of pictures(question)) picture.decode().catch(() => {});
}

export function load(frame) {
  const picture = frame.querySelector("img");
  frame.querySelector(".missing").hidden = true;
  picture.src = picture.src;
}

for (const picture of document.querySelectorAll(".frame img")) {
  const frame = picture.closest(".frame");
  let tries = 0;
  const failed = () => {
    frame.querySelector(".missing").hidden = false;
    if (tries++ < 2) setTimeout(() => load(frame), 1500 * tries);
  };
  picture.addEventListener("error", failed);
  if (picture.complete && !picture.naturalWidth) failed();
  addEventListener("online", () => picture.complete && !picture.naturalWidth && load(frame));
}
