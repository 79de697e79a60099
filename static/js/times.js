// Turns every <time datetime> on the page into the reader's own zone, and names the zone.

const format = new Intl.DateTimeFormat(undefined, {
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
  timeZoneName: "short",
});

const short = new Intl.DateTimeFormat(undefined, {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
});

const day = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });

/** Localise the times under `root`; repeating it changes nothing. */
export function localise(root) {
  for (const time of root.querySelectorAll("time[datetime]")) {
    const moment = new Date(time.dateTime);
    if (Number.isNaN(moment.getTime())) continue;
    const brief = "short" in time.dataset;
    time.textContent = (brief ? short : format).format(moment);
    if (brief) time.title = format.format(moment);
  }
  for (const table of root.querySelectorAll("[data-days]")) sayDaysOnce(table);
}

// A table whose times are all of one day says the day once, and each time the clock alone.
function sayDaysOnce(table) {
  const times = [...table.querySelectorAll("time[data-short]")].map((time) => [time, new Date(time.dateTime)]);
  const days = new Set(times.map(([, moment]) => day.format(moment)));
  if (days.size !== 1) return;
  for (const [time, moment] of times) time.textContent = clock.format(moment);
  const said = table.querySelector("[data-day]");
  said.textContent = `All on ${[...days][0]}`;
  said.hidden = false;
}

localise(document);

// What is printed has the time at which it is.
addEventListener("beforeprint", () => {
  for (const time of document.querySelectorAll("[data-now]")) time.dateTime = new Date().toISOString();
  localise(document);
});
