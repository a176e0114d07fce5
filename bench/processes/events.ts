import { createHash } from 'node:crypto';
import type { CampaignInput, Mechanism, ProducerEvent, TransactionalEvent } from '@mailhook/core';
import { eventHash } from '@mailhook/core';
import type { Letter } from '../baselines.ts';

/**
 * The time of the first event. Each event carries its number, so that receivers can distinguish lost from duplicated
 * events.
 */
const FIRST_TIME = 1_795_000_000;

/** About 200 bytes as sent: two opens per click. */
function campaignEventAt(seq: number, account: string, shape: number): CampaignInput {
  const common = {
    account,
    module: 'campaign',
    campaign: 'aBcDeFgHiJ',
    email: `r${seq}@customers.example.com`,
    timestamp: FIRST_TIME + (seq % 86_400),
  } as const;
  if (shape !== 1) return { ...common, event: 'open' };
  return { ...common, event: 'click', url: `https://shop.example.com/sale?item=${seq % 5000}&utm_source=newsletter` };
}

/** About 300 bytes as sent: opens, clicks and bounces in turn. */
function notificationEventAt(seq: number, account: string, shape: number): TransactionalEvent {
  const common = {
    account,
    module: 'transactional_email',
    messageId: `m${seq}@mail.example.com`,
    time: FIRST_TIME + (seq % 86_400),
  } as const;
  switch (shape) {
    case 0:
      return { ...common, name: 'open', ip: '198.51.100.23' };
    case 1: {
      const userAgent = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0';
      return { ...common, name: 'click', ip: '198.51.100.23', userAgent, url: `https://shop.example.com/o/${seq}` };
    }
    default: {
      const reason = '550 5.1.1 The email account that you tried to reach does not exist. Please check for typos.';
      return { ...common, name: 'bounce', type: 'hard', reason };
    }
  }
}

/** Makes the event with this number. With `shape` 1 it is a click. */
export const eventAt = (kind: Mechanism, seq: number, account: string, shape = seq % 3): ProducerEvent =>
  kind === 'campaign' ? campaignEventAt(seq, account, shape) : notificationEventAt(seq, account, shape);

/** The receivers search for this text. The event's number follows it. */
export const SEQ_MARK: Readonly<Record<Mechanism, string>> = {
  campaign: '"email":"r',
  transactional: '"messageId":"m',
};

/**
 * Assigns events to destinations: the same number to each, shuffled, and always in the same order for the same numbers.
 */
export function shuffledDestinations(events: number, destinations: number): Uint32Array {
  const order = destinationsInTurn(events, destinations);
  let state = 0x9e3779b9;
  for (let i = events - 1; i > 0; i -= 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const j = Math.floor((state / 0x1_0000_0000) * (i + 1));
    const swap = order[i] ?? 0;
    order[i] = order[j] ?? 0;
    order[j] = swap;
  }
  return order;
}

/** Each destination in turn, so that the time between two events of a destination is always the same. */
export const destinationsInTurn = (events: number, destinations: number): Uint32Array =>
  Uint32Array.from({ length: events }, (_, i) => i % destinations);

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64url');

export const hashOf = (event: CampaignInput): string => event.hash ?? eventHash(event, sha256);

/** The data of an event's job in plain: the event as it will be sent, as an object. */
export function bodyOf(event: ProducerEvent): Letter['body'] {
  if (event.module === 'campaign') {
    const { account: _account, module: _module, id: _id, ...fields } = event;
    return { hash: hashOf(event), ...fields };
  }
  const { account: _account, id: _id, ...fields } = event;
  return { ...fields, version: 1 };
}
