import { emailKey, eventOfFields } from '@mailhook/core';
import type { LoggedFields, ProducerEvent } from '@mailhook/core';

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

/** How most events begin: the fields that all of a module have, without escapes. */
const HEADS = {
  campaign: /^"event":"([^"\\]*)","campaign":"([^"\\]*)","email":"([^"\\]*)","timestamp":\d+(.*)$/,
  transactional_email: /^"name":"([^"\\]*)","messageId":"([^"\\]*)","time":\d+(.*)$/,
} as const;

export const fieldsOf = (logged: LoggedFields): EventFields => foundFields(logged) ?? parsedFields(logged);

/**
 * The fields of an event as intake mostly writes it. A closer reads each event, and parsing takes four times as long.
 * Undefined if a name may also stand in a value or in an object.
 */
function foundFields({ module, fields }: LoggedFields): EventFields | undefined {
  const found = HEADS[module].exec(fields);
  if (found === null) return undefined;
  const rest = found.at(-1) as string;
  if (/[\\{[]/.test(rest)) return undefined;
  const valueOf = (start: string): string => {
    const from = rest === '' ? -1 : rest.indexOf(start);
    return from === -1 ? '' : rest.slice(from + start.length, rest.indexOf('"', from + start.length));
  };
  const [, type = '', second = '', email = ''] = found;
  const id = valueOf(',"id":"');
  return module === 'campaign'
    ? { module, type, id, messageId: valueOf(',"messageId":"'), email: emailKey(email), campaign: second }
    : { module, type, id, messageId: second, email: emailKey(valueOf(',"email":"')), campaign: '' };
}

function parsedFields(logged: LoggedFields): EventFields {
  const event = eventOfFields(logged);
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
