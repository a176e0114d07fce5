/** A text with a capital letter at its beginning. */
export const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** A text as a sentence of its own: a capital letter at its beginning, a stop at its end. */
export function sentence(text: string): string {
  const first = capitalised(text);
  return /[.!?]$/.test(first) ? first : `${first}.`;
}
