/** A line's number from 0, and its place in the text in bytes. */
interface TextLine {
  readonly line: number;
  readonly start: number;
  readonly end: number;
}

const TAB = 0x09;
const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;

/** Returns up to `most` lines that are not blank, and the number of all such lines. Counting takes no memory. */
export function findLines(text: Uint8Array, most: number): { readonly lines: TextLine[]; readonly count: number } {
  const lines: TextLine[] = [];
  let [line, count, start, isBlank] = [0, 0, 0, true];
  for (let i = 0; i <= text.length; i += 1) {
    const byte = text[i] ?? NEWLINE;
    if (byte !== NEWLINE) {
      if (byte !== SPACE && (byte < TAB || byte > CARRIAGE_RETURN)) isBlank = false;
      continue;
    }
    if (!isBlank) {
      count += 1;
      if (lines.length < most) lines.push({ line, start, end: i });
    }
    line += 1;
    start = i + 1;
    isBlank = true;
  }
  return { lines, count };
}
