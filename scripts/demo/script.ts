import type { ReceivedRequest } from '../receiver/receiver.ts';
import type { Samples } from './samples.ts';
import { tellEvent } from './samples.ts';
import { acknowledge, replyByPlan, typeOf } from '../receiver/reply.ts';
import type { CampaignEventSeen, Delivery, Reply, SeenEvent } from '../receiver/reply.ts';

/**
 * How the demo's receiver behaves while the samples arrive. It fails the first request with a click with a 500, and
 * does not acknowledge an unsubscribe the first time. It takes all other events.
 */
export interface Play {
  answer(request: ReceivedRequest): Reply;
  /** True when the receiver has taken every sample. */
  readonly isOver: boolean;
}

/** `samples`: those that come to this receiver. */
export function createPlay(samples: Samples): Play {
  const seen = new Set<string>();
  const taken = new Set<string>();
  const keys = new Set(samples.transactional.map(keyOf));
  const expected = keys.size + samples.campaign.length;
  let isOver = false;
  const isFirstTime = (key: string): boolean => {
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  };
  const take = (key: string): void => {
    taken.add(key);
    isOver = taken.size >= expected;
  };
  const takeEvents = (events: readonly SeenEvent[]): Reply => {
    if (events.some((event) => typeOf(event) === 'click') && isFirstTime('click')) return { status: 500, body: '' };
    for (const event of events) take(keyOf(event));
    return { status: 200, body: '' };
  };
  const takeBatch = (events: readonly CampaignEventSeen[]): Reply => {
    const confirmed = events.filter(({ event, hash }) => event !== 'unsubscribe' || !isFirstTime(hash));
    for (const { hash } of confirmed) take(hash);
    return { status: 200, body: JSON.stringify(acknowledge(confirmed, confirmed.length)) };
  };
  return {
    answer: ({ delivery, number }) => {
      const events = eventsIn(delivery);
      if (events.length > 0 && events.every((event) => keys.has(keyOf(event)))) return takeEvents(events);
      if (delivery.kind === 'batch' && delivery.events.every(({ campaign }) => campaign === samples.campaignId))
        return takeBatch(delivery.events);
      return replyByPlan({ status: undefined, ack: 'all', failFirst: 0 }, delivery, number);
    },
    get isOver() {
      return isOver;
    },
  };
}

/** The events of a request that needs no acknowledgement. */
function eventsIn(delivery: Delivery): readonly SeenEvent[] {
  if (delivery.kind === 'notification') return [delivery.event];
  return delivery.kind === 'array' ? delivery.events : [];
}

/** What names an event of a message in both versions of the body. No two samples have it. */
const keyOf = (event: SeenEvent): string => `${String(event['messageId'])} ${typeOf(event)} ${String(event['time'])}`;

/** Describes a request and its reply for the terminal, such as `click, attempt 1: answered 500`. */
export function tellRequest(request: ReceivedRequest, reply: Reply): string {
  const attempt = request.attempt === undefined ? '' : `, attempt ${request.attempt}`;
  return `${tellContents(request.delivery)}${attempt}: ${tellAnswer(request.delivery, reply)}`;
}

function tellContents(delivery: Delivery): string {
  if (delivery.kind === 'notification') return `notification ${tellEvent(delivery.event)}`;
  if (!('events' in delivery)) return delivery.kind;
  const names = delivery.events.slice(0, NAMES_SHOWN).map(tellEvent);
  const more = delivery.events.length > NAMES_SHOWN ? ', ...' : '';
  return `${delivery.kind} of ${delivery.events.length} (${names.join(', ')}${more})`;
}

const NAMES_SHOWN = 8;

function tellAnswer(delivery: Delivery, reply: Reply): string {
  if (reply.status >= 300) return `answered ${reply.status} on purpose, so it will come again`;
  if (delivery.kind !== 'batch') return `answered ${reply.status}, delivered`;
  const confirmed = new Set((JSON.parse(reply.body) as { hash: string }[]).map(({ hash }) => hash));
  const open = delivery.events.filter(({ hash }) => !confirmed.has(hash)).map(({ event }) => event);
  if (open.length === 0) return 'all acknowledged';
  if (confirmed.size === 0) return 'acknowledged nothing, so it will come again';
  return `acknowledged all but ${open.join(', ')}, so that one will come again, alone`;
}
