/* What scripts say, in the language of the page: its sentences come with it (templates/assessor/_sentences.html) */

const { textContent } = document.getElementById("sentences");
const sentences = JSON.parse(textContent);

/** A sentence by its name, with what stands in braces filled in. */
export const sentence = (name, values = {}) => sentences[name].replace(/\{(\w+)\}/g, (_, key) => values[key]);

const spoken = document.documentElement.lang;
const base = (language) => language.split("-")[0];

/** For times: the reader's own way of the page's language, where they read it, as with 12 or 24 hours. */
export const locale = navigator.languages?.find((language) => base(language) === base(spoken)) ?? spoken;
