/* The service worker of a judging page (judge/kept.js): the network's answer, or without a network the page as it was kept,
   and what it is made of. It sees that page alone: its scope is the page's own address. */

const STORE = "faceoff-batch";
const PARTS = ["script", "style", "font"];

addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(clients.claim()));

addEventListener("fetch", (event) => {
  const { request } = event;
  const kept = request.mode === "navigate" || PARTS.includes(request.destination);
  if (kept && request.method === "GET") event.respondWith(answer(request));
});

async function answer(request) {
  try {
    return await fetch(request);
  } catch (error) {
    const store = await caches.open(STORE);
    const kept = await store.match(request, { ignoreSearch: request.mode === "navigate" });
    if (kept) return kept;
    throw error;
  }
}
