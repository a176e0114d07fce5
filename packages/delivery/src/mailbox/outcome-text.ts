import { hash } from 'node:crypto';
import { eventKeyText } from '@mailhook/core';

/** Hexadecimal characters of an event's key in an outcome: 64 bits. */
export const EVENT_KEY_CHARS = 16;

/** Names an event in the event log. Redis makes it too (`eventKeyOf` in `lua/includes/log.lua`). */
export const eventKey = (keyText: string): string => hash('sha1', keyText, 'hex').slice(0, EVENT_KEY_CHARS);

/**
 * What an outcome says of the events of a request: its `webhook-id`, the replay that it belongs to, and the keys of the
 * events, in lines.
 */
export const outcomeText = (webhookId: string, fragments: readonly string[], replay = ''): string =>
  `${webhookId}\n${replay}\n${fragments.map((fragment) => eventKey(eventKeyText(fragment))).join('')}`;
