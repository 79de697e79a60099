/* The kinds of questions that a page can ask, one line each; data-kind of the page names its own.

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

export { pair, pair as pages } from "./pair.js";
export { grade } from "./grade.js";
export { pick } from "./pick.js";
// Last: after it Django would give a file that is exported from a second hash.
import "./pages.js";
