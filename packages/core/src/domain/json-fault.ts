const SPACE = /[ \t\n\r]*/y;
const PLAIN_VALUE = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** `\p{Cc}` would include U+007F to U+009F, which JSON allows. */
const CHARACTERS = /[ !#-[\]-\uffff]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;

/** A position in a text that moves forward. */
class Cursor {
  readonly #text: string;
  at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get next(): string | undefined {
    return this.#text[this.at];
  }

  consume(pattern: RegExp): boolean {
    pattern.lastIndex = this.at;
    if (!pattern.test(this.#text)) return false;
    this.at = pattern.lastIndex;
    return true;
  }

  skipCharacter(character: string | undefined): boolean {
    this.consume(SPACE);
    if (character === undefined || this.next !== character) return false;
    this.at += 1;
    return true;
  }

  skipString(): boolean {
    if (!this.skipCharacter('"')) return false;
    do this.consume(CHARACTERS);
    while (this.consume(ESCAPE));
    if (this.next !== '"') return false;
    this.at += 1;
    return true;
  }

  skipName(): boolean {
    return this.skipString() && this.skipCharacter(':');
  }
}

/**
 * The position of the first fault in a text that is not JSON, in UTF-16 code units from 0. It is the text's length if
 * the text ends too early. The errors of `JSON.parse` do not always have a position, and they quote the text, which may
 * hold a recipient's address.
 */
export function jsonFaultAt(text: string): number {
  const cursor = new Cursor(text);
  const closers: string[] = [];
  for (;;) {
    const closer = cursor.skipCharacter('[') ? ']' : cursor.skipCharacter('{') ? '}' : undefined;
    if (closer === undefined) {
      if (!(cursor.next === '"' ? cursor.skipString() : cursor.consume(PLAIN_VALUE))) return cursor.at;
    } else if (!cursor.skipCharacter(closer)) {
      closers.push(closer);
      if (closer === '}' && !cursor.skipName()) return cursor.at;
      continue;
    }
    while (cursor.skipCharacter(closers.at(-1))) closers.pop();
    if (closers.length === 0 || !cursor.skipCharacter(',')) return cursor.at;
    if (closers.at(-1) === '}' && !cursor.skipName()) return cursor.at;
  }
}

/** Ends of a text that was cut within an escape, or within a number or a word. */
const CUT_ESCAPE = /^\\(?:u[\da-fA-F]{0,3})?$/;
const CUT_VALUE = /^(?:|-|tr?u?|fa?l?s?|nu?l?)$/;

/** Describes the first fault of a text that is not JSON, as the end of a sentence. It quotes one character at most. */
export function jsonFault(text: string): string {
  const at = jsonFaultAt(text);
  const rest = text.slice(at);
  // A quotation mark ends a text, after which nothing but a mark can stand.
  if (CUT_ESCAPE.test(rest) || (rest === '' && jsonFaultAt(`${text}"x`) === text.length + 1))
    return 'is not valid JSON: it ends in the middle of a text';
  if (CUT_VALUE.test(rest)) return 'is not valid JSON: it ends too early';
  const found = JSON.stringify(Array.from(rest.slice(0, 2))[0]);
  return `is not valid JSON: see position ${at}, where ${found} cannot stand`;
}
