/* The open link and the same browser: it remembers the personal addresses that it was given, and offers to go on
   there before anybody joins once more. Kept in the browser alone; where it keeps nothing, all is as without. */

const JOINING = "faceoff:joining";
const JOINED = "faceoff:joined:";
// How far the batch there is, until when it takes answers, and until when the server waits for the next: js/judge/kept.js
// says it.
const AT = "faceoff:at:";
// What is not finished in it, from there too.
const UNFINISHED = "faceoff:unfinished:";
// What was sent there last: how many answers, when, by which texts, and whether there was more to judge after it; null
// where it was all that one person can judge.
const SENT = "faceoff:sent:";
const here = location.pathname;

// Storage may be missing, full or forbidden, as in some frames: then nothing is remembered.
function attempt(act) {
  try {
    return act();
  } catch {
    return null;
  }
}

// A path of this server, and no other's address, whatever was stored.
const isPath = (address) => /^\/[^/\\]/.test(address ?? "");

// Personal addresses that a link led to, the last one first, on lines of their own.
const homes = (link) => (localStorage.getItem(JOINED + link) ?? "").split("\n").filter(isPath);

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const day = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23" });

function moment(at) {
  const time = new Date(at);
  return (time.toDateString() === new Date().toDateString() ? clock : day).format(time);
}

// What is offered of one address: to go on in its batch, or what was sent there and what can be done now.
function fill(offer, home) {
  const go = offer.querySelector("a");
  const begins = offer.querySelector("form");
  const told = offer.querySelector("[data-at]");
  const [where, until, waits] = attempt(() => JSON.parse(localStorage.getItem(AT + home))) ?? [];
  const [answers, time, texts, more] = attempt(() => JSON.parse(localStorage.getItem(SENT + home))) ?? [];
  let takes = false;
  go.href = home;
  if (where) {
    told.textContent = where === "sends" ? told.dataset.unsent : told.dataset.at.replace("{where}", where);
    // Without an answer for so long the server may have given the questions to others.
    if (Math.min(until, waits) > Date.now()) told.textContent += ` ${told.dataset.until.replace("{time}", moment(until))}`;
  } else if (time) {
    const sentence = answers === 1 ? told.dataset.one : told.dataset.sent;
    told.textContent = sentence.replace("{answers}", answers).replace("{time}", moment(time));
    // One press takes the next batch; where its texts are others than those that were agreed to, the personal page shows
    // them first. Where nothing is left for anybody, there is none to take; where it said that there is nothing for this
    // person, only it knows whether there is now.
    takes = Boolean(begins) && more;
    if (more === null) told.textContent += ` ${told.dataset.all}`;
    const atOnce = takes && begins.dataset.texts === texts;
    if (begins) {
      begins.action = home;
      begins.hidden = !atOnce;
      go.textContent = takes ? begins.textContent.trim() : more === null ? go.dataset.receipt : go.dataset.looks;
    }
    go.hidden = atOnce || !(begins || "stays" in go.dataset);
    const read = offer.querySelector(".read");
    read.href = `${home}?answers`;
    read.hidden = false;
  }
  offer.hidden = false;
  return more === null ? "all" : takes;
}

const offer = document.querySelector("[data-go-on]");
if (offer) {
  const known = attempt(() => homes(here)) ?? [];
  const begin = document.querySelector("form.begin");
  const button = begin?.querySelector("button[data-other]");
  const asks = begin?.querySelector("[data-asks]");
  for (const home of known.slice(1).reverse()) {
    const another = offer.cloneNode(true);
    for (const one of another.querySelectorAll(".main")) one.classList.remove("main");
    offer.after(another);
    fill(another, home);
  }
  if (known.length) {
    const takes = fill(offer, known[0]);
    // Who has judged here knows what it is about. The figures are those of a batch that is to be taken.
    const besides = { true: "", false: ", .in-short", all: ", .in-short, .small-print > :not(.ask)" }[takes];
    for (const one of document.querySelectorAll(`.lead, .miniature${besides}`)) one.hidden = true;
    const next = document.querySelector("[data-next]");
    if (next) next.hidden = takes !== true;
    next?.before(offer.querySelector("p"));
    if (button) {
      button.textContent = button.dataset.other;
      button.classList.remove("main");
    }
  }
  // Enter begins, or goes on, without a look for the button; nothing scrolls.
  if (matchMedia("(hover: hover)").matches) document.querySelector("[data-go-on]:not([hidden]) :is(form:not([hidden]) button, a:not([hidden])), form.begin button")?.focus({ preventScroll: true });
  begin?.addEventListener("submit", (event) => {
    // Nobody becomes somebody else unawares.
    if (known.length && asks?.hidden) {
      event.preventDefault();
      asks.hidden = false;
      button.textContent = button.dataset.sure;
      return;
    }
    attempt(() => sessionStorage.setItem(JOINING, here));
  });
} else {
  // The first page after joining is the personal one: its address belongs to the link that led here.
  attempt(() => {
    const link = sessionStorage.getItem(JOINING);
    if (!link) return;
    localStorage.setItem(JOINED + link, [here, ...homes(link).filter((home) => home !== here)].join("\n"));
    sessionStorage.removeItem(JOINING);
  });
  // No batch is open here, or the page would be that of judging.
  for (const name of [AT, UNFINISHED]) attempt(() => localStorage.removeItem(name + here));
  const { receipt, sent, texts } = document.querySelector("[data-receipt]")?.dataset ?? {};
  const kept = sent ? [Number(receipt), sent, texts] : attempt(() => JSON.parse(localStorage.getItem(SENT + here)));
  const more = document.querySelector("[data-judged-all]") ? null : Boolean(document.querySelector("form.begin .main:not([data-looks])"));
  if (kept) attempt(() => localStorage.setItem(SENT + here, JSON.stringify([...kept.slice(0, 3), more])));
}
