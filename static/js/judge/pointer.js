/* The pointer: moved by somebody, or merely lying where something new appears under it */

const acts = [];
let where = "";

export function onMove(act) {
  acts.push(act);
}

document.addEventListener("pointermove", (event) => {
  const here = `${event.screenX} ${event.screenY}`;
  // Browsers report a move as well when the page changes under a pointer that lies still.
  if (here === where) return;
  where = here;
  for (const act of acts) act(event.target);
});
