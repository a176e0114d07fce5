import { changesOfFields, fieldsOf } from '@mailhook/core';
import type { Store, OperatorServices } from '@mailhook/core';
import { invalid, ProblemError } from '@mailhook/platform/http-server';
import { noteFields } from '../accounts/noted-changes.ts';
import type { ChangeBus } from '../accounts/change-bus.ts';
import { ENVIRONMENT_TOKEN } from '../accounts/producer-tokens.ts';
import type { ProducerTokens as KnownTokens } from '../accounts/producer-tokens.ts';
import { PRODUCERS } from '../accounts/token-uses.ts';
import type { TokenUses } from '../accounts/token-uses.ts';
import { endOf, hashToken, newId, newProducerToken } from '../accounts/tokens.ts';

interface ProducerTokensDeps {
  readonly store: Store;
  readonly producerTokens: Pick<KnownTokens, 'forget'>;
  readonly tokenUses: Pick<TokenUses, 'read'>;
  readonly bus: Pick<ChangeBus, 'publish'>;
}

/** Every replica keeps all of them in memory. */
const PRODUCER_TOKENS_MAX = 200;

export function createProducerTokens({
  store,
  producerTokens,
  tokenUses,
  bus,
}: ProducerTokensDeps): OperatorServices['producerTokens'] {
  const announce = async (): Promise<void> => {
    producerTokens.forget();
    await bus.publish({ producerTokens: true });
  };
  return {
    async list() {
      const [found, uses] = await Promise.all([store.listProducerTokens(), tokenUses.read(PRODUCERS)]);
      const environment = {
        id: ENVIRONMENT_TOKEN,
        label: 'PRODUCER_TOKEN',
        accounts: null,
        createdAt: null,
        expiresAt: null,
      };
      return [environment, ...found].map(({ id, label, accounts, createdAt, expiresAt }) => ({
        id,
        label,
        accounts,
        createdAt,
        expiresAt,
        lastUsedAt: uses.get(id) ?? null,
      }));
    },
    async create({ label = '', accounts = null, ...input }) {
      const expiresAt = endOf(input.expiresAt);
      await checkAccounts(store, accounts ?? []);
      if ((await store.listProducerTokens()).length >= PRODUCER_TOKENS_MAX) {
        throw new ProblemError('conflict', {
          detail: `There are ${PRODUCER_TOKENS_MAX} producer tokens already. Revoke one that is not used.`,
        });
      }
      const [id, token] = [newId(), newProducerToken()];
      const createdAt = new Date().toISOString();
      await store.createProducerToken({ id, tokenHash: hashToken(token), label, accounts, createdAt, expiresAt });
      noteFields(changesOfFields(id, undefined, fieldsOf({ label, accounts, expiresAt })));
      await announce();
      return { id, token };
    },
    async remove(id) {
      if (id === ENVIRONMENT_TOKEN) {
        throw new ProblemError('conflict', {
          detail:
            'This token comes from the environment. To replace it, change the file in PRODUCER_TOKEN_FILE, or change ' +
            'PRODUCER_TOKEN and restart the api.',
        });
      }
      const token = (await store.listProducerTokens()).find((one) => one.id === id);
      if (token === undefined || !(await store.deleteProducerToken(id))) {
        throw new ProblemError('not_found', { detail: 'There is no producer token with this id.' });
      }
      const { label, accounts } = token;
      noteFields(changesOfFields(id, fieldsOf({ label, accounts })));
      await announce();
    },
  };
}

/** A misspelt account would only be noticed when its events are refused. */
async function checkAccounts(store: Store, ids: readonly string[]): Promise<void> {
  const known = new Set((await store.loadAll(ids)).map(({ id }) => id));
  const errors = ids.flatMap((id, i) =>
    known.has(id) ? [] : [{ path: `accounts.${i}`, message: `must exist: there is no account ${id}` }],
  );
  if (errors.length > 0) throw invalid(errors);
}
