// Turns every <time datetime> on the page into the reader's own zone, and names the zone.

const format = new Intl.DateTimeFormat(undefined, {
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  timeZoneName: "short",
});

/** Localise the times under `root`; repeating it changes nothing. */
export function localise(root) {
  for (const time of root.querySelectorAll("time[datetime]")) {
    const moment = new Date(time.dateTime);
    if (!Number.isNaN(moment.getTime())) time.textContent = format.format(moment);
  }
}

localise(document);

// What is printed has the time at which it is.
addEventListener("beforeprint", () => {
  for (const time of document.querySelectorAll("[data-now]")) time.dateTime = new Date().toISOString();
  localise(document);
});
