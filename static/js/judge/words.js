/* Words and sentences of a text on the page, each with the place where it stands */

// Where a browser has none, reading.js asks for no words; it still scrolls, and changes the letters.
const splitter = (granularity) => Intl.Segmenter && new Intl.Segmenter(undefined, { granularity });
const words = splitter("word");
const sentences = splitter("sentence");
// Shorter ones are alike by chance.
const SHORTEST = 20;
const BLOCKS = "p, li, td, th, dd, dt, h3, h4, h5, h6, pre, blockquote";

/** A word without what English adds to it, in small letters: "Plants" and "plant" are one word. */
export function stem(word) {
  const small = word.toLocaleLowerCase();
  if (small.length < 4) return small;
  return small.replace(/(?:ies|ied)$/, "y").replace(/(?<=...)(?:ings?|ed|es|s)$/, "").replace(/(?<=..)e$/, "");
}

/** Words of an element's text, as {word: its stem, plain: in small letters, range: a function that makes its Range}. */
export function* wordsIn(element) {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = node;
    for (const { segment, index, isWordLike } of words.segment(text.data)) {
      if (!isWordLike) continue;
      const plain = segment.toLocaleLowerCase();
      yield { word: stem(segment), plain, range: () => rangeOf([{ node: text, start: 0 }], index, index + segment.length) };
    }
  }
}

/** The range of a sentence in an element's text, found by its letters and digits; null where it does not stand there. */
export function placeOf(element, sentence) {
  const [nodes, text] = textOf(element);
  const signs = [...text.matchAll(/[\p{L}\p{N}]/gu)];
  const wanted = sentence.match(/[\p{L}\p{N}]/gu) ?? [];
  const starts = signs.findIndex((_, n) => wanted.length && wanted.every((sign, further) => signs[n + further]?.[0] === sign));
  if (starts < 0) return null;
  const last = signs[starts + wanted.length - 1];
  return rangeOf(nodes, signs[starts].index, last.index + last[0].length);
}

function textOf(element) {
  const nodes = [];
  let text = "";
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    nodes.push({ node, start: text.length });
    text += node.data;
  }
  return [nodes, text];
}

/** Sentences of an element's blocks, as {plain: without case and signs, range: as above}. */
export function* sentencesIn(element) {
  const blocks = [...element.querySelectorAll(BLOCKS)].filter((block) => !block.querySelector(BLOCKS));
  for (const block of blocks.length ? blocks : [element]) {
    const [nodes, text] = textOf(block);
    for (const { segment, index } of sentences.segment(text)) {
      const plain = segment.toLocaleLowerCase().replace(/[^\p{L}\p{N}]+/gu, " ").trim();
      if (plain.length < SHORTEST) continue;
      yield { plain, range: () => rangeOf(nodes, index, index + segment.trimEnd().length) };
    }
  }
}

function rangeOf(nodes, from, to) {
  const range = new Range();
  const at = (position) => {
    const found = nodes.findLast(({ start }) => start <= position) ?? nodes[0];
    return [found.node, Math.min(position - found.start, found.node.data.length)];
  };
  range.setStart(...at(from));
  const [node, end] = at(to - 1);
  range.setEnd(node, end + 1);
  return range;
}
