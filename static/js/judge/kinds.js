/* The kind of question that a page asks, by the name in its data-kind. The file of a kind adds it; a page loads no other
   (BUNDLES of config/static_files.py).

   A kind is an object that says:
     keys                       which keys answer, as KeyboardEvent.key (letters small), and what each stands for;
                                never one that scrolls (scroll.js) or that every page has (keys.js, X among them)
     buttons                    a selector of the <button>s that answer; a value is what each stands for
     answer(question, pressed)  the answer that a key or button gives to this question, or null for none;
                                asked only while the question takes an answer
     mark(question, answer)     makes the answer look chosen; the question's data-choice holds it already
     words(answer, question)    the answer as it is read out, the question being in view
     label(question, answer)    an element of the class "label" that names the answer in the list of the last page; may be left out

   What every question has whatever its kind: a form with its kind, data-position (by which the server knows it: its id
   would tell challenges apart), data-choice (its answer, empty while there is none; "cannot" for one that
   somebody cannot judge, which no kind needs to know), data-changed while what is shown is not the answer that is stored,
   so that there is nothing to keep, and an h1 that takes the focus. */

const kinds = {};

export function add(name, kind) {
  kinds[name] = kind;
}

/** The kind that the page names. */
export function named() {
  const { kind } = document.body.dataset;
  if (!kinds[kind]) throw new Error(`No kind of question is called "${kind}"`);
  return kinds[kind];
}
