import { sha256 } from './events.ts';

/**
 * What `createAuthenticate` of the api needs, for one producer token and nobody else. `private-modules.test.ts` checks
 * the type.
 */
export function knownProducer(token: string) {
  const nobody = () => Promise.resolve(undefined);
  const findNow = (given: string) => (sha256(given) === sha256(token) ? { token: 'bench', accounts: null } : undefined);
  return {
    tokens: { find: nobody, identify: nobody },
    producerTokens: { findNow, find: (given: string) => Promise.resolve(findNow(given)) },
    adminTokens: { find: () => undefined, replace: () => undefined },
    security: { note: () => undefined },
    limits: { admit: () => undefined },
    attempts: {
      run: async <Identity>({ verify }: { verify: () => Promise<Identity | undefined> | Identity | undefined }) =>
        verify(),
      isInUse: () => true,
    },
  };
}
