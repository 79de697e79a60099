/* Pictures: until all of a question can be seen, its choices are off and its frames say why; a picture
   that did not load is tried again, then on demand; those of the next questions are fetched one question after
   another, so that a slow line carries what is looked at first, and unpacked ahead */

const AHEAD = 2;

// Those that are loaded only when they come into view are not waited for; data-later: its turn has not come.
const pictures = (question) =>
  [...question.querySelectorAll(".frame img")].filter((one) => one.loading !== "lazy" || "later" in one.dataset);
// Loaded and unpacked: it is painted with the next frame.
const seen = new WeakSet();
// The questions in view and next: unpacked pictures are large, so the others wait for their turn.
let wanted = [];

// data-hold of a question: its kind waits for something else; data-unseen: for items that were not in view yet.
export const complete = (question) =>
  !("hold" in question.dataset) && !("unseen" in question.dataset) && pictures(question).every((picture) => seen.has(picture));

// What an answer waits for, as a sentence by its name.
export function awaited(question) {
  if ("unseen" in question.dataset) return "all";
  if (!("hold" in question.dataset)) return "on their way";
  if (question.querySelector(".player")) return "hear first";
  return "folded" in question.dataset ? "both" : "play first";
}

// data-state of a frame: waiting, missing, or none once its picture can be seen.
function tell(picture, state) {
  const frame = picture.closest(".frame");
  frame.dataset.state = state;
  frame.querySelector(".waiting").hidden = state !== "waiting";
  frame.querySelector(".missing").hidden = state !== "missing";
  turnOff(picture.closest("[data-position]"));
}

// Choices are off until what they are about can be seen.
function turnOff(question) {
  const off = !complete(question);
  for (const choice of question.querySelectorAll(".choice")) {
    choice.toggleAttribute("aria-disabled", false);
    if (off) choice.setAttribute("aria-disabled", "true");
  }
}

// To be called where a kind has changed which pictures are waited for, or whether it waits.
export function refresh(question) {
  for (const picture of pictures(question)) arrived(picture);
  turnOff(question);
  question.dispatchEvent(new Event("seen", { bubbles: true }));
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

// Fetch the pictures of a question that have waited for their turn.
function fetch(question) {
  for (const picture of question.querySelectorAll("img[data-later]")) {
    delete picture.dataset.later;
    picture.loading = "eager";
  }
}

// On its way: neither loaded nor failed. A failed one is tried again, and holds up nobody.
const underWay = (picture) => !picture.complete && picture.closest(".frame").dataset.state !== "missing";

// Once all of the question in view is there, the next ones have their turn, two at a time.
function fetchNext() {
  const all = [...document.querySelectorAll("[data-position]")];
  const waits = (question) => question.querySelector("img[data-later]");
  const busy = all.filter((question) => !waits(question) && pictures(question).some(underWay));
  if (busy.includes(wanted[0]) || busy.length >= 2) return;
  const next = all.slice(Math.max(0, all.indexOf(wanted[0]))).find(waits);
  if (!next) return;
  fetch(next);
  fetchNext();
}

export function want(questions, at) {
  wanted = at < 0 ? [] : questions.slice(at, at + 1 + AHEAD);
  if (wanted.length) fetch(wanted[0]);
  fetchNext();
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
  // biome-ignore lint/correctness/noSelfAssign: it is fetched again
  picture.src = picture.src;
}

for (const picture of document.querySelectorAll(".frame img")) {
  let tries = 0;
  const failed = () => {
    tell(picture, "missing");
    fetchNext();
    if (tries++ < 2) setTimeout(() => load(picture.closest(".frame")), 1500 * tries);
  };
  picture.addEventListener("error", failed);
  picture.addEventListener("load", () => {
    arrived(picture);
    fetchNext();
  });
  tell(picture, "waiting");
  // Asked of one whose turn has not come, browsers differ about whether it is complete.
  const broken = () => !("later" in picture.dataset) && picture.complete && !picture.naturalWidth;
  if (broken()) failed();
  addEventListener("online", () => broken() && load(picture.closest(".frame")));
}
