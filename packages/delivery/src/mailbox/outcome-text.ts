import {
  eventKey,
  eventKeyOfBytes,
  eventKeyPlace,
  eventKeyText,
  eventsIn,
  FRAGMENT_SEPARATOR,
  isNotification,
} from '@mailhook/core';
import type { EventKey } from '@mailhook/core';
import { EVENT_KEY_CHARS } from './constants.ts';

/**
 * What an outcome says of the events of a request, given as one text of fragments: its `webhook-id`, the replay that it
 * belongs to, and the keys of the events, in lines. Redis makes it too (`sentOf` in `lua/includes/log.lua`).
 */
export const outcomeText = (webhookId: string, content: string, replay = ''): string =>
  `${webhookId}\n${replay}\n${keysOf(content)}`;

function keysOf(content: string): string {
  const bytes = Buffer.from(content);
  const keys: EventKey[] = [];
  if (isNotification(content) || bytes.length !== content.length) {
    for (const fragment of eventsIn(content)) keys.push(eventKey(eventKeyText(fragment)));
  } else {
    // A place in the text is one in its bytes, which are read much faster.
    for (let at = 0, end = 0; end !== -1; at = end + 1) {
      end = content.indexOf(FRAGMENT_SEPARATOR, at);
      const { from, to } = eventKeyPlace(content, at);
      keys.push(eventKeyOfBytes(bytes, from, to));
    }
  }
  const packed = Buffer.allocUnsafe((keys.length * EVENT_KEY_CHARS) / 2);
  let at = 0;
  for (const { high, low } of keys) at = packed.writeUInt32BE(low, packed.writeUInt32BE(high, at));
  return packed.toString('hex');
}
