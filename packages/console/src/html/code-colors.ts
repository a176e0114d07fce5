import { html } from './markup.ts';
import type { Markup } from './markup.ts';

/** Words that programs of the guides use. More of them would color plain words too. */
const KEYWORDS = [
  'const|let|function|return|if|else|for|of|in|import|from|async|await|new|export',
  'def|class|try|except|catch|foreach|as|while|echo|null|None|true|false|True|False',
].join('|');

/** What the look of each language has in common: comments, texts, numbers and keywords, in this order. */
const TOKEN = new RegExp(
  [
    /(?<comment>(?<=^|\s)(?:#|\/\/).*)/,
    /(?<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)/,
    /(?<value>\b\d[\d_.]*\b)/,
    new RegExp(`(?<key>\\b(?:${KEYWORDS})\\b)`),
  ]
    .map(({ source }) => source)
    .join('|'),
  'gm',
);

/** A program with colors. They say nothing that the text does not. */
export function coloredCode(code: string): Markup {
  const parts: (string | Markup)[] = [];
  let end = 0;
  for (const found of code.matchAll(TOKEN)) {
    const groups: Readonly<Record<string, string | undefined>> = found.groups ?? {};
    const look = Object.keys(groups).find((name) => groups[name] !== undefined) ?? '';
    parts.push(code.slice(end, found.index), html`<span class="code-${look}">${found[0]}</span>`);
    end = found.index + found[0].length;
  }
  return html`${[...parts, code.slice(end)]}`;
}
