/* Time: how long each question was the current one, in view and away (the page hidden) */

function stopwatch() {
  const spent = new Map();
  let since = null;
  return {
    start() {
      since = performance.now();
    },
    stop(view) {
      if (since !== null) spent.set(view, (spent.get(view) ?? 0) + performance.now() - since);
      since = null;
    },
    seconds: (view) => ((spent.get(view) ?? 0) + (since === null ? 0 : performance.now() - since)) / 1000,
    forget: (view) => spent.delete(view),
  };
}

const inView = stopwatch();
const away = stopwatch();
let current;

export function stop() {
  inView.stop(current);
  away.stop(current);
}

// From now on it is this view's time: away at once if the page is hidden, in view only once painted.
export function turnTo(view) {
  stop();
  current = view;
  if (document.hidden) away.start();
}

export function painted() {
  if (!document.hidden) inView.start();
}

// Seconds for which this view was seen so far.
export const soFar = () => inView.seconds(current);

// The time of this view since it was last taken: a correction has its own.
export function take() {
  stop();
  const times = { seconds: inView.seconds(current).toFixed(2), away: away.seconds(current).toFixed(2) };
  inView.forget(current);
  away.forget(current);
  return times;
}

document.addEventListener("visibilitychange", () => {
  if (document.hidden) {
    inView.stop(current);
    away.start();
  } else {
    away.stop(current);
    inView.start();
  }
});
