import { SIGNING_SECRETS_MAX } from '../contracts/account.ts';

export interface StoredSecret {
  readonly id: string;
  /** `whsec_` and base64, as Standard Webhooks defines it. Sealed if there is a `SECRETS_KEY`. */
  readonly secret: string;
  readonly createdAt: string;
  /** When it stops signing (ISO 8601). Null: it has no end. */
  readonly endsAt: string | null;
}

/*
 * The rules of a list of secrets, of an account or of a destination, oldest first. A list that is not empty has a
 * secret without an end, so that requests never lose their signature by the passing of time.
 */

/** Those that sign at this time (ISO 8601). */
export const signingAt = (secrets: readonly StoredSecret[], at: string): readonly StoredSecret[] =>
  secrets.filter(({ endsAt }) => endsAt === null || endsAt > at);

/** With one more. Those that have ended make room. Undefined if there are too many. */
export function withSecret(secrets: readonly StoredSecret[], created: StoredSecret): StoredSecret[] | undefined {
  const kept = signingAt(secrets, created.createdAt);
  return kept.length >= SIGNING_SECRETS_MAX ? undefined : [...kept, created];
}

/** The same, and the others end then. */
export const rolled = (
  secrets: readonly StoredSecret[],
  created: StoredSecret,
  endsAt: string,
): readonly StoredSecret[] | undefined =>
  withSecret(secrets, created)?.map((one) => (one === created ? one : { ...one, endsAt }));

/** Without one. If only ones with an end are left, they have none any more. Undefined if it is not there. */
export function withoutSecret(
  secrets: readonly StoredSecret[],
  id: string,
  at: string,
): readonly StoredSecret[] | undefined {
  const signing = signingAt(secrets, at);
  const left = signing.filter((one) => one.id !== id);
  if (left.length === signing.length) return undefined;
  return left.some(({ endsAt }) => endsAt === null) ? left : left.map((one) => ({ ...one, endsAt: null }));
}
