import { hash } from 'node:crypto';
import { eventKeyText } from '@mailhook/core';
import { EVENT_KEY_CHARS } from './constants.ts';

/** Names an event in the event log. Redis makes it too (`eventKeyOf` in `lua/includes/log.lua`). */
export const eventKey = (keyText: string): string => hash('sha1', keyText, 'hex').slice(0, EVENT_KEY_CHARS);

/**
 * What an outcome says of the events of a request: its `webhook-id`, the replay that it belongs to, and the keys of the
 * events, in lines.
 */
export const outcomeText = (webhookId: string, fragments: readonly string[], replay = ''): string =>
  `${webhookId}\n${replay}\n${fragments.map((fragment) => eventKey(eventKeyText(fragment))).join('')}`;
