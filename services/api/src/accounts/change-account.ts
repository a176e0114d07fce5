import { datedVersions, newAccount, OutdatedChangeError, renameAccount, StoreConflictError } from '@mailhook/core';
import type { SaveOptions, Store, StoredAccount, IfVersion } from '@mailhook/core';
import { ProblemError, versionOf } from '@mailhook/platform/http-server';

import { noteChange } from './noted-changes.ts';

/** A rule of core's stored-account. Returning the same account means that it is like that already. */
export type AccountRule = (account: StoredAccount) => StoredAccount | StoreConflictError | undefined;

export interface AccountChange {
  readonly before: StoredAccount;
  /** As it was saved. */
  readonly after: StoredAccount;
}

/**
 * Applies a rule to an account and saves the result, and repeats both until no other writer interferes. Resolves with
 * undefined if there is no such account, or if the rule changes nothing. Rejects with the conflict that the rule
 * returns.
 */
export async function changeAccount(
  store: Pick<Store, 'load' | 'save'>,
  id: string,
  rule: AccountRule,
  options?: SaveOptions,
): Promise<AccountChange | undefined> {
  for (;;) {
    const before = await store.load(id);
    const ruled = before === undefined ? undefined : rule(before);
    if (ruled instanceof StoreConflictError) throw ruled;
    if (before === undefined || ruled === undefined) return undefined;
    if (ruled === before) return { before, after: before };
    const next = datedVersions(before, ruled, Date.now());
    if (!(await store.save(next, options))) continue;
    noteChange(before, next);
    return { before, after: { ...next, version: next.version + 1 } };
  }
}

/**
 * Creates an account, or renames an existing one, whose `createdAt` stays. Rejects with `StoreConflictError` while a
 * deletion of this id is recorded.
 */
export async function putAccount(
  store: Pick<Store, 'load' | 'save'>,
  { id, name }: { readonly id: string; readonly name: string },
): Promise<{ readonly account: StoredAccount; readonly outcome: 'created' | 'renamed' | 'unchanged' }> {
  for (;;) {
    const renamed = await changeAccount(store, id, (account) => renameAccount(account, name));
    if (renamed !== undefined)
      return { account: renamed.after, outcome: renamed.after === renamed.before ? 'unchanged' : 'renamed' };
    const account = newAccount({ id, name, createdAt: new Date().toISOString() });
    if (!(await store.save(account))) continue;
    noteChange(undefined, account);
    return { account, outcome: 'created' };
  }
}

/** For a customer's change of an account that was deleted after the request was let in. */
export const accountGone = (): ProblemError =>
  new ProblemError('unauthorized', { detail: 'This account was deleted.' });

/**
 * The refusal of a change for another version of the record, as a rule returns it. Inside a rule, no other writer comes
 * between this check and the change. `record` is as readers see it.
 */
export const refuseOutdated = (record: object, ifVersion: IfVersion | undefined): OutdatedChangeError | undefined =>
  ifVersion === undefined || ifVersion(versionOf(record)) ? undefined : outdated();

const outdated = (): OutdatedChangeError =>
  new OutdatedChangeError(
    'This was changed after you read it, so your change was not made. Read it again, then send your change with ' +
      'the new ETag.',
  );

/** Removes an account, and records its deletion. */
export async function removeAccount(store: Pick<Store, 'load' | 'remove'>, id: string): Promise<void> {
  for (;;) {
    const account = await store.load(id);
    if (account === undefined || (await store.remove(account, new Date().toISOString()))) return;
  }
}
