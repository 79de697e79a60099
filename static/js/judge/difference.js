/* Two texts that are nearly the same, word by word: which words only one of them has */

import { two } from "./reading.js";

// More words than this take too long to compare, and a smaller share in common is no near equality.
const MOST = 1500;
const NEAR = 0.6;

/** Places of the words that are not among those that both texts have in one order: of each text, as two lists.
    null where the texts differ too much for that to say anything, or are too long. */
function changed(one, other) {
  if (!one.length || !other.length || Math.max(one.length, other.length) > MOST) return null;
  const lengths = common(one, other);
  const width = other.length + 1;
  if ((2 * lengths[0]) / (one.length + other.length) < NEAR) return null;
  const found = [[], []];
  let [i, j] = [0, 0];
  while (i < one.length || j < other.length) {
    if (i < one.length && j < other.length && one[i] === other[j]) {
      i += 1;
      j += 1;
    } else if (j === other.length || (i < one.length && lengths[(i + 1) * width + j] >= lengths[i * width + j + 1])) {
      found[0].push(i);
      i += 1;
    } else {
      found[1].push(j);
      j += 1;
    }
  }
  return found;
}

// How many words in one order both have from each place on: the longest common subsequence, as a table of rows.
function common(one, other) {
  const width = other.length + 1;
  const lengths = new Uint16Array((one.length + 1) * width);
  for (let i = one.length - 1; i >= 0; i -= 1) {
    for (let j = other.length - 1; j >= 0; j -= 1) {
      const at = i * width + j;
      lengths[at] = one[i] === other[j] ? lengths[at + width + 1] + 1 : Math.max(lengths[at + width], lengths[at + 1]);
    }
  }
  return lengths;
}

two.changed = changed;
