/**
 * Shows characters that have no picture, or that change the order of others, as escapes such as `\x1b` and `\u{202e}`.
 * Line feeds and tabs stay.
 */
export const escapeUnseen = (text: string): string => text.replace(UNSEEN, escaped);

const UNSEEN = /(?![\n\t])[\p{C}\p{Zl}\p{Zp}]/gu;

function escaped(character: string): string {
  const code = (character.codePointAt(0) as number).toString(16);
  return code.length <= 2 ? `\\x${code.padStart(2, '0')}` : `\\u{${code}}`;
}
