import { CATALOGS } from './texts.ts';
import type { Content } from '../html/markup.ts';

type Message = string | ((values: never) => Content);

const marked = (message: Message): Message =>
  typeof message === 'string' ? `⟦${message}⟧` : (values: never) => ['⟦', message(values), '⟧'];

/** Replaces the Polish messages by marked ones. The returned function restores them. */
export function markMessages(): () => void {
  const { pl } = CATALOGS;
  CATALOGS.pl = Object.fromEntries(
    Object.entries(pl).map(([area, messages]) => [
      area,
      Object.fromEntries(Object.entries<Message>(messages).map(([key, message]) => [key, marked(message)])),
    ]),
  ) as unknown as typeof pl;
  return () => {
    CATALOGS.pl = pl;
  };
}

const VOID = /^(?:br|hr|img|input|link|meta|path|rect|!doctype)$/i;
/** What holds data: code, typed text, times, addresses, and names of the account, the platform and languages. */
const IS_DATA =
  /^(?:bdi|code|pre|time|kbd|script|style|textarea)$|\bclass="[^"]*\b(?:address|account|brand)\b|\slang="/;
/** Attributes that a person reads or hears. */
const READ = new RegExp(
  '\\s(?:aria-label|title|placeholder|alt|data-(?:busy|time-zone|name|unreachable|unreachable-typed|failed|ended|' +
    'copied|press-to-copy|on|off))="([^"]*)"',
  'g',
);

/** The letters of a page that are in no marked message, and are no data. */
export function foreignWords(html: string, allowed: readonly string[]): string[] {
  const open: { readonly name: string; readonly isData: boolean }[] = [];
  const [shown, attributes]: [string[], string[]] = [[], []];
  for (const [token, end, name, inTag = ''] of html.matchAll(/<(\/?)([\w!]+)([^>]*)>|[^<]+/g)) {
    const isInData = open.some((one) => one.isData);
    if (name === undefined) {
      if (!isInData) shown.push(token);
      continue;
    }
    shown.push(' ');
    if (end === '/') {
      open.splice(open.map((one) => one.name).lastIndexOf(name));
      continue;
    }
    const isEnglish = name === 'span' && / lang="en"/.test(inTag);
    const isData = name !== 'html' && !isEnglish && (IS_DATA.test(name) || IS_DATA.test(inTag));
    if (!isInData && !isData) attributes.push(...[...inTag.matchAll(READ)].map(([, value = '']) => value));
    if (!VOID.test(name) && !inTag.endsWith('/')) open.push({ name, isData });
  }
  return [shown.join(''), ...attributes].flatMap((text) => {
    let rest = text;
    while (/⟦[^⟦⟧]*⟧/.test(rest)) rest = rest.replaceAll(/⟦[^⟦⟧]*⟧/g, ' ');
    return (rest.replaceAll(/&#?\w+;/g, ' ').match(/\p{L}{2,}/gu) ?? []).filter((word) => !allowed.includes(word));
  });
}
