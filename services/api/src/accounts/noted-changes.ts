import { AsyncLocalStorage } from 'node:async_hooks';
import { changesBetween } from '@mailhook/core';
import type { FieldChange, StoredAccount } from '@mailhook/core';

/*
 * What a request has changed of accounts. The rules of changes run far below the request, in services that pages and
 * APIs share, and one of them may run several times before its save succeeds. So the save notes what it has changed,
 * and the audit log reads the notes of its request.
 */

const requests = new AsyncLocalStorage<FieldChange[]>();

/** Runs what handles a request, whose changes are noted together. */
export const notingChanges = (handle: () => void): void => requests.run([], handle);

/** Notes a saved change for the request that made it. Does nothing for a change that no request made. */
export function noteChange(before: StoredAccount | undefined, after: StoredAccount): void {
  requests.getStore()?.push(...changesBetween(before, after));
}

/** What the request has changed so far. */
export const notedChanges = (): readonly FieldChange[] => requests.getStore() ?? [];
