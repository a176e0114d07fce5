import { AsyncLocalStorage } from 'node:async_hooks';
import { changesBetween } from '@mailhook/core';
import type { FieldChange, StoredAccount } from '@mailhook/core';
import type { RequestHandler } from 'express';

/*
 * What a request has changed of accounts and tokens. The rules of changes run far below the request, in services that
 * pages and APIs share, and one of them may run several times before its save succeeds. So the save notes what it has
 * changed, and the audit log reads the notes of its request.
 */

const requests = new AsyncLocalStorage<FieldChange[]>();

/** Requests that are handled now. */
let open = 0;

/**
 * Notes together what the request changes. Requests are followed only while one of them may change something: to follow
 * them makes each promise of the process three times as slow.
 */
export const followRequests: RequestHandler = (request, response, next) => {
  if (request.method === 'GET' || request.method === 'HEAD') {
    next();
    return;
  }
  open += 1;
  response.once('close', () => {
    open -= 1;
    if (open === 0) requests.disable();
  });
  requests.run([], next);
};

/** Notes a saved change of an account for the request that made it. */
export const noteChange = (before: StoredAccount | undefined, after: StoredAccount): void =>
  noteFields(changesBetween(before, after));

/** Notes what the request that runs has changed. Does nothing for a change that no request made. */
export function noteFields(changes: readonly FieldChange[]): void {
  requests.getStore()?.push(...changes);
}

/** Notes until when the request has paused a destination. */
export const notePause = (object: string, untilMs: number): void =>
  noteFields([{ object, field: 'pausedUntil', before: null, after: new Date(untilMs).toISOString() }]);

/** Notes how many events the request gives up. */
export const noteGiveUp = (object: string, events: number): void =>
  noteFields(events === 0 ? [] : [{ object, field: 'undelivered', before: String(events), after: '0' }]);

/** What the request has changed so far. */
export const notedChanges = (): readonly FieldChange[] => requests.getStore() ?? [];
