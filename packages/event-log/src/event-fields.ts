import { emailKey } from '@mailhook/core';
import type { ProducerEvent } from '@mailhook/core';
import type { LoggedEvent } from './entry.ts';

/** What searches ask of an event, '' for what it lacks. */
export interface EventFields {
  readonly module: ProducerEvent['module'];
  readonly type: string;
  readonly id: string;
  readonly messageId: string;
  /** As `emailKey` writes it. */
  readonly email: string;
  readonly campaign: string;
}

/** A type as the index of a segment names it: in both modules there are types of the same name. */
export const typeLabel = ({ module, type }: Pick<EventFields, 'module' | 'type'>): string => `${module} ${type}`;

/** The producer's event. */
export const eventOf = ({ source }: Pick<LoggedEvent, 'source'>): ProducerEvent => JSON.parse(source) as ProducerEvent;

export function fieldsOf(logged: Pick<LoggedEvent, 'source'>): EventFields {
  const event = eventOf(logged);
  const isCampaign = event.module === 'campaign';
  return {
    module: event.module,
    type: isCampaign ? event.event : event.name,
    id: event.id ?? '',
    messageId: event.messageId ?? '',
    email: event.email === undefined ? '' : emailKey(event.email),
    campaign: isCampaign ? event.campaign : '',
  };
}
