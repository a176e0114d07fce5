import { deadLettersQuery, deliveriesQuery, rangeSpan } from '@mailhook/core';
import type { DeliveryAttempt, Page } from '@mailhook/core';
import { parseOrThrow } from '@mailhook/platform/http-server';
import type { FormFields } from '@mailhook/platform/http-server';
import { all } from '../page/page.ts';
import type { Read } from '../page/page.ts';
import { isRefusal } from '../messages/advice.ts';
import type { Frame, LiveAsk } from './family.ts';
import { valueOf } from './loaded.ts';
import type { Loaded, Signing } from './loaded.ts';
import { periodOf, readOfTimes, timesOf } from './shared/period.ts';
import { ATTEMPT_FILTERS, DAY } from './navigation.ts';
import type { PageQuestion } from './navigation.ts';

/*
 * What several pages read. A page names the parts that it shows: `load: (ask) => ({ ...historyOf(ask) })`.
 */

/** An endpoint is a destination's public id. A page without one shows all. */
const isShown = ({ endpoint }: PageQuestion, id: string): boolean => endpoint === '' || endpoint === id;

/** The destinations that the page shows. Empty if they could not be read. */
const shownBy = async ({ destinations, question }: LiveAsk) =>
  (valueOf(await destinations) ?? []).filter(({ id }) => isShown(question, id));

/** The time that the page asks for, in whole bars: of each destination, and of those that the page shows together. */
export function historyOf(ask: LiveAsk) {
  const { account, nowMs, deadlineMs } = ask;
  const counts = readOfTimes(ask, async () => {
    const destinations = (await shownBy(ask)).map(({ id }) => id);
    const span = periodOf(ask);
    return { ...(await ask.readHistory(account, { destinations, span }, nowMs)), span };
  });
  return {
    history: counts.then((read) => ('value' in read ? { value: read.value.byId } : read)),
    chart: counts.then((read) => ('value' in read ? { value: read.value.total } : read)),
    /** Events of the last 24 hours that no active destination took. */
    unrouted: counts.then((read) => valueOf(read)?.unrouted ?? {}),
    span: counts.then((read) => valueOf(read)?.span ?? rangeSpan(DAY, nowMs)),
    deadlineMs,
  };
}
export type WithHistory = Read<ReturnType<typeof historyOf>>;

const LOG_ROWS = 25;
/** Rows of the log on the first tab of an endpoint. */
const LATEST_ROWS = 5;
const TESTS_SHOWN = 10;

/** Attempts, and the secrets if a receiver has refused a listed attempt (401 or 403). */
export function deliveriesOf(ask: LiveAsk) {
  const { api, account, question, kept } = ask;
  const deliveries = readOfTimes(ask, async () =>
    api.deliveries(account, parseOrThrow(deliveriesQuery, isShort(question) ? latestOf(ask) : listedBy(question))),
  );
  const signing = deliveries.then(async (found): Promise<Signing | undefined> => {
    if (!hasRefusal(found) && question.attempt === '') return undefined;
    return all(signingOf(ask));
  });
  return { deliveries, signing, kept };
}
export type WithDeliveries = Read<ReturnType<typeof deliveriesOf>>;

/**
 * The newest attempts at an endpoint, on each of its tabs, and the signing that explains a refusal. If the newest real
 * attempt failed by its status, its reply may say why.
 */
export function newestOf(ask: LiveAsk, { signing }: ReturnType<typeof deliveriesOf>) {
  const { api, account, read, question } = ask;
  const destination = question.endpoint;
  const newest = read(() => api.deliveries(account, parseOrThrow(deliveriesQuery, { limit: LOG_ROWS, destination })));
  return {
    newest,
    lastFailure: newest.then((found) => {
      const last = valueOf(found)?.items.find(({ kind }) => kind !== 'test');
      if (last?.status === 'delivered' || last?.error?.code !== 'status') return undefined;
      return read(() => api.readAttempt(account, last.id));
    }),
    signing: Promise.all([newest, signing]).then(
      ([found, known]) => known ?? (hasRefusal(found) ? all(signingOf(ask)) : undefined),
    ),
  };
}

const hasRefusal = (found: Loaded<Page<DeliveryAttempt>>): boolean =>
  valueOf(found)?.items.some(({ error }) => error !== undefined && isRefusal(error)) === true;
export type WithNewest = Read<ReturnType<typeof newestOf>>;

/** What the page shows as the number of results. */
const COUNTED_MAX = 1000;

/** How many attempts match the filters, if there are filters. */
export function foundOf(ask: LiveAsk) {
  const { api, account, question } = ask;
  if (chosenFilters(question).length === 0) return { found: undefined };
  const query = listedBy({ ...question, cursor: '' });
  const found = readOfTimes(ask, async () =>
    api.deliveries(account, { ...parseOrThrow(deliveriesQuery, query), limit: COUNTED_MAX }),
  );
  return {
    found: found.then((counted) => {
      const page = valueOf(counted);
      return page && { attempts: page.items.length, isAll: page.nextCursor === undefined };
    }),
  };
}
export type WithFound = Read<ReturnType<typeof foundOf>>;

export const chosenFilters = (question: PageQuestion) =>
  (['destination', ...ATTEMPT_FILTERS] as const).filter((name) => question[name] !== '');

/** Whether the list shows the requests of a split batch as one row. A filter may match some of them only. */
export const isFolded = (question: PageQuestion): boolean =>
  isShort(question) || ATTEMPT_FILTERS.every((name) => question[name] === '');

/** The first tab of an endpoint shows the newest attempts of the page's time, without filters. */
export const isShort = ({ page, tab }: PageQuestion): boolean => page !== 'deliveries' && tab !== 'deliveries';

function latestOf(ask: LiveAsk): FormFields {
  const { endpoint, tab } = ask.question;
  // The lists of endpoints show what became of the newest attempts at each.
  if (endpoint === '') return { limit: String(LOG_ROWS) };
  if (tab === 'testing') return { limit: String(TESTS_SHOWN), destination: endpoint, kind: 'test' };
  const times = Object.entries(timesOf(periodOf(ask), ask.nowMs)).filter(([, time]) => time !== '');
  return { limit: String(LATEST_ROWS), split: 'first', destination: endpoint, ...Object.fromEntries(times) };
}

function listedBy(question: PageQuestion): FormFields {
  const { endpoint, status, type, reply, try: attempt, text, from, to, cursor } = question;
  const destination = endpoint === '' ? question.destination : endpoint;
  const wanted = Object.entries({ destination, status, type, reply, attempt, text, from, to, cursor }).filter(
    ([, value]) => value !== '',
  );
  const folding = isFolded(question) ? { split: 'first' } : {};
  return { limit: String(LOG_ROWS), ...folding, ...Object.fromEntries(wanted) };
}

const DEAD_LETTERS = 20;

/** The newest dead letters that match. */
export const deadLettersOf = (ask: LiveAsk, filter: FormFields = {}) => ({
  deadLetters: readOfTimes(ask, async () => {
    const { api, account, question } = ask;
    const cursor = question.dead === '' ? undefined : question.dead;
    return api.deadLetters.list(account, parseOrThrow(deadLettersQuery, { limit: DEAD_LETTERS, cursor, ...filter }));
  }),
});

export const signingOf = ({ api, account, read }: LiveAsk) => ({
  secrets: read(() => api.secrets.list(account)),
  ownSecrets: read(() => api.destinationSecrets.listAll(account)),
});

/** When each signing secret was last used. Of an endpoint, only one tab shows it. */
export const secretUsesOf = ({ api, account, read, question: { endpoint, tab } }: LiveAsk) => ({
  secretUses: read(async () =>
    endpoint === '' || tab === 'settings' ? api.secretUses(account) : new Map<string, string>(),
  ),
});

/** The address of a destination, if it has one. */
export const addressOf = (view: Pick<Frame, 'destinations'>, destination: string): string | undefined =>
  valueOf(view.destinations)?.find(({ id }) => id === destination)?.address;
