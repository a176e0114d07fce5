import { coded } from './coded-text.ts';
import type { CodedText } from './coded-text.ts';

/** The body of a receiver's reply, by its JSON shape. */
export type ReplyBody =
  | { readonly shape: 'array'; readonly items: readonly unknown[] }
  | { readonly shape: 'object'; readonly value: object }
  | { readonly shape: 'value' }
  | { readonly shape: 'text'; readonly text: string };

/** Never throws. */
export function readBody(body: string): ReplyBody {
  try {
    const value: unknown = JSON.parse(body);
    if (Array.isArray(value)) return { shape: 'array', items: value };
    return typeof value === 'object' && value !== null ? { shape: 'object', value } : { shape: 'value' };
  } catch {
    return { shape: 'text', text: body };
  }
}

/** The part of a text in which messages are recognized, in characters. It bounds the work on a hostile body. */
const START_CHARS = 2000;

/** A message that PHP prints when `display_errors` is on, with or without HTML, `PHP ` or Xdebug's mark before it. */
const PHP_MESSAGE =
  /^(?:\( ! \) )?(?:PHP )?(?:Notice|Warning|Deprecated|Strict Standards|(?:Parse|Fatal|Recoverable fatal|Catchable fatal) error): .*? on line \d+/;

/** Says what a body is. Quotes at most the first words of a PHP message or a page, and nothing from other texts. */
export function describeBody(body: ReplyBody): CodedText {
  switch (body.shape) {
    case 'array':
      return coded('array');
    case 'object':
      return coded('object');
    case 'value':
      return coded('value');
    case 'text':
      return describeText(body.text.trim());
  }
}

function describeText(text: string): CodedText {
  if (text === '') return coded('empty');
  if (/^[[{]/.test(text)) return coded('broken-json');
  const start = text.slice(0, START_CHARS);
  const words = withoutTags(start);
  const isBeforeJson = /[\]}]$/.test(text);
  const message = PHP_MESSAGE.exec(words)?.[0];
  if (message !== undefined) return coded(isBeforeJson ? 'php-before' : 'php', { quote: quote(message, 150) });
  if (/^<[a-z!?]/i.test(start)) {
    const title = pageTitle(start);
    if (title.trim() === '') return coded(isBeforeJson ? 'html-before' : 'html');
    return coded(isBeforeJson ? 'titled-html-before' : 'titled-html', { quote: quote(title) });
  }
  return coded(isBeforeJson ? 'text-before' : 'text');
}

/** The title of a page, or else its first words. Empty if it has none. */
export function pageTitle(page: string): string {
  const start = page.slice(0, START_CHARS);
  return /<title[^<>]*>([^<]*)/i.exec(start)?.[1] ?? withoutTags(start).replace(/[[{].*$/s, '');
}

const ENTITIES: Readonly<Record<string, string>> = { quot: '"', '#039': "'", '#39': "'", lt: '<', gt: '>', amp: '&' };

/** The visible text of HTML in one line. */
const withoutTags = (html: string): string =>
  html
    .replace(/<[^<>]*>/g, ' ')
    .replace(/&(quot|#0?39|lt|gt|amp);/g, (_, name: string) => ENTITIES[name] as string)
    .replace(/\s+/g, ' ')
    .replaceAll(' :', ':')
    .trim();

/**
 * Quotes the first words of a receiver's text in one line, at most `max` characters. Leaves out a word that does not
 * fit, because half an email address could not be masked. A bare `…` stands for a text of one long word.
 */
export function quote(text: string, max = 100): string {
  const line = text
    .slice(0, 2 * max)
    .replace(/[\s\p{C}“”]+/gu, ' ')
    .trim();
  if (line.length <= max && text.length <= 2 * max) return `“${line}”`;
  const end = line.slice(0, max).lastIndexOf(' ');
  return end <= 0 ? '…' : `“${line.slice(0, end)} …”`;
}
