/* Paradata: how an answer was given. By key, mouse, pen or touch, and how often since the last answer something
   moved, was pressed, lost the focus or was pasted. Never which key, where, or what. */

const MOST = 9999;

let told = {};

function count(what, by = 1) {
  told[what] = Math.min(MOST, (told[what] ?? 0) + by);
}

// What a script of the page's visitor makes up is no input.
function hear(name, act) {
  addEventListener(name, (event) => event.isTrusted && act(event), { capture: true, passive: true });
}

// Browsers report a move as well when the page changes under a pointer that lies still.
hear("pointermove", ({ movementX, movementY }) => (movementX || movementY) && count("moves"));
hear("touchmove", () => count("moves"));
hear("wheel", () => count("moves"));
hear("keydown", () => {
  count("keys");
  told.by = "key";
});
hear("pointerdown", ({ pointerType }) => {
  told.by = pointerType || "mouse";
});
// Pressed for somebody, as screen readers do.
hear("click", () => {
  told.by ??= "other";
});
hear("blur", ({ target }) => target === window && count("blurs"));
hear("paste", ({ clipboardData }) => count("pasted", clipboardData?.getData("text").length ?? 0));

/** All of it since it was last taken, as a letter says it. */
export function take() {
  const taken = JSON.stringify({ by: "none", ...told });
  told = {};
  return taken;
}
