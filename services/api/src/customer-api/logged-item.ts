import { hash } from 'node:crypto';
import { eventId, eventOfFields, publicIdOf, version2Fragment } from '@mailhook/core';
import type { LogItem } from '@mailhook/core';
import { entryName } from '@mailhook/event-log';
import type { LogItem as StoredItem } from '@mailhook/event-log';

const sha256 = (text: string): string => hash('sha256', text, 'base64url');

export const isoOf = (ms: number): string => new Date(ms).toISOString();

/** An entry of the event log as customers see it. */
export function shownItem({ event, outcomes }: StoredItem): LogItem {
  const { account } = event;
  const sent = eventOfFields(event);
  const { attempt: _none, ...body } = JSON.parse(`${version2Fragment(sent, sha256)}0}`) as Record<string, unknown>;
  return {
    entry: entryName(event),
    id: eventId(sent, sha256),
    acceptedAt: isoOf(event.acceptedAtMs),
    event: body,
    destinations: outcomes.map(({ destination, result, attempt, atMs, webhookId, replay }) => ({
      id: publicIdOf(account, destination),
      outcome: result,
      attempts: attempt,
      ...(atMs === undefined ? {} : { at: isoOf(atMs) }),
      ...(webhookId === '' ? {} : { webhookId }),
      ...(replay === '' ? {} : { replay }),
    })),
  };
}
