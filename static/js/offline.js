/* The service worker of a judging page (judge/kept.js): the network's answer, or without a network the page as it was kept.
   It sees the page alone: its scope is the page's own address. */

const STORE = "faceoff-batch";

addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(clients.claim()));

addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.mode === "navigate" && request.method === "GET") event.respondWith(answer(request));
});

async function answer(request) {
  try {
    return await fetch(request);
  } catch (error) {
    const kept = await caches.open(STORE).then((store) => store.match(request, { ignoreSearch: true }));
    if (kept) return kept;
    throw error;
  }
}
