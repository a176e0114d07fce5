import { html } from '../../html/markup.ts';
import type { Content } from '../../html/markup.ts';
import { pluralIn } from '../catalog.ts';
import type { Around } from '../catalog.ts';

const plural = pluralIn('en');

/** An attempt, with a link around its name. */
export interface Tried {
  readonly attempt: number;
  readonly result: Content;
  readonly link: Around;
}

/** The search for an event, and what happened to it. */
export const events = {
  lead:
    'See what happened to an event: by its hash or id, its messageId, the webhook-id of a request, or the e-mail ' +
    'address of a recipient.',
  field: 'Hash, messageId, id, webhook-id or e-mail address',
  find: 'Find',
  notFound: 'Event not found',
  noneOfAccount: ({ event }: { event: string }) =>
    `No event of this account has the hash, messageId, id, webhook-id or recipient “${event}”. Check that it ` +
    'is complete.',
  noneSearched: ({ event }: { event: string }) =>
    `No event that was searched has the hash, messageId, id, webhook-id or recipient “${event}”. Check that it ` +
    'is complete.',
  moreHeld: 'Mailhook holds more events of this account than it searched, and the event may be among the others.',
  searched: (most: { readonly waiting: Content; readonly resends: Content; readonly deadLetters: Content }) =>
    html`Searched: the first ${most.waiting} waiting events of each endpoint, ${most.resends} resends of each, the
    newest ${most.deadLetters} dead letters, and the log of attempts.`,
  ofRecipient: (found: { readonly events: number; readonly delivered: Content; readonly undelivered: Content }) =>
    plural(found.events, (number) => ({
      one: html`${number} event of this recipient: ${found.delivered} delivered, ${found.undelivered} not delivered`,
      other: html`${number} events of this recipient: ${found.delivered} delivered, ${found.undelivered} not delivered`,
    })),
  ofRecipientAtLeast: (found: {
    readonly events: number;
    readonly delivered: Content;
    readonly undelivered: Content;
  }) =>
    plural(found.events, (number) => ({
      one: html`At least ${number} event of this recipient: ${found.delivered} delivered, ${found.undelivered} not
      delivered`,
      other: html`At least ${number} events of this recipient: ${found.delivered} delivered, ${found.undelivered} not
      delivered`,
    })),
  attemptsOfRecipient: ({ attempts }: { attempts: number }) =>
    plural(attempts, (number) => ({
      one: `${number} attempt carried events of this recipient`,
      other: `${number} attempts carried events of this recipient`,
    })),
  now: 'Now',

  anEvent: 'event',
  isWaiting: ({ event }: { event: Content }) => html`${event} is waiting for its first attempt`,
  isInFlight: ({ event }: { event: Content }) => html`${event} is being sent`,
  isResent: ({ event }: { event: Content }) => html`${event} waits for its next attempt`,
  isDeadLetter: ({ event }: { event: Content }) => html`${event} is a dead letter`,
  wasGivenUp: ({ event }: { event: Content }) => html`${event} was given up`,
  isDiscarded: ({ event }: { event: Content }) => html`${event} was discarded`,
  wasDelivered: ({ event, attempt }: { event: Content; attempt: number }) =>
    html`${event} was delivered in attempt ${attempt}`,
  hasFailed: ({ event }: { event: Content }) => html`${event} failed in its newest attempt`,

  accepted: 'Accepted by Mailhook',
  attempt: ({ attempt, result, link }: Tried) => html`${link(`Attempt ${attempt}`)}: ${result}`,
  attemptInBatch: ({ attempt, events, result, link }: Tried & { readonly events: number }) =>
    plural(events, (number) => ({
      one: html`${link(`Attempt ${attempt}`)} in a batch of ${number} event: ${result}`,
      other: html`${link(`Attempt ${attempt}`)} in a batch of ${number} events: ${result}`,
    })),
  confirmed: ({ ms }: { ms: number }) => `confirmed after ${ms} ms`,
  confirmedWith: ({ status, ms }: { status: number; ms: number }) => `confirmed with HTTP ${status} after ${ms} ms`,
  othersUnconfirmed: ({ unconfirmed }: { unconfirmed: number }) =>
    plural(unconfirmed, (number) => ({
      one: `(${number} other event of this batch was not)`,
      other: `(${number} other events of this batch were not)`,
    })),
  failed: ({ ms }: { ms: number }) => `failed after ${ms} ms`,
  failedWith: ({ ms, error }: { ms: number; error: Content }) => html`failed after ${ms} ms: ${error}`,
  waits: 'Waits for its first attempt',
  inProgress: ({ attempt }: { attempt: number }) => `Attempt ${attempt} is in progress`,
  due: ({ attempt }: { attempt: number }) => `Attempt ${attempt} is due`,
  scheduled: ({ attempt }: { attempt: number }) => `Attempt ${attempt} is scheduled`,
  givenUp: ({ attempts }: { attempts: number }) =>
    plural(attempts, (number) => ({
      one: 'Given up after one attempt. It is among the dead letters',
      other: `Given up after ${number} attempts. It is among the dead letters`,
    })),
  givenUpWith: ({ attempts, error }: { attempts: number; error: Content }) =>
    plural(attempts, (number) => ({
      one: html`Given up after one attempt: ${error}. It is among the dead letters`,
      other: html`Given up after ${number} attempts: ${error}. It is among the dead letters`,
    })),
  delivered: 'Delivered',
  newestFailed: 'The newest attempt failed, and nothing more is scheduled',
};
