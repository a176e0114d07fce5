import { eventQuery } from '@mailhook/core';
import type { CustomerServices, EventQuery, EventTraces } from '@mailhook/core';
import { parseOrThrow } from '@mailhook/platform/http-server';
import { html } from '../../html/markup.ts';
import { texts } from '../../messages/texts.ts';
import { done } from '../../page/outcome.ts';
import { eventSearch, FIND_EVENT } from './content.ts';
import { eventLogContent } from './log-content.ts';
import { hasEvents, logOf } from './log-search.ts';
import { sendAgain } from './send-again.ts';
import type { FoundEvent } from './content.ts';
import { action, page } from '../family.ts';
import { isPersonal, pageOf, urlOf } from '../navigation.ts';
import { pageHead, titleOf } from '../shared/page-parts.ts';

/**
 * Only what identifies no person gets into the address, where it can be bookmarked and shared. With the log, nothing
 * that is typed does.
 */
const find = action({
  audit: false,
  isForReaders: true,
  run: ({ api, form: { event = '' } }) => {
    const text = event.trim();
    const url = urlOf({ ...pageOf('events'), event: text });
    return Promise.resolve(
      isPersonal(text) || api.eventLog.isOn
        ? done('', { search: text })
        : done('', { next: { url, isRedirect: true } }),
    );
  },
});

export const eventsPage = page({
  path: '/events',
  name: 'events',
  asks: ['event', 'entry', 'destination', 'type', 'campaign', 'outcome', 'from', 'to', 'cursor'],
  load: (ask) => {
    const { api, account, question, open, kept } = ask;
    const { event } = question;
    const log = logOf(ask);
    // The log shows more than what else is found, and one list is enough.
    const find = async () => (hasEvents(await log.logged) ? undefined : open(() => findEvent(api, account, event)));
    return { event: event === '' ? undefined : find(), kept, ...log };
  },
  show: (view) => ({
    title: titleOf(texts.eventLog.title),
    head: pageHead(texts.eventLog.title, view.isLogOn ? texts.eventLog.lead : texts.events.lead),
    content: html`${eventSearch(view)}${eventLogContent(view)}`,
  }),
  actions: { [FIND_EVENT]: find, 'send-again': sendAgain },
});

const ID_CHARS_MAX = 100;

/** The text may be a hash (10 to 50 characters), an id, a message id, a webhook-id (`msg_`) or a recipient. */
async function findEvent(api: CustomerServices, account: string, text: string): Promise<FoundEvent> {
  const find = async (query: EventQuery): Promise<EventTraces> =>
    api.eventLookup(account, parseOrThrow(eventQuery, query));
  const [byMessage, ...byOther] = await Promise.all([
    find({ messageId: text }),
    ...(text.length >= 10 && text.length <= 50 ? [find({ hash: text })] : []),
    ...(text.length <= ID_CHARS_MAX ? [find({ id: text })] : []),
    ...(text.startsWith('msg_') ? [find({ webhookId: text })] : []),
  ]);
  // The log finds attempts by the text alone, so every lookup returns those of the others. The first one counts.
  const seen = new Set<string>();
  const found = [...byOther, byMessage].map((traces) => {
    const items = traces.items.filter(({ destination }) => !seen.has(destination));
    for (const { destination } of items) seen.add(destination);
    return { ...traces, items };
  });
  const isKey = found.some(({ items, attempts }) => items.length > 0 || attempts.length > 0);
  // Most messageIds hold an @ too, so what matched decides.
  const ofRecipient = !isKey && text.includes('@') ? await find({ email: text }) : undefined;
  const attempts = new Map(found.flatMap((traces) => traces.attempts).map((attempt) => [attempt.id, attempt]));
  return ofRecipient === undefined
    ? {
        by: 'key',
        items: found.flatMap(({ items }) => items),
        attempts: [...attempts.values()].sort((a, b) => (a.time < b.time ? 1 : -1)),
        searched: byMessage.searched,
        isComplete: found.every(({ isComplete }) => isComplete),
      }
    : { by: 'recipient', ...ofRecipient };
}
