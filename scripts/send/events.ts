import type { ProducerEvent } from '@mailhook/producer';

export const EVENT_TYPES = [
  'open',
  'click',
  'bounce',
  'campaign-open',
  'campaign-click',
  'campaign-unsubscribe',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

export interface EventOptions {
  readonly account: string;
  readonly type: EventType;
  readonly hasIds: boolean;
  /** Ten characters that distinguish the messages and the campaign of this run from those of other runs. */
  readonly run: string;
}

/** Makes `count` distinct events, numbered from `from` on. */
export const makeEvents =
  (options: EventOptions) =>
  (from: number, count: number): ProducerEvent[] => {
    const time = Math.floor(Date.now() / 1000);
    return Array.from({ length: count }, (_, index) => makeEvent(options, from + index, time));
  };

const URL_CLICKED = 'https://shop.example.com/spring';

function makeEvent({ account, type, hasIds, run }: EventOptions, number: number, time: number): ProducerEvent {
  const id = hasIds ? { id: `${run}-${number}` } : {};
  const message = { account, module: 'transactional_email', messageId: `${run}-${number}`, time, ...id } as const;
  const reader = {
    account,
    module: 'campaign',
    campaign: run,
    email: `reader-${number}@example.com`,
    timestamp: time,
    ...id,
  } as const;
  const ip = `192.0.2.${(number % 254) + 1}`;
  switch (type) {
    case 'open':
      return { ...message, name: 'open', ip };
    case 'click':
      return { ...message, name: 'click', ip, userAgent: 'Mozilla/5.0 (X11; Linux x86_64)', url: URL_CLICKED };
    case 'bounce':
      return { ...message, name: 'bounce', type: number % 2 === 0 ? 'hard' : 'soft', reason: '550 5.1.1 User unknown' };
    case 'campaign-open':
      return { ...reader, event: 'open' };
    case 'campaign-click':
      return { ...reader, event: 'click', url: URL_CLICKED };
    case 'campaign-unsubscribe':
      return { ...reader, event: 'unsubscribe' };
  }
}
