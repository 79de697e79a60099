/* Scrolling by keys: the passage, or what a claim cites, that the pointer or the focus went to last, else all of them together,
   each by the same share of its length; at their end the page. None of these keys is ever an answer. */

import { onMove, question } from "./show.js";

// What each key moves by: a share of what is in view, lines, or to an end.
const LINE = 40;
const PAGE = 0.875;
export const SCROLLS = {
  ArrowUp: { lines: -1 },
  ArrowDown: { lines: 1 },
  PageUp: { pages: -1 },
  PageDown: { pages: 1 },
  " ": { pages: 1 },
  Home: { pages: -Infinity },
  End: { pages: Infinity },
};

const SCROLLED = ".passage, .beside li";
// The passage that is meant; none of them while the pointer merely lies where a new one appears.
let meant = null;

onMove((target) => {
  meant = target.closest?.(SCROLLED) ?? document.activeElement?.closest(SCROLLED) ?? null;
});

document.addEventListener("focusin", (event) => {
  meant = event.target.closest(SCROLLED);
});

const room = (element) => element.scrollHeight - element.clientHeight;

export function scroll(event) {
  const { lines = 0, pages = 0 } = SCROLLS[event.key];
  const sign = event.key === " " && event.shiftKey ? -1 : 1;
  const far = (element) => sign * (lines * LINE + (pages ? pages * PAGE * element.clientHeight : 0));
  const passages = [...question().querySelectorAll(".passage")].filter((passage) => room(passage) > 0);
  const chosen = meant && room(meant) > 0 && question().contains(meant) ? [meant] : passages;
  // The longest sets the pace, so that nothing of it is skipped.
  const longest = Math.max(...chosen.map(room));
  const moved = chosen.map((passage) => {
    const before = passage.scrollTop;
    passage.scrollTop = Math.max(0, Math.min(room(passage), before + (far(passage) * room(passage)) / longest));
    return passage.scrollTop !== before;
  });
  event.preventDefault();
  if (moved.includes(true)) return;
  const page = document.scrollingElement;
  page.scrollTop = Math.max(0, Math.min(room(page), page.scrollTop + far(page)));
}
