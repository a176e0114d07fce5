/** Capitalizes the first letter of a text. */
export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Makes a text a sentence: capitalizes its first letter and adds a period if it has no final punctuation. */
export function sentence(text: string): string {
  const first = capitalized(text);
  return /[.!?]$/.test(first) ? first : `${first}.`;
}
