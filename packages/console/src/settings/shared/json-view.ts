import { html } from '../../html/markup.ts';
import type { Content, Markup } from '../../html/markup.ts';

/** More lines would make the page long and slow. */
const LINES_SHOWN = 400;
const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s{}[\]:,"]+/g;

const isOpening = (token: string | undefined): boolean => token === '{' || token === '[';
const isClosing = (token: string | undefined): boolean => token === '}' || token === ']';

const kindOf = (token: string, next: string | undefined): string =>
  !token.startsWith('"') ? 'json-value' : next === ':' ? 'json-key' : 'json-text';

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * The first lines of a JSON text, with indents and colors. Every token stays as it was sent, so long numbers keep their
 * digits. Undefined for any other text.
 */
export function jsonLines(text: string): { readonly lines: readonly Markup[]; readonly isCut: boolean } | undefined {
  if (!isJson(text)) return undefined;
  const tokens = text.match(TOKENS) ?? [];
  const lines: Markup[] = [];
  let [line, depth]: [Content[], number] = [[], 0];
  const breakLine = (): void => {
    lines.push(html`${line}${'\n'}`);
    line = ['  '.repeat(depth)];
  };
  for (const [i, token] of tokens.entries()) {
    if (lines.length >= LINES_SHOWN) return { lines, isCut: true };
    const [before, next] = [tokens[i - 1], tokens[i + 1]];
    if (isClosing(token)) depth -= 1;
    if (isClosing(token) && !isOpening(before)) breakLine();
    const isMark = isOpening(token) || isClosing(token) || token === ',' || token === ':';
    line.push(isMark ? token : html`<span class="${kindOf(token, next)}">${token}</span>`);
    if (token === ':') line.push(' ');
    if (isOpening(token)) depth += 1;
    if (token === ',' || (isOpening(token) && !isClosing(next))) breakLine();
  }
  return { lines: [...lines, html`${line}`], isCut: false };
}
