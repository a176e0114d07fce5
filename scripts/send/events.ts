import { exampleCampaignEvent, exampleEvent, typesOf } from '@mailhook/core';
import type { CampaignInput } from '@mailhook/core';
import type { ProducerEvent } from '@mailhook/producer';
import { seconds } from '../terminal.ts';

const NOTIFICATIONS = typesOf('transactional_email');
const CAMPAIGN_EVENTS = typesOf('campaign').map((name) => `campaign-${name}` as const);

/** The values of `--type`: the types of notifications, and those of campaign events after `campaign-`. */
export const EVENT_TYPES = [...NOTIFICATIONS, ...CAMPAIGN_EVENTS];
/** These values for the help. */
export const SHOWN_TYPES = `${NOTIFICATIONS.join(', ')} (notifications) or ${CAMPAIGN_EVENTS.join(', ')} (batches)`;
export type EventType = (typeof EVENT_TYPES)[number];

export interface EventOptions {
  readonly account: string;
  readonly type: EventType;
  readonly hasIds: boolean;
  /** Ten characters that distinguish the messages and the campaign of this run from those of other runs. */
  readonly run: string;
}

/** How many events were accepted, and where it stands who gets them: a producer's token cannot read that. */
export function acceptedText({ count, type }: { count: number; type: EventType }, ms: number): string {
  const rate = count >= 100 ? ` (${Math.round(count / (ms / 1000)).toLocaleString('en')} a second)` : '';
  return (
    `${count} ${count === 1 ? 'event' : 'events'} accepted in ${seconds(ms)}${rate}. ` +
    `The page Endpoints of the account shows which of them take ${type}.`
  );
}

/** Makes `count` distinct events, numbered from `from` on. */
export const makeEvents =
  (options: EventOptions) =>
  (from: number, count: number): ProducerEvent[] => {
    const time = Math.floor(Date.now() / 1000);
    return Array.from({ length: count }, (_, index) => makeEvent(options, from + index, time));
  };

function makeEvent({ account, type, hasIds, run }: EventOptions, number: number, time: number): ProducerEvent {
  const id = hasIds ? { id: `${run}-${number}` } : {};
  const name = NOTIFICATIONS.find((one) => one === type);
  if (name !== undefined) return { ...exampleEvent(name), account, messageId: `${run}-${number}`, time, ...id };
  const event = exampleCampaignEvent(type.replace('campaign-', '') as CampaignInput['event']);
  return { ...event, account, campaign: run, email: `reader-${number}@example.com`, timestamp: time, ...id };
}
