/* What is asked besides the answer: nothing, unless the page loads aspects.js, which puts its own in place of these */

export const details = {
  // Whether a choice waits for what is asked after it, or cannot be given yet.
  hold: () => false,
  // What a letter says of it.
  take: () => ({}),
  // Takes one step of it back; false where there is none.
  back: () => false,
  // The choice that waits, and whether it may be sent.
  waiting: () => undefined,
  finished: () => true,
  hear() {},
  // A question has come into view.
  arrive() {},
};
