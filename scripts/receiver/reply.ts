/**
 * How a local receiver acknowledges batches: every event, none, the first half, or with a body that is no
 * acknowledgement.
 */
export const ACK_MODES = ['all', 'none', 'half', 'garbage'] as const;
export type AckMode = (typeof ACK_MODES)[number];

export interface ReplyPlan {
  /**
   * The status of every reply, or of the first `failFirst` replies. Undefined: 200, and 500 for the first `failFirst`
   * ones.
   */
  readonly status: number | undefined;
  readonly ack: AckMode;
  /** The number of requests to fail before the receiver takes the rest. */
  readonly failFirst: number;
}

/** The contents of a request, by the shape of its body. */
export type Delivery =
  | { readonly kind: 'notification'; readonly event: SeenEvent }
  | { readonly kind: 'array'; readonly events: readonly SeenEvent[] }
  | { readonly kind: 'batch'; readonly events: readonly CampaignEventSeen[] }
  | { readonly kind: 'connection test' }
  | { readonly kind: 'other' };

export type SeenEvent = Readonly<Record<string, unknown>>;

export interface CampaignEventSeen {
  readonly event: string;
  readonly campaign: string;
  readonly hash: string;
  readonly attempt: number;
}

export interface Reply {
  readonly status: number;
  readonly body: string;
}

export function readDelivery(json: unknown): Delivery {
  if (Array.isArray(json))
    return isArrayOfEvents(json)
      ? { kind: 'array', events: json }
      : { kind: 'batch', events: json as CampaignEventSeen[] };
  if (typeof json !== 'object' || json === null) return { kind: 'other' };
  if ('test' in json) return { kind: 'connection test' };
  return 'name' in json || 'event' in json ? { kind: 'notification', event: { ...json } } : { kind: 'other' };
}

/** Only the events of batches have a hash. */
const isArrayOfEvents = (json: readonly unknown[]): json is SeenEvent[] =>
  json.length > 0 && json.every((event) => typeof event === 'object' && event !== null && !('hash' in event));

/** The type of an event of any version. */
export const typeOf = (event: SeenEvent): string => String(event['event'] ?? event['name']);

/** Returns the reply to a request by its number, counted from 1. */
export function replyByPlan(plan: ReplyPlan, delivery: Delivery, number: number): Reply {
  const isFailed = plan.failFirst === 0 ? plan.status !== undefined : number <= plan.failFirst;
  const status = isFailed ? (plan.status ?? 500) : 200;
  if (status >= 300) return { status, body: '' };
  return { status, body: goodBody(delivery, plan.ack) };
}

function goodBody(delivery: Delivery, ack: AckMode): string {
  if (delivery.kind === 'connection test') return JSON.stringify({ status: 'ok' });
  if (delivery.kind !== 'batch') return '';
  if (ack === 'garbage') return 'Thanks, got it!';
  return JSON.stringify(acknowledge(delivery.events, confirmedCount(delivery.events.length, ack)));
}

function confirmedCount(events: number, ack: Exclude<AckMode, 'garbage'>): number {
  if (ack === 'all') return events;
  // Rounded up, so that a batch of one event is acknowledged and resends come to an end.
  return ack === 'none' ? 0 : Math.ceil(events / 2);
}

/** Returns acknowledgement items for the first `count` events (see docs/protocol.md). */
export const acknowledge = (events: readonly CampaignEventSeen[], count: number): { hash: string; status: true }[] =>
  events.slice(0, count).map(({ hash }) => ({ hash, status: true }));

/** Counts the items of a reply's body that acknowledge an event. */
export function countConfirmed(body: string): number {
  try {
    const items: unknown = JSON.parse(body);
    return Array.isArray(items) ? items.length : 0;
  } catch {
    return 0;
  }
}
