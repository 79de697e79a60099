/* Time: seconds that a question was really in view */

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
    seconds: (view) => ((spent.get(view) ?? 0) / 1000).toFixed(2),
  };
}

const inView = stopwatch();
let current;

export function stop() {
  inView.stop(current);
}

// From now on it is this view's time, once it is painted.
export function turnTo(view) {
  stop();
  current = view;
}

export function painted() {
  if (!document.hidden) inView.start();
}

export const times = () => ({ seconds: inView.seconds(current) });

document.addEventListener("visibilitychange", () => {
  if (document.hidden) inView.stop(current);
  else inView.start();
});
