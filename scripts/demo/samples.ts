import { randomBytes } from 'node:crypto';
import { CAMPAIGN_FIELDS, EVENT_TYPES, exampleCampaignEvent, namesOf } from '@mailhook/core';
import type { CampaignInput, TransactionalEvent } from '@mailhook/core';

/**
 * What happens to three messages and to a campaign. Each start has new messages and a new campaign, so that no event
 * looks like a duplicate.
 */
export interface Samples {
  readonly campaignId: string;
  readonly transactional: readonly TransactionalEvent[];
  readonly campaign: readonly CampaignInput[];
}

/** The whole life of a message, then a bounce and a complaint about two others. */
export function makeSamples(account: string, now: Date): Samples {
  const run = randomBytes(5).toString('hex');
  const seconds = Math.floor(now.getTime() / 1000);
  const about = (message: number, afterS: number) =>
    ({
      account,
      module: 'transactional_email',
      messageId: `demo-${run}-${message}`,
      email: `reader-${message}@example.com`,
      time: seconds - LIFE_SECONDS + afterS,
      metadata: { order: `${4710 + message}` },
      tags: ['receipt'],
    }) as const;
  const { delivered, open, click, bounce, complaint, unsubscribe } = EVENT_TYPES;
  const transactional: readonly TransactionalEvent[] = [
    { ...about(1, 0), name: 'sent' },
    { ...about(1, 2), ...delivered.example, name: 'delivered' },
    // An app loads the images when the message arrives. The reader opens it later.
    { ...about(1, 3), ...open.example, machine: true, first: true, name: 'open' },
    { ...about(1, 40), ...open.example, machine: false, first: false, name: 'open' },
    { ...about(1, 45), ...click.example, name: 'click' },
    { ...about(1, 60), ...unsubscribe.example, name: 'unsubscribe' },
    { ...about(2, 4), ...bounce.example, name: 'bounce' },
    { ...about(3, 50), ...complaint.example, name: 'complaint' },
  ];
  const reader = { account, campaign: run, email: 'reader@example.com', timestamp: seconds };
  return {
    campaignId: run,
    transactional: transactional.map((event, number) => ({ ...event, id: `${run}-${number}` })),
    campaign: namesOf(CAMPAIGN_FIELDS).map((event) => ({ ...exampleCampaignEvent(event), ...reader })),
  };
}

const LIFE_SECONDS = 60;

/** Names the samples for the terminal: a line per message, and one for the campaign. */
export function tellSamples({ transactional, campaign }: Samples): readonly string[] {
  const messages = [...new Set(transactional.map(({ messageId }) => messageId))];
  return [
    ...messages.map((id, at) => {
      const events = transactional.filter(({ messageId }) => messageId === id);
      return `message ${at + 1}: ${events.map(tellEvent).join(', ')}`;
    }),
    `campaign: ${campaign.map(tellEvent).join(', ')}`,
  ];
}

/** Such as `open by a program` and `bounce 5.1.1`. */
export function tellEvent(event: object): string {
  const { event: type, name, machine, code }: TellableEvent = event;
  const detail = machine === true ? ' by a program' : code?.startsWith('5.') === true ? ` ${code}` : '';
  return `${String(type ?? name)}${detail}`;
}

interface TellableEvent {
  /** The type in version 2 and in campaign events, and in the others. */
  readonly event?: string;
  readonly name?: string;
  readonly machine?: boolean;
  readonly code?: string;
}
