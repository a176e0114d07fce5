import { StoreConflictError } from '@mailhook/core';
import type { ErasureInput, Store, OperatorServices, DeletionProgress } from '@mailhook/core';
import { ProblemError } from '@mailhook/platform/http-server';
import { ID_BLOCKED_MS } from '../accounts/deletions.ts';
import { putAccount } from '../accounts/change-account.ts';
import type { Deletions } from '../accounts/deletions.ts';
import type { Erasure, Erasures } from '../accounts/erasures.ts';
import type { RoutingTable } from '../accounts/routing-table.ts';
import { newId } from '../accounts/tokens.ts';
import { unknownAccount } from './accounts-overview.ts';

type Shared = OperatorServices['accountChanges'];
type Input = Parameters<Shared['create']>[0];

/** Creates, renames and deletes accounts, and erases the events of a recipient. Rejects with a 404 or a 409. */
export interface AccountChanges extends Shared {
  /** Creates the account under this id, or renames it. */
  put(id: string, input: Input): ReturnType<typeof putAccount>;
  readDeletion(id: string): Promise<DeletionProgress>;
  startErasure(account: string, wanted: ErasureInput): Promise<Erasure>;
  readErasure(account: string, id: string): Promise<Erasure>;
}

interface AccountChangesDeps {
  readonly store: Store;
  readonly routing: Pick<RoutingTable, 'invalidate'>;
  readonly deletions: Pick<Deletions, 'start' | 'progress'>;
  readonly erasures: Pick<Erasures, 'start' | 'find'>;
}

export function createAccountChanges(deps: AccountChangesDeps): AccountChanges {
  const { routing, deletions, erasures } = deps;
  const put: AccountChanges['put'] = async (id, { name }) => {
    const changed = await putOrExplain(deps, { id, name });
    // An earlier lookup of this id may have cached that the account does not exist.
    routing.invalidate(id);
    return changed;
  };
  return {
    put,
    create: async (input) => {
      const id = `acc_${newId()}`;
      await put(id, input);
      return { id, name: input.name };
    },
    startDeletion: async (id) => found(await deletions.start(id), unknownAccount),
    readDeletion: async (id) =>
      found(await deletions.progress(id), () => notFound('No account with this id was deleted lately.')),
    startErasure: async (account, wanted) => found(await erasures.start(account, wanted), unknownAccount),
    readErasure: async (account, id) =>
      found(await erasures.find(account, id), () =>
        notFound('This account has no erasure with this id in the last 7 days.'),
      ),
  };
}

const notFound = (detail: string): ProblemError => new ProblemError('not_found', { detail });

function found<Value>(value: Value | undefined, problem: () => ProblemError): Value {
  if (value === undefined) throw problem();
  return value;
}

async function putOrExplain(
  { store, deletions }: AccountChangesDeps,
  account: { readonly id: string; readonly name: string },
) {
  try {
    return await putAccount(store, account);
  } catch (error) {
    const deletion = error instanceof StoreConflictError ? await deletions.progress(account.id) : undefined;
    if (deletion === undefined) throw error;
    const { finishedAt } = deletion;
    const until = finishedAt === null ? undefined : new Date(Date.parse(finishedAt) + ID_BLOCKED_MS).toISOString();
    throw new ProblemError('conflict', {
      detail:
        until === undefined
          ? 'The account with this id is being deleted. Its id can be used again a week after the deletion has ' +
            'finished.'
          : `The account with this id was deleted. Its id can be used again from ${until}, when late events of the ` +
            'old account can no longer arrive.',
    });
  }
}
