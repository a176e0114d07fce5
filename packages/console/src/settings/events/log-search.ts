import { logSearchInput } from '@mailhook/core';
import type { CustomerServices, LogItem, LogPage } from '@mailhook/core';
import { parseOrThrow } from '@mailhook/platform/http-server';
import { texts } from '../../messages/texts.ts';
import type { Read } from '../../page/page.ts';
import type { LiveAsk } from '../family.ts';
import { valueOf } from '../loaded.ts';
import type { Loaded } from '../loaded.ts';
import { readOfTimes } from '../shared/period.ts';
import type { PageQuestion } from '../navigation.ts';

const ID_CHARS_MAX = 100;
/** The same number as on Deliveries. */
const ROWS = 25;
/** Of one search for a typed text, which has no next page. */
export const FOUND_MAX = 100;

/** The list of accepted events and the open one. Undefined while the log is off. The only event found is open. */
export const logOf = (ask: LiveAsk) => {
  const { api, account, question, open } = ask;
  const { event, entry } = question;
  const list = () => (event === '' ? listEvents(api, account, question) : findLogged(api, account, event));
  const logged = api.eventLog.isOn ? readOfTimes(ask, list) : undefined;
  const opened = async () => {
    const [one, ...others] = event === '' ? [] : eventsIn(await logged);
    const name = entry === '' && others.length === 0 ? one?.entry : entry;
    return name ? open(() => api.eventLog.read(account, name), texts.eventLog.unknown) : undefined;
  };
  return { logged, entry: logged && opened() };
};

type Listed = Loaded<LogPage> | undefined;

const eventsIn = (listed: Listed): readonly LogItem[] =>
  (listed && valueOf(listed))?.items.filter((one): one is LogItem => !('gap' in one)) ?? [];

export const hasEvents = (listed: Listed): boolean => eventsIn(listed).length > 0;

export type WithLog = Read<ReturnType<typeof logOf>>;

async function listEvents(api: CustomerServices, account: string, question: PageQuestion): Promise<LogPage> {
  const { destination, type, campaign, outcome, from, to, cursor } = question;
  const wanted = Object.entries({ destination, campaign, outcome, from, to, cursor }).filter(([, text]) => text !== '');
  const types = type === '' ? {} : { types: [type] };
  const input = { limit: ROWS, ...types, ...Object.fromEntries(wanted) };
  return api.eventLog.search(account, parseOrThrow(logSearchInput, input));
}

/** The text may be an id, a message id or a recipient. An event that matches twice is listed once. */
async function findLogged(api: CustomerServices, account: string, text: string): Promise<LogPage> {
  const pages = await Promise.all(
    [
      { messageId: text },
      ...(text.length <= ID_CHARS_MAX ? [{ id: text }] : []),
      ...(text.includes('@') ? [{ email: text }] : []),
    ].map((query) => api.eventLog.search(account, parseOrThrow(logSearchInput, { ...query, limit: FOUND_MAX }))),
  );
  const items = new Map<string, LogPage['items'][number]>();
  for (const one of pages.flatMap((page) => page.items)) items.set('gap' in one ? gapKey(one.gap) : one.entry, one);
  const [completeUntil = ''] = pages.map((page) => page.completeUntil).sort();
  const searchedUntil = pages
    .flatMap((page) => page.searchedUntil ?? [])
    .sort()
    .at(-1);
  return {
    items: [...items.values()].sort((a, b) => (timeOfRow(a) < timeOfRow(b) ? 1 : -1)),
    completeUntil,
    ...(searchedUntil === undefined ? {} : { searchedUntil }),
  };
}

type Row = LogPage['items'][number];
type Gap = Exclude<Row, LogItem>['gap'];

const gapKey = ({ from, to, reason }: Gap): string => `${reason} ${from} ${to}`;

const timeOfRow = (row: Row): string => ('gap' in row ? row.gap.to : row.acceptedAt);
