// Turns every <time datetime> on the page into the reader's own zone, and names the zone.

const format = new Intl.DateTimeFormat(undefined, {
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  timeZoneName: "short",
});

const short = new Intl.DateTimeFormat(undefined, {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
});

/** Localise the times under `root`; repeating it changes nothing. */
export function localise(root) {
  for (const time of root.querySelectorAll("time[datetime]")) {
    const moment = new Date(time.dateTime);
    if (Number.isNaN(moment.getTime())) continue;
    const brief = "short" in time.dataset;
    time.textContent = (brief ? short : format).format(moment);
    if (brief) time.title = format.format(moment);
  }
}

localise(document);

// What is printed has the time at which it is.
addEventListener("beforeprint", () => {
  for (const time of document.querySelectorAll("[data-now]")) time.dateTime = new Date().toISOString();
  localise(document);
});
