import { z } from 'zod';
import { deliveryAttempt, eventType, pageQuery } from './delivery.ts';
import type { Frozen } from './frozen.ts';

/** What the event log says of accepted events (docs/protocol.md). */

const time = z.iso.datetime({ offset: true });

const logOutcome = z
  .enum(['waiting', 'delivered', 'dead', 'discarded'])
  .describe('dead: given up, and kept as a dead letter for 7 days. discarded: deleted.');

const LOG_PAGE_MAX = 100;
/** Events of a page whose size is not given. */
export const LOG_PAGE_DEFAULT = 50;

/** How many events a filter is tried on. */
export const FILTER_TRIED_ON = 1000;

/** The body of `POST /v3/webhook/log/search`. All that is given must hold. */
export const logSearchInput = z.strictObject({
  from: time.optional().describe('Only events accepted at or after this time (ISO 8601).'),
  to: time.optional().describe('Only events accepted before this time (ISO 8601).'),
  types: z.array(eventType).min(1).optional(),
  id: z.string().min(1).max(100).optional().describe("The producer's id, or the id or hash of a body."),
  messageId: z.string().min(1).max(1000).optional(),
  email: z.string().min(3).max(1000).optional().describe('The recipient, in any case.'),
  campaign: z.string().min(1).max(1000).optional(),
  destination: z.string().min(1).max(100).optional().describe('Only events that were spread or replayed to it.'),
  outcome: z
    .enum([...logOutcome.options, 'none'])
    .optional()
    .describe('At the destination, or at any one without it. none: events without a destination.'),
  limit: z.int().min(1).max(LOG_PAGE_MAX).optional().describe(`Default: ${LOG_PAGE_DEFAULT}.`),
  cursor: pageQuery.shape.cursor,
});
export type LogSearchInput = z.infer<typeof logSearchInput>;

export type LogOutcome = z.infer<typeof logOutcome>;

export const logDestination = z.object({
  id: z.string().describe('The destination.'),
  outcome: logOutcome,
  attempts: z.int().describe('Attempts until then. 0 if it was never sent.'),
  at: z.string().optional().describe('When. Absent while it waits for its first outcome.'),
  webhookId: z.string().optional().describe('The header `webhook-id` of the last request.'),
  replay: z.string().optional().describe('The replay that sent it.'),
});

export const logItem = z.object({
  entry: z.string().describe('Names this event in the log.'),
  id: z.string().describe('The id of the event, as version 2 of the body has it.'),
  acceptedAt: z.string(),
  event: z.record(z.string(), z.unknown()).describe('The event as version 2 of the body, with `hash`.'),
  destinations: z.array(logDestination).describe('Empty: no destination took it.'),
});
export type LogItem = Frozen<z.infer<typeof logItem>>;

export const logEntry = logItem.extend({
  attempts: z
    .array(deliveryAttempt)
    .describe(
      'The kept attempts that carried it, newest first: those that failed, and of an account the newest 200 that ' +
        'delivered. `destinations` says of each delivery when and how it ended.',
    ),
});
export type LogEntry = Frozen<z.infer<typeof logEntry>>;

export const logGap = z.object({
  gap: z.object({
    from: z.string(),
    to: z.string(),
    events: z
      .int()
      .optional()
      .describe('How many of the account. Absent if it is not known, or if only outcomes are missing.'),
    reason: z
      .enum(['store', 'redis'])
      .describe('store: the log was off, or could not be written in time. redis: Redis lost its last writes.'),
  }),
});

export const logPage = z.object({
  items: z.array(z.union([logItem, logGap])).describe('Newest first. A gap stands where events are missing.'),
  nextCursor: z
    .string()
    .optional()
    .describe('Give it as cursor for the next page. Absent: this is the last one. A page may be empty and have one.'),
  completeUntil: z.string().describe('Nothing that was accepted before this time appears any more.'),
  searchedUntil: z.string().optional().describe('How far a page with a nextCursor has come.'),
});
export type LogPage = Frozen<z.infer<typeof logPage>>;

/** The body of `POST /v3/webhook/destinations/{id}/replay`. */
export const replayInput = z
  .strictObject({
    from: time.optional().describe('Events accepted at or after this time (ISO 8601).'),
    to: time.optional().describe('Events accepted before this time (ISO 8601).'),
    types: z.array(eventType).min(1).optional().describe('Only these of the types of the destination.'),
    outcome: z
      .enum(['all', 'undelivered', 'unmatched'])
      .optional()
      .describe(
        'all: the default. undelivered: given up or discarded there. unmatched: never sent there, also by no replay.',
      ),
    filter: z.literal(true).optional().describe('true: only what the filter of the destination lets through.'),
    dryRun: z.boolean().optional().describe('true: only counts.'),
    entries: z.array(z.string().min(1).max(200)).min(1).max(1000).optional().describe('These entries of the log.'),
  })
  .superRefine(({ entries, from, to, types, outcome, filter, dryRun }, context) => {
    const fault = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
    if (entries === undefined) {
      if (from === undefined) fault('from', 'is required unless entries is given');
      if (to === undefined) fault('to', 'is required unless entries is given');
      if (from !== undefined && to !== undefined && Date.parse(from) >= Date.parse(to))
        fault('to', 'must be after from');
      return;
    }
    for (const [path, value] of Object.entries({ from, to, types, outcome, filter, dryRun }))
      if (value !== undefined) fault(path, 'cannot be given with entries');
  });
export type ReplayInput = z.infer<typeof replayInput>;

export const replayCount = z.object({
  events: z.int().describe('As of now. What is sent is decided when it is read.'),
  isComplete: z.boolean().describe('false: counting took too long, so there are more.'),
  until: z.string().describe('Nothing that was accepted before this time appears in the log any more.'),
});
export type ReplayCount = z.infer<typeof replayCount>;

export const replayState = z.object({
  id: z.string(),
  destination: z.string(),
  state: z.enum(['running', 'waiting', 'done', 'stopped']),
  reason: z
    .enum(['paused', 'full', 'store', 'complete', 'person', 'inactive', 'deleted'])
    .optional()
    .describe(
      'Why it waits or has stopped. full: enough of its events wait at the destination. store: the log cannot be ' +
        'read. complete: for the end of its span, until nothing older appears any more.',
    ),
  from: z.string().optional(),
  to: z.string().optional(),
  startedAt: z.string(),
  events: z.int().describe('Events found. Grows until the whole span is read.'),
  sent: z.int().describe('Events on their way or done.'),
  delivered: z.int(),
  dead: z.int(),
  missed: z.int().describe('Events that the log no longer had.'),
});
export type ReplayState = z.infer<typeof replayState>;

/** Replays of a destination that are kept in the list. */
export const REPLAYS_KEPT = 20;

export const replayList = z.object({ items: z.array(replayState).describe(`The last ${REPLAYS_KEPT}, newest first.`) });
