/* Which key was pressed, as the page names it: small letters, digits, and the names of keys without a letter */

// A letter is the same key with Caps Lock. Where the keyboard writes another script, the key's place says which it is,
// as it stands on the button.
export function named({ key, code }) {
  if (key.length > 1) return key;
  const place = /^(?:Key|Digit)(.)$/.exec(code)?.[1];
  return (place && !/[\p{ASCII}\p{Script=Latin}]/u.test(key) ? place : key).toLowerCase();
}
