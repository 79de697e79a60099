/* Pictures: until all of a question can be seen, its choices are off and its frames say why; a picture
   that did not load is tried again, then on demand; those of the next questions are unpacked ahead */

const AHEAD = 2;

const pictures = (question) => [...question.querySelectorAll(".frame img")];
// Loaded and unpacked: it is painted with the next frame.
const seen = new WeakSet();
// The questions in view and next: unpacked pictures are large, so the others wait for their turn.
let wanted = [];

export const complete = (question) => pictures(question).every((picture) => seen.has(picture));

// data-state of a frame: waiting, missing, or none once its picture can be seen.
function tell(picture, state) {
  const frame = picture.closest(".frame");
  frame.dataset.state = state;
  frame.querySelector(".waiting").hidden = state !== "waiting";
  frame.querySelector(".missing").hidden = state !== "missing";
  const question = picture.closest("[data-position]");
  for (const choice of question.querySelectorAll(".bar button")) {
    choice.toggleAttribute("aria-disabled", false);
    if (!complete(question)) choice.setAttribute("aria-disabled", "true");
  }
}

async function unpack(picture) {
  if (seen.has(picture)) return;
  try {
    await picture.decode();
  } catch {
    // The event "error" tells of a picture that did not load.
    return;
  }
  seen.add(picture);
  tell(picture, "");
  picture.dispatchEvent(new Event("seen", { bubbles: true }));
}

export function want(questions, at) {
  wanted = at < 0 ? [] : questions.slice(at, at + 1 + AHEAD);
  for (const question of wanted) {
    for (const picture of pictures(question)) {
      picture.fetchPriority = question === wanted[0] ? "high" : "auto";
      arrived(picture);
    }
  }
}

function arrived(picture) {
  if (picture.complete && picture.naturalWidth && wanted.includes(picture.closest("[data-position]"))) unpack(picture);
}

export function load(frame) {
  const picture = frame.querySelector("img");
  tell(picture, "waiting");
  picture.src = picture.src;
}

for (const picture of document.querySelectorAll(".frame img")) {
  let tries = 0;
  const failed = () => {
    tell(picture, "missing");
    if (tries++ < 2) setTimeout(() => load(picture.closest(".frame")), 1500 * tries);
  };
  picture.addEventListener("error", failed);
  picture.addEventListener("load", () => arrived(picture));
  tell(picture, "waiting");
  if (picture.complete && !picture.naturalWidth) failed();
  addEventListener("online", () => picture.complete && !picture.naturalWidth && load(picture.closest(".frame")));
}
