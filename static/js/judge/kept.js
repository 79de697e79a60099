/* A batch that survives a reload without a network: what was answered and letters on their way (post.js) stay in this tab
   until the batch is sent, questions that are not finished (unfinished.js) in this browser, and a service worker has the
   page as it came. Where a browser keeps nothing, all is as without. */

// Before any script has changed it.
const html = `<!doctype html>${document.documentElement.outerHTML}`;

const { token, home, worker } = document.body.dataset;
const STORE = "faceoff-batch";
const AT = `faceoff:at:${home}`;
const GIVEN = `faceoff:given:${token}`;
export const LETTERS = `faceoff:letters:${token}`;
const UNFINISHED = `faceoff:unfinished:${home}`;
export const PACES = `faceoff:paces:${token}`;

// Storage may be missing, full or forbidden, as in some frames.
export function attempt(act) {
  try {
    return act();
  } catch {
    return null;
  }
}

const answers = attempt(() => JSON.parse(sessionStorage.getItem(GIVEN))) ?? {};

/** Positions and choices that were given on this page before it was loaded again. */
export const given = () => Object.entries(answers);

export function remember(position, choice) {
  answers[position] = choice;
  attempt(() => sessionStorage.setItem(GIVEN, JSON.stringify(answers)));
}

// By the batch alone: a panel's address that is opened anew gives another token.
const batch = Number.parseInt(token, 10) || token;

/** What is kept of questions that are not finished. */
export function unfinished() {
  const [of, halves] = attempt(() => JSON.parse(localStorage.getItem(UNFINISHED))) ?? [];
  return of === batch ? halves : [];
}

export function keepUnfinished(halves) {
  attempt(() => (halves.length ? localStorage.setItem(UNFINISHED, JSON.stringify([batch, halves])) : localStorage.removeItem(UNFINISHED)));
}

const until = Date.now() + 1000 * document.body.dataset.secondsLeft;

// How long the server waits for an answer before it gives what is open to others.
const idle = 60_000 * document.body.dataset.idle;
let loaded = true;

/** Keep how far the batch is, until when it is theirs, and until when at least the server waits for the next answer, for
    the page that offers to go on in it (js/joined.js). */
export const reach = (where) =>
  attempt(() => {
    const [, , before] = JSON.parse(localStorage.getItem(AT)) ?? [];
    // To load the page is no answer.
    const waits = loaded && before > Date.now() ? before : Date.now() + idle;
    loaded = false;
    localStorage.setItem(AT, JSON.stringify([where, until, waits]));
  });

// What the page is made of, without its pictures: browsers keep these, as their addresses never mean another one.
const PARTS = ["script", "link", "css"];
const parts = () =>
  performance
    .getEntriesByType("resource")
    .filter(({ name, initiatorType }) => PARTS.includes(initiatorType) && name.startsWith(location.origin))
    .map(({ name }) => name);

/** Have the service worker answer with this page, and what it is made of, where the network does not. */
export async function keep() {
  try {
    if (!(await navigator.serviceWorker.register(worker, { scope: home }))) return;
    const headers = {
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy": "default-src 'self'",
      "X-Kept": "1",
    };
    const store = await caches.open(STORE);
    await store.addAll(parts());
    await store.put(home, new Response(html, { headers }));
  } catch {
    // No service worker here: the tab keeps the answers all the same.
  }
}

/** The batch is sent, or takes no more answers: nothing is left here. */
export async function forget() {
  for (const name of [GIVEN, PACES]) attempt(() => sessionStorage.removeItem(name));
  keepUnfinished([]);
  attempt(() => localStorage.removeItem(AT));
  try {
    await caches.delete(STORE);
    await (await navigator.serviceWorker.getRegistration(home))?.unregister();
  } catch {
    // As above.
  }
}
